"""Why an image could not be added or removed."""

from __future__ import annotations

from lobug.errors import InvalidRequestError, LobugError


class FirmwareInvalidError(InvalidRequestError):
    """It is no firmware image for this board, is too large, or board or version are none."""

    code = "firmware_invalid"


class FirmwareExistsError(LobugError):
    """There is an image for this board and version already."""

    code = "firmware_exists"
    status = 409


class FirmwareFolderError(LobugError):
    """The file or the folder of images cannot be read or written."""

    code = "firmware_folder"
    status = 503
