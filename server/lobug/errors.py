"""All errors that a caller may see, each with a stable code.

A code never changes once released, because devices and scripts branch on it. What a device shows or
says stands in ``language/en/sentences.toml``, by code; it never holds an internal detail.
docs/errors.md and the OpenAPI document are generated from the class docstrings.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files

# Read as a file: this module is the lowest of the server and imports none of its rooms.
_SENTENCES = (files("lobug") / "language" / "en" / "sentences.toml").read_text(encoding="utf-8")
SPOKEN: dict[str, str] = tomllib.loads(_SENTENCES)["errors"]
"""What a device shows or says, by code."""


class LobugError(Exception):
    """Something unexpected; the log says more. Base of all typed failures.

    Class attributes: ``code`` the stable identifier, ``status`` the HTTP status that carries it,
    ``spoken`` what a device shows or says: the sentence of the code, or that of the base class
    where the code has none. The exception's text is for developers and logs.
    """

    code = "internal_error"
    status = 500
    spoken = SPOKEN[code]

    def __init_subclass__(cls) -> None:
        """Look up the sentence of the class's code."""
        super().__init_subclass__()
        cls.spoken = SPOKEN.get(cls.code, cls.spoken)


class InvalidRequestError(LobugError):
    """The request's shape, types or values are wrong."""

    code = "invalid_request"
    status = 422

    def __init__(self, message: str = "", *, param: str | None = None) -> None:
        """``param``: the field that is wrong, with dots for nested fields."""
        super().__init__(message)
        self.param = param


class UnsupportedParameterError(InvalidRequestError):
    """A field of the request asks for what this server does not do."""

    code = "parameter_unsupported"
    status = 400


class UnknownModelError(LobugError):
    """There is no model of this name; ``GET /v1/models`` lists the models."""

    code = "model_unknown"
    status = 404


class EmptyTextError(InvalidRequestError):
    """The text is empty or blank, or holds nothing that the voice can speak."""

    code = "text_empty"


class TextTooLongError(InvalidRequestError):
    """The text is longer than ``limits.max_text_chars``."""

    code = "text_too_long"
    status = 413


class InvalidEncodingError(InvalidRequestError):
    """The body is not valid UTF-8 or not valid JSON."""

    code = "invalid_encoding"
    status = 400


class BodyTooLargeError(LobugError):
    """The request body is larger than ``limits.max_body_bytes``, or in discovery than 64 KB."""

    code = "body_too_large"
    status = 413


class BodyTimeoutError(LobugError):
    """No more of the request's body arrived within ``limits.body_timeout_s``, or not all of it
    arrived within ``limits.body_deadline_s`` (in discovery: ``limits.body_timeout_s``)."""

    code = "body_timeout"
    status = 408


class AudioError(LobugError):
    """The recording is not audio, or its format is not accepted. Base of audio errors."""

    code = "audio_invalid"
    status = 400


class AudioEmptyError(AudioError):
    """The recording holds no samples."""

    code = "audio_empty"


class AudioTruncatedError(AudioError):
    """The recording ends inside its header or has no audio data chunk."""

    code = "audio_truncated"


class AudioPacketError(AudioError):
    """A packet of a device's audio cannot be decoded; the next one may be intact."""

    code = "audio_packet_invalid"


class EventError(InvalidRequestError):
    """An event of a Wyoming client is not laid out as the protocol says, a field has the wrong
    type, or it comes where it makes no sense."""

    code = "event_invalid"
    status = 400


class EventTooLargeError(EventError):
    """An event of a Wyoming client is larger than ``wyoming.max_message_bytes`` or
    ``wyoming.max_payload_bytes``."""

    code = "event_too_large"
    status = 413


class EventTimeoutError(EventError):
    """An event of a Wyoming client did not arrive as a whole within ``wyoming.event_timeout_s``, or
    what it had begun was not finished in time."""

    code = "event_timeout"
    status = 408


class FrameError(InvalidRequestError):
    """A binary frame of a device is not laid out as its protocol version says."""

    code = "frame_invalid"
    status = 400


class MessageError(InvalidRequestError):
    """A device's message is not a JSON object with a ``type``, or a field has the wrong type."""

    code = "message_invalid"
    status = 400


