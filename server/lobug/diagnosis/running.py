"""The checks that make sense inside of a running server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from lobug.diagnosis import computer, context, postgres, storage
from lobug.diagnosis.findings import Finding, fail, ok, warn
from lobug.diagnosis.sentences import sentence
from lobug.engines.base import EngineStatus
from lobug.settings import Settings

Check = tuple[str, Callable[[Settings], Finding | list[Finding]]]

_BEFORE: Sequence[Check] = (
    ("python", lambda _: computer.check_python()),
    ("memory", computer.check_memory),
    ("data folder", computer.check_data_folder),
    ("sqlite", lambda _: storage.check_driver()),
)
_FILES: Sequence[Check] = (
    ("database", storage.check_database),
    ("claims", storage.check_claims),
    ("access", storage.check_access),
)
_POSTGRES: Sequence[Check] = (
    ("database", lambda settings: postgres.check_postgres(settings.database)),
    ("files", storage.check_files_left),
)
_AFTER: Sequence[Check] = (
    ("privacy", storage.check_privacy),
    ("who may talk", computer.check_openness),
    ("context window", context.check_context),
)


def examine(settings: Settings) -> Iterator[Finding]:
    """Run every check in turn. Never raises: a check that breaks is a finding like any other. It
    reads all of the database: not to be called in an event loop."""
    data = _POSTGRES if settings.database.url.get_secret_value() else _FILES
    for name, check in (*_BEFORE, *data, *_AFTER):
        try:
            found = check(settings)
        except Exception as error:  # noqa: BLE001 - it is asked because something is broken
            what = sentence("doctor.check_failed", error=f"{type(error).__name__}: {error}")
            found = fail(name, what, sentence("doctor.reinstall"))
        yield from [found] if isinstance(found, Finding) else found


def judge_engines(
    engines: Mapping[str, EngineStatus], degraded: Sequence[str], *, can_talk: bool
) -> Iterator[Finding]:
    """Judge what a running server says of its engines, by job, and of what else does not work as it
    should: sentences that begin with the name of a part. Pure."""
    for job, state in engines.items():
        label = f"{state.name} {state.model}" if state.model else state.name
        if state.ready and not state.degraded:
            yield ok(job, label)
            continue
        reason = state.reason or sentence("doctor.engine_not_ready")
        message = sentence("doctor.engine_degraded", engine=label, reason=reason)
        needed = job == "chat" and not can_talk
        yield (fail if needed else warn)(job, message, sentence("doctor.engine_advice"))
    for one in degraded:
        part, _, message = one.partition(": ")
        if part not in engines:
            yield warn(part, message, sentence("doctor.degraded_advice"))
