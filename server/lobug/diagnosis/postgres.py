"""Checks of PostgreSQL, where it is used in place of files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lobug.diagnosis.findings import Finding, fail, ok, warn
from lobug.diagnosis.sentences import sentence
from lobug.diagnosis.storage import judge_claims
from lobug.errors import StorageDriverError, StorageError
from lobug.settings import DatabaseSettings
from lobug.storage.places import needing_driver

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lobug.storage.postgres.inspection import Inspection


def check_postgres(settings: DatabaseSettings) -> list[Finding]:
    """Whether PostgreSQL can be reached and has what Lo-Bug needs. Changes nothing there. Not to be
    called in an event loop."""
    try:
        with needing_driver():
            from lobug.storage.postgres.inspection import inspect  # noqa: PLC0415
        from lobug.storage.postgres.schemas import STEPS  # noqa: PLC0415

        newest = {name: len(steps) for name, steps in STEPS.items()}
        found = inspect(
            settings.url.get_secret_value(), tuple(newest), patience_s=settings.patience_s
        )
    except StorageDriverError:
        what, advice = "doctor.postgres_driver", "doctor.postgres_driver_advice"
        return [fail("database", sentence(what), sentence(advice))]
    except StorageError as error:
        return [fail("database", str(error), sentence("doctor.postgres_unreachable_advice"))]
    return list(judge(found, newest))


def judge(found: Inspection, newest: Mapping[str, int]) -> Iterator[Finding]:
    """Judge what was found; ``newest`` are the versions of the schemas that this program knows.
    Pure."""
    from lobug.storage.postgres.migration import OLDEST  # noqa: PLC0415

    place, version = found.place, found.version
    if found.version_number < OLDEST:
        what = sentence(
            "doctor.postgres_old", place=place, version=version, needed=OLDEST // 10_000
        )
        yield fail("database", what, sentence("doctor.postgres_old_advice"))
    elif not found.knows_letters:
        advice = sentence("doctor.postgres_letters_advice")
        yield fail("database", sentence("doctor.postgres_letters", place=place), advice)
    else:
        yield ok("database", sentence("doctor.postgres_ok", place=place, version=version))
    if found.exposed:
        what, advice = "doctor.postgres_exposed", "doctor.postgres_exposed_advice"
        yield warn("encryption", sentence(what, place=place), sentence(advice))
    if found.standing.together:
        what = sentence("doctor.servers_together", servers=found.standing.together)
        yield ok("servers", what)
    elif found.standing.holder is not None:
        what = sentence(
            "doctor.servers",
            name=found.standing.holder,
            others=max(0, found.standing.servers - 1),
        )
        yield ok("servers", what)
    yield _vectors(found)
    yield _schemas(found, newest)
    if found.versions.get("lobug_memory"):
        yield judge_claims(*found.backlog)


def _vectors(found: Inspection) -> Finding:
    match found.vectors:
        case "there":
            return ok("pgvector", sentence("doctor.pgvector_there"))
        case "addable":
            return ok("pgvector", sentence("doctor.pgvector_added"))
        case "forbidden":
            advice = sentence("doctor.pgvector_forbidden_advice")
            return fail("pgvector", sentence("doctor.pgvector_forbidden"), advice)
        case "missing":
            advice = sentence("doctor.pgvector_missing_advice")
            return fail("pgvector", sentence("doctor.pgvector_missing"), advice)


def _schemas(found: Inspection, newest: Mapping[str, int]) -> Finding:
    missing = [name for name in newest if found.versions.get(name) is None]
    missing = [name for name in missing if name not in found.closed]
    newer = [name for name in newest if (found.versions.get(name) or 0) > newest[name]]
    older = [name for name, most in newest.items() if 0 < (found.versions.get(name) or most) < most]
    if found.closed:
        what = sentence("doctor.schemas_closed", names=", ".join(found.closed))
        return fail("schemas", what, sentence("doctor.schemas_closed_advice"))
    if newer:
        what = sentence("doctor.schemas_newer", names=", ".join(newer))
        return fail("schemas", what, sentence("doctor.file_newer_advice"))
    if missing and not found.may_create:
        advice = sentence("doctor.schemas_rights_advice")
        return fail("schemas", sentence("doctor.schemas_rights"), advice)
    if missing:
        return ok("schemas", sentence("doctor.schemas_new", names=", ".join(missing)))
    if older:
        return ok("schemas", sentence("doctor.schemas_old", names=", ".join(older)))
    names = ", ".join(f"{name} {found.versions[name]}" for name in newest)
    return ok("schemas", sentence("doctor.schemas_ok", names=names))