class HelloError(InvalidRequestError):
    """A device's ``hello`` asks for a protocol version or an audio format that is not supported."""

    code = "hello_invalid"
    status = 400


class AudioTooLongError(AudioError):
    """The recording is longer than ``limits.max_audio_seconds``."""

    code = "audio_too_long"
    status = 413


class ForeignOriginError(LobugError):
    """A web page of another site sent the request, without a token, or with a browser's cookie."""

    code = "foreign_origin"
    status = 403


class TokenRequiredError(LobugError):
    """The caller is at another computer and sent no token, nor the cookie of a paired browser."""

    code = "token_required"
    status = 401


class TokenInvalidError(LobugError):
    """The token or the browser's session is unknown, has expired or was revoked."""

    code = "token_invalid"
    status = 401


class TokenWrongDeviceError(LobugError):
    """The token belongs to another device than the one that `Device-Id` names."""

    code = "token_wrong_device"
    status = 401


class HostUnknownError(LobugError):
    """The request was sent to this computer under a name that may belong to a foreign web page;
    `access.hostnames` lists those that are its own."""

    code = "host_unknown"
    status = 403


class OwnerOnlyError(LobugError):
    """Only the owner may do this: at the computer that Lo-Bug runs on, with an owner's token or in
    an owner's browser."""

    code = "owner_only"
    status = 403


class TokenScopeError(LobugError):
    """The token has a scope and is not valid for anything else."""

    code = "token_scope"
    status = 403


class TooManyAttemptsError(LobugError):
    """Too many wrong tokens, wrong codes or new devices came from this address in a minute."""

    code = "too_many_attempts"
    status = 429


class TooManyConnectionsError(LobugError):
    """The caller has ``limits.max_connections_per_caller`` connections open already, only
    connections that are reserved for the owner and for paired devices are left, or there are
    ``wyoming.max_connections`` Wyoming connections."""

    code = "too_many_connections"
    status = 429


class PairingCodeError(LobugError):
    """No device is waiting with this code: it is wrong, or it has expired."""

    code = "pairing_code_unknown"
    status = 404


class DeviceUnknownError(LobugError):
    """No device with this id is paired."""

    code = "device_unknown"
    status = 404


class SatelliteUnknownError(LobugError):
    """Nobody has talked from a satellite with this id."""

    code = "satellite_unknown"
    status = 404


class DeviceOfflineError(LobugError):
    """The device is not connected, so nothing can be sent to it."""

    code = "device_offline"
    status = 409


class DeviceRefusedError(LobugError):
    """The device is connected but did not do what it was asked for, or cannot do it."""

    code = "device_refused"
    status = 409


class FirmwareUnknownError(LobugError):
    """There is no firmware image for this board and version."""

    code = "firmware_unknown"
    status = 404


class TokenUnknownError(LobugError):
    """There is no token with this id."""

    code = "token_unknown"
    status = 404


class InvitationUnknownError(LobugError):
    """No invitation has this code or id: it is wrong, was used, has expired, or ended because of
    too many wrong codes."""

    code = "invitation_unknown"
    status = 404


class BrowserUnknownError(LobugError):
    """No browser with this id is known, or this browser is not signed in."""

    code = "browser_unknown"
    status = 404


class HttpsRequiredError(LobugError):
    """A browser at another computer keeps no session over plain HTTP: open the page with HTTPS."""

    code = "https_required"
    status = 400


class AccessFullError(LobugError):
    """There are `access.max_devices` devices, browsers or tokens already; revoke some."""

    code = "access_full"
    status = 409


class AccessUnavailableError(LobugError):
    """The file of devices and tokens cannot be opened, so only this computer may talk."""

    code = "access_unavailable"
    status = 503


class BusyError(LobugError):
    """More turns are waiting than ``limits.max_waiting_turns`` allows, or more uploads are under
    way than ``limits.max_uploads`` and ``limits.max_upload_bytes`` allow. A part of each
    (``limits.reserved_part``) is reserved for the owner and the paired devices."""

    code = "busy"
    status = 503


class TooManyRequestsError(LobugError):
    """This caller has as many turns waiting, or as many uploads under way, as one person may have
    (`limits.max_waiting_per_person`, `limits.max_uploads_per_person`,
    `limits.max_upload_bytes_per_person`)."""

    code = "too_many_requests"
    status = 429


