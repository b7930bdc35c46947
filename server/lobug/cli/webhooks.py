"""``lobug webhooks``: a secret for them, and whether the receiver takes them."""

from __future__ import annotations

import asyncio
import base64
import secrets
import time

import typer

from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_FAILED,
    CommandError,
    JsonOption,
    SentenceGroup,
    console,
    plain,
    print_json,
)

webhooks_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Webhooks: signed HTTP requests that tell an automation, such as Node-RED, what happens"
    " (docs/webhooks.md).",
)

_NEW_SECRET_BYTES = 32


@webhooks_app.command("secret")
def make_secret() -> None:
    """Print a new secret, for LOBUG_WEBHOOKS__SECRET and for the receiver. Nothing is stored."""
    from lobug.settings.webhooks import SECRET_PREFIX

    typer.echo(SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_NEW_SECRET_BYTES)).decode())


@webhooks_app.command("test")
def send_test(as_json: JsonOption = False) -> None:
    """Send the event `test` once, from here, and show what the receiver answers.

    Exit code 1 if it does not take it. Events that wait in a running server are left alone.
    """
    from lobug.cli.effective_settings import load_settings
    from lobug.webhooks.delivery import Attempt, DeliveryVerdict, Sender
    from lobug.webhooks.events import TrialData, body_of, queued

    settings = load_settings().settings.webhooks
    if not settings.url:
        raise CommandError(sentence("webhooks.off"))
    event = queued(TrialData(message=sentence("webhooks.message")), time.time(), include_text=False)

    async def send() -> Attempt:
        sender = Sender(settings)
        try:
            return await sender.send(event.event_id, body_of(event.body, event.content))
        finally:
            await sender.close()

    attempt = asyncio.run(send())
    taken = attempt.verdict is DeliveryVerdict.DELIVERED
    if as_json:
        print_json(
            {
                "id": event.event_id,
                "taken": taken,
                "status": attempt.status,
                "seconds": round(attempt.seconds, 3),
                "problem": attempt.problem or None,
            }
        )
        if not taken:
            raise typer.Exit(EXIT_FAILED)
        return
    milliseconds = round(attempt.seconds * 1000)
    if attempt.status is None:
        problem = sentence("webhooks.no_answer", problem=attempt.problem, ms=milliseconds)
        raise CommandError(problem, code=EXIT_FAILED)
    if not taken:
        key = "webhooks.refused" if attempt.verdict is DeliveryVerdict.REFUSED else "webhooks.later"
        problem = sentence(key, status=attempt.status, ms=milliseconds)
        raise CommandError(problem, code=EXIT_FAILED)
    line = sentence("webhooks.taken", id=event.event_id, status=attempt.status, ms=milliseconds)
    console().print(plain(line), markup=False, soft_wrap=True)
