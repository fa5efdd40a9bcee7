"""Check certificates: the name by which people call the checker, exactdp/checker/.

    python -m exactdp.certificates.verify FILE...
    python exactdp/certificates/verify.py FILE...     # in a checkout, with nothing installed, Python 3.9 or newer

One line per file. Exit status: 0 every file verified, 1 some check failed, 2 some file is malformed, unreadable or
beyond a limit.
"""

from __future__ import annotations

import sys
from os.path import dirname, realpath
from types import ModuleType

if not __package__:  # run as a file: the checker is found beside this folder, and nothing of the package above it runs
    package = ModuleType("exactdp")
    package.__path__ = [dirname(dirname(realpath(__file__)))]
    sys.modules["exactdp"] = package

from exactdp.checker.__main__ import limit_the_process, main
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError
from exactdp.checker.documents import Result, report, verify_file, verify_text

__all__ = [
    "CertificateRejectedError",
    "MalformedCertificateError",
    "Result",
    "main",
    "report",
    "verify_file",
    "verify_text",
]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], limit_the_process()))