class UploadStorageError(LobugError):
    """A large request body cannot be written to a temporary file: the disk is full, or the folder
    for temporary files cannot be written."""

    code = "upload_storage_failed"
    status = 507


class EngineError(LobugError):
    """An engine failed in some other way. Base of engine failures.

    ``engine`` is chat, embeddings, stt or tts.
    """

    code = "engine_failed"
    status = 503

    def __init__(self, engine: str, message: str) -> None:
        super().__init__(f"{engine}: {message}")
        self.engine = engine


class EngineUnavailableError(EngineError):
    """The engine cannot be reached or is not loaded."""

    code = "engine_unavailable"


class EngineTimeoutError(EngineError):
    """The engine did not answer within its time-out."""

    code = "engine_timeout"
    status = 504


class EngineBusyError(EngineError):
    """All of the engine's servers have as many requests as they may have (`chat.max_requests` and
    `chat.max_waiting`, or those of `stt` and `tts`)."""

    code = "engine_busy"


class ListenerOverrunError(LobugError):
    """Audio arrived faster than it could be processed: more than ``listening.max_backlog_s`` of it
    was waiting."""

    code = "listener_overrun"
    status = 503


class EngineInterruptedError(EngineError):
    """The engine stopped in the middle of its answer."""

    code = "engine_interrupted"


class ModelMissingError(EngineError):
    """The engine runs but does not have the model, or a model file is missing or damaged."""

    code = "model_missing"


class ModelDamagedError(ModelMissingError):
    """The bytes of a model file are not those of the catalog, so the model is not used."""

    code = "model_damaged"


class ContextOverflowError(EngineError):
    """Prompt and reply do not fit into the model's context window."""

    code = "context_overflow"
    status = 413


class StorageError(LobugError):
    """The database cannot be read or written."""

    code = "storage_failed"
    status = 503


class StorageBusyError(StorageError):
    """Another process holds the database's lock for longer than the time-out."""

    code = "storage_busy"


class StorageFullError(StorageError):
    """The disk is full or the database may not grow."""

    code = "storage_full"


class StorageReadOnlyError(StorageError):
    """The database or its folder cannot be written."""

    code = "storage_read_only"


class StorageCorruptError(StorageError):
    """The database file is damaged or is not a database."""

    code = "storage_corrupt"


class StorageRefusedError(StorageError):
    """The database works, but does not take what it was given, which breaks one of its rules or
    limits."""

    code = "storage_refused"


class StorageNewerError(StorageError):
    """The database was written by a newer Lo-Bug than this one."""

    code = "storage_newer"


class StorageHeldError(StorageError):
    """Another server has the database and answers; this one stands ready to take over."""

    code = "storage_held"


class PersonElsewhereError(StorageError):
    """Another server acts for this person, and did not end that within ``database.handover_s``."""

    code = "person_elsewhere"


class StorageOlderError(StorageError):
    """The database was written by an older Lo-Bug than this one, and is only read here, so it is
    not migrated."""

    code = "storage_older"


class StorageUnfinishedError(StorageError):
    """Everything is being moved to this database, or a move to it was broken off: it is not
    whole."""

    code = "storage_unfinished"


class MoveTargetError(StorageError):
    """The database that everything was to be moved to is not empty."""

    code = "move_target_not_empty"


class MoveDifferenceError(StorageError):
    """After a move the two databases do not hold the same."""

    code = "move_difference"


class StorageDriverError(StorageError):
    """No installed SQLite driver can load extensions, sqlite-vec cannot be loaded, or PostgreSQL is
    wanted (``database.url``) and its driver is not installed."""

    code = "storage_driver"


class DataFolderInUseError(StorageError):
    """Another program is writing to the data folder: a server, or a command that runs without
    one."""

    code = "data_folder_in_use"


class AlertLimitError(LobugError):
    """The person has ``skills.max_alerts_per_person`` timers, alarms and reminders already."""

    code = "alert_limit"
    status = 409


class AlertNotFoundError(LobugError):
    """There is no such timer, alarm or reminder, it is over, or it is another person's."""

    code = "alert_not_found"
    status = 404


