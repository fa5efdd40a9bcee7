"""Deployments: what is asked of whom, how often, from a file; and what the whole gives away.

>>> from exactdp import deployment
>>> deployment.read("examples/deployments/telemetry.toml").name
'Telemetry, a year of weeks'
"""

from __future__ import annotations

from exactdp.studies.deployment.deployment import (
    Deployment,
    Participation,
    Question,
    Release,
    UserClass,
)
from exactdp.studies.deployment.deployment_files import read_deployment as read

__all__ = ["Deployment", "Participation", "Question", "Release", "UserClass", "read"]
