"""Answers for other packages, and theirs read exactly."""

from __future__ import annotations

from exactdp.privacy.exchange.loss_grid import GridLoss, LossDistribution, from_dp_accounting, pair_to_dp_accounting

__all__ = ["GridLoss", "LossDistribution", "from_dp_accounting", "pair_to_dp_accounting"]