class QuietHoursError(LobugError):
    """It is in the quiet hours (``skills.quiet_hours``), and the announcement was not to wait."""

    code = "quiet_hours"
    status = 409


class ListNotFoundError(LobugError):
    """The person has no such list, or nothing of this id is on it."""

    code = "list_not_found"
    status = 404


class ListFullError(LobugError):
    """The list would hold more than ``skills.max_items_per_list`` things; none was added."""

    code = "list_full"
    status = 409


class ListLimitError(LobugError):
    """There are ``skills.max_lists_per_person`` lists already."""

    code = "list_limit"
    status = 409


class ListExistsError(LobugError):
    """There is a list of this name already."""

    code = "list_exists"
    status = 409


class ListItemError(InvalidRequestError):
    """The name of a list, or a thing on it, is empty or longer than ``skills.max_item_chars``."""

    code = "list_item_invalid"


class ListForbiddenError(LobugError):
    """The caller may not see or change the household's lists; ``memory.household`` grants that."""

    code = "list_forbidden"
    status = 403


class NoteNotFoundError(LobugError):
    """The person has no note of this id."""

    code = "note_not_found"
    status = 404


class NoteLimitError(LobugError):
    """The person has ``skills.max_notes_per_person`` notes already."""

    code = "note_limit"
    status = 409


class NoteContentError(InvalidRequestError):
    """The note is empty or longer than ``skills.max_note_chars``."""

    code = "note_content_invalid"


class MemoryDisabledError(LobugError):
    """``memory.enabled`` is off, or ``memory.enable_user_memories`` and a memory of a user was to
    be stored."""

    code = "memory_disabled"
    status = 409


class MemoryNotFoundError(LobugError):
    """There is no such memory, session, project or task, or it is not the caller's."""

    code = "memory_not_found"
    status = 404


class MemoryKeyError(InvalidRequestError):
    """The key is not valid: it must be a lower-case letter followed by lower-case letters, digits
    and underscores, at most 64 characters, and not begin with ``system_`` or ``internal_``."""

    code = "memory_key_invalid"


class MemoryContentError(InvalidRequestError):
    """The content is empty or too long, or another value is out of range."""

    code = "memory_content_invalid"


class MemoryForbiddenError(LobugError):
    """The caller may not see or change memories of this scope, or is an agent that would replace
    words of the person's own."""

    code = "memory_forbidden"
    status = 403


class IdentityFullError(LobugError):
    """The identity layer is full, and nothing in it may be replaced."""

    code = "identity_full"
    status = 409


class IdentityInvalidError(MemoryContentError):
    """The text of the identity layer holds a line that is neither one of its headings nor an entry
    (``- ...``), or characters that cannot be seen. The message names the line."""

    code = "identity_invalid"


class IdentityChangedError(LobugError):
    """The identity layer has changed since the version that ``If-Match`` names was read."""

    code = "identity_changed"
    status = 412


class ConfirmationRequiredError(LobugError):
    """The erasure cannot be undone, so the request has to confirm it."""

    code = "confirmation_required"
    status = 409


class ResourceTooLargeError(LobugError):
    """The exported memory is larger than ``limits.max_resource_bytes``; `lobug memory export` and
    `GET /memory/export` write it whole."""

    code = "resource_too_large"
    status = 413


class ImportInvalidError(InvalidRequestError):
    """The document is neither an export of Lo-Bug nor a snapshot of sessions; nothing was
    imported."""

    code = "import_invalid"


class TlsError(LobugError):
    """HTTPS does not work: its certificate or one of its files is wrong. The message says which."""

    code = "tls_unavailable"
    status = 503


class CertificateMissingError(LobugError):
    """There is no certificate to download: HTTPS is off, or uses a certificate of the owner's."""

    code = "certificate_missing"
    status = 404


class TurnNotFoundError(LobugError):
    """There is no such turn, or it is older than the last ``telemetry.turns_kept``."""

    code = "turn_not_found"
    status = 404


class SettingUnknownError(LobugError):
    """There is no setting of this name; ``GET /settings`` lists them."""

    code = "setting_unknown"
    status = 404


class SettingFixedError(LobugError):
    """The setting cannot change now: the environment, ``.env`` or the command line sets it, or it
    takes effect only at a start. ``GET /settings`` says which."""

    code = "setting_fixed"
    status = 409
