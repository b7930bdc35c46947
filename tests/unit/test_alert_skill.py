"""The skill of alerts by a table of sentences, on a real agenda, with a clock that stands still."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from lobug.agenda.alerts import Alert
from lobug.agenda.service import Agenda
from lobug.conversation.registry import Conversations
from lobug.errors import AlertLimitError
from lobug.language.en.alert_reports import span_left
from lobug.language.en.alert_sentences import missed_sentence, ringing_sentence
from lobug.memory.model import ConversationKey
from lobug.settings import Settings
from lobug.settings.skills import SkillSettings
from lobug.skills.alerts import AlertSkill
from lobug.skills.registry import Skills
from support.scripted import ScriptedChatModel

_TABLES = [
    tomllib.loads((Path(__file__).parent / "data" / "skills" / name).read_text(encoding="utf-8"))
    for name in ("alerts.toml", "alert_stories.toml")
]
TABLE = {
    part: [one for table in _TABLES for one in table[part]] for part in ("sets", "none", "talks")
}
LONDON = ZoneInfo("Europe/London")
START = datetime(2026, 11, 25, 14, 30, tzinfo=LONDON)
USER = "ada"


class Talk:
    """A person who talks with the skill."""

    def __init__(self, folder: Path, *, most: int = 100) -> None:
        self.now = START
        self.agenda = Agenda(
            SkillSettings(max_alerts_per_person=most),
            folder / "agenda.db",
            clock=self.seconds,
        )
        self._skills = Skills(
            (AlertSkill(self.agenda.alerts, day_hour=9),),
            ScriptedChatModel(),
            clock=self.seconds,
            now=lambda _user: self.now,
        )
        self._conversation = Conversations(Settings(data_dir=folder)).get(
            ConversationKey(USER, "desk")
        )

    def seconds(self) -> float:
        """The time, seconds since the epoch."""
        return self.now.timestamp()

    async def say(self, text: str) -> str | None:
        """What Lo-Bug answers; None: it is not for the skill."""
        command = await self._skills.recognise(self._conversation, text, "en")
        return None if command is None else " ".join((await command.act(1)).sentences)

    async def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        await self.agenda.alerts.take_due(self.now.timestamp())

    async def start_anew(self) -> None:
        self.now = START
        self._conversation.dialogue.skill_question = None
        await self.agenda.alerts.delete_user(USER)

    async def alerts(self) -> list[Alert]:
        return sorted(await self.agenda.alerts.of_user(USER), key=lambda alert: alert.id)


def talking(
    folder: Path, scene: Callable[[Talk], Awaitable[list[str]]], *, most: int = 100
) -> list[str]:
    """Play a scene. Returns the failures that it found."""

    async def play() -> list[str]:
        talk = Talk(folder, most=most)
        await talk.agenda.start()
        try:
            return await scene(talk)
        finally:
            await talk.agenda.close()

    return asyncio.run(play())


def shown(alert: Alert) -> str:
    """An alert as the table writes it."""
    when = f"{datetime.fromtimestamp(alert.due_at, LONDON):%d %b %H:%M}"
    if alert.span_s is not None:
        when = str(round(alert.span_s))
    elif alert.rule is not None and "HOURLY" in alert.rule:
        when = str(round(alert.due_at - START.timestamp()))
    label = f"| {alert.label}" if alert.label else ""
    return " ".join(part for part in (alert.kind, when, alert.rule, label) if part)


def test_sentences_set_what_they_say(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> list[str]:
        failures = []
        for said, wanted in TABLE["sets"]:
            await talk.start_anew()
            reply = await talk.say(said)
            got = " + ".join(shown(alert) for alert in await talk.alerts())
            got = got or ("?" if (reply or "").endswith("?") else "nothing")
            if got != wanted:
                failures.append(f"{said}: {got} instead of {wanted}")
        return failures

    assert talking(tmp_path, scene) == []


def test_other_sentences_are_left_alone(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> list[str]:
        failures = []
        for said in TABLE["none"]:
            await talk.start_anew()
            reply = await talk.say(said)
            if reply is not None:
                failures.append(f"{said}: {reply}")
        return failures

    assert talking(tmp_path, scene) == []


def test_talks_end_as_they_should(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> list[str]:
        failures = []
        for one in TABLE["talks"]:
            await talk.start_anew()
            reply: str | None = ""
            for said in one["said"]:
                if said == "~":  # a turn about something else
                    await talk.say("I like trains.")
                elif said.startswith("+"):
                    await talk.wait(float(said[1:]))
                else:
                    reply = await talk.say(said)
            left = len(await talk.alerts())
            if not re.search(one["reply"], reply or "") or left != one["left"]:
                failures.append(f"{one['said']}: {reply} ({left} left)")
        return failures

    assert talking(tmp_path, scene) == []


def test_what_is_said_is_exact(tmp_path: Path) -> None:
    replies = {
        "Set a pasta timer for ten minutes": "Timer set: ten minutes, for pasta.",
        "Wake me at half past six": "Okay, I'll wake you tomorrow at 6:30 in the morning.",
        "Remind me tomorrow at nine to call my mum":
            "I'll remind you tomorrow at nine in the morning to call your mum.",
        "Set timers for five and ten minutes":
            "Two timers set: five minutes and ten minutes.",
    }  # fmt: skip

    async def scene(talk: Talk) -> list[str]:
        failures = []
        for said, wanted in replies.items():
            await talk.start_anew()
            reply = await talk.say(said)
            if reply != wanted:
                failures.append(f"{said}: {reply}")
        return failures

    assert talking(tmp_path, scene) == []


def test_nobody_gets_more_alerts_than_the_limit(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> list[str]:
        await talk.say("Set timers for one, two and three minutes")
        reply = await talk.say("Set a timer for ten minutes")
        alerts = await talk.alerts()
        assert reply == AlertLimitError.spoken
        assert len(alerts) == 3
        return []

    assert talking(tmp_path, scene, most=3) == []


def test_hostile_labels_stay_words(tmp_path: Path) -> None:
    async def scene(talk: Talk) -> list[str]:
        await talk.say("Remind me in ten minutes to {0} {label} \x1b[31m\n'; DROP TABLE alerts; --")
        await talk.say(f"Remind me in ten minutes to {'x' * 300}")
        labels = [alert.label for alert in await talk.alerts()]
        assert len(labels) == 2
        assert all(label.isprintable() and len(label) <= 200 for label in labels)
        assert "{0} {label}" in labels[0]
        return []

    assert talking(tmp_path, scene) == []


def alert(kind: str, label: str, due: datetime, span_s: float | None = None) -> Alert:
    return Alert(
        1, USER, "desk", kind, label, due.timestamp(), span_s, None, None, "Europe/London",  # type: ignore[arg-type]
        "ringing", None, False, due.timestamp() - 600,
    )  # fmt: skip


def test_what_rings_is_said() -> None:
    morning = datetime(2026, 11, 26, 6, 30, tzinfo=LONDON)
    said = {
        ("timer", "pasta"): "Your pasta timer is done.",
        ("timer", ""): "Your timer for ten minutes is done.",
        ("reminder", "to call my mum"): "Reminder: call your mum.",
        ("reminder", "that I have a meeting"): "Reminder: you have a meeting.",
        ("alarm", ""): "Good morning, it's 6:30.",
        ("alarm", "swimming"): "Good morning, it's 6:30. This is your swimming alarm.",
    }
    for (kind, label), sentence in said.items():
        rings = alert(kind, label, morning, 600 if kind == "timer" else None)
        assert ringing_sentence([rings], morning.timestamp()) == sentence
    both = [alert("timer", "pasta", morning), alert("timer", "egg", morning)]
    assert ringing_sentence(both, morning.timestamp()) == (
        "Your pasta timer is done. Your egg timer is done."
    )


def test_what_was_missed_is_said() -> None:
    due = datetime(2026, 11, 26, 9, 0, tzinfo=LONDON)
    missed = [alert("reminder", "to call my mum", due)]
    assert missed_sentence(missed, due.timestamp() + 60) == (
        "While I was off, your reminder to call your mum fell due at nine in the morning."
    )
    many = missed * 7
    assert missed_sentence(many, due.timestamp() + 90_000).endswith("and 2 more fell due.")
    assert "yesterday at nine" in missed_sentence(missed, due.timestamp() + 86_400)


def test_time_left_is_as_exact_as_one_says_it() -> None:
    assert [span_left(seconds) for seconds in (0.2, 59.6, 119, 354, 3590)] == [
        "one second",
        "one minute",
        "one minute and fifty-nine seconds",
        "five minutes and fifty seconds",
        "one hour",
    ]
