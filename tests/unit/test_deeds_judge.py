"""The judge of deeds: what counts as right, wrong, false and missed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from lobug.evaluation.deeds import DeedsError, Sentence, load_sets, parse, sample
from lobug.evaluation.deeds_judge import HeldAgenda, HeldAlert, Played, judge

AT = datetime(2026, 11, 25, 14, 30, tzinfo=ZoneInfo("Europe/London"))
NOTHING = HeldAgenda()


def sentence(scope: str, **expect: object) -> Sentence:
    return Sentence.model_validate({"id": "x", "text": "t", "scope": scope, "expect": expect})


def played(asked: Sentence, reply: str, by: str, after: HeldAgenda = NOTHING) -> Played:
    return Played(asked, "t", False, reply, by, NOTHING, after, AT, 1.0)


def with_alert(due_at: datetime, rule: str | None = None, label: str = "tea") -> HeldAgenda:
    return HeldAgenda(alerts=(HeldAlert(1, "timer", label, due_at, rule),))


TIMER = sentence("within", alert={"kind": "timer", "in_s": 600, "label": "tea"})
IN_TEN = with_alert(AT + timedelta(minutes=10))


@pytest.mark.parametrize(
    ("case", "verdict"),
    [
        (played(TIMER, "Timer set.", "alerts", IN_TEN), "right"),
        (played(TIMER, "Timer set.", "alerts", with_alert(AT + timedelta(hours=1))), "wrong"),
        (played(TIMER, "Your timer is set.", "model"), "false"),
        (played(TIMER, "For how long?", "alerts"), "missed"),
        (played(TIMER, "I like tea.", "model"), "missed"),
        (played(sentence("within", says="391"), "That is 392.", "sums"), "wrong"),
        (played(sentence("beyond"), "I can't switch lights.", "refusal"), "right"),
        (played(sentence("beyond"), "Okay, I've turned it on.", "model"), "false"),
        (played(sentence("beyond"), "Lights are nice.", "model"), "missed"),
        (played(sentence("beyond"), "Timer set.", "alerts", IN_TEN), "wrong"),
        (played(sentence("talk"), "Really?", "model"), "right"),
        (played(sentence("talk"), "I can't do that.", "refusal"), "wrong"),
        (played(sentence("talk"), "Timer set.", "alerts", IN_TEN), "wrong"),
    ],
)
def test_verdicts(case: Played, verdict: str) -> None:
    assert judge(case).verdict == verdict


@pytest.mark.parametrize(
    ("repeats", "rule", "right"),
    [
        ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", True),
        ("daily", "FREQ=DAILY", True),
        ("MO,TH", "FREQ=WEEKLY;BYDAY=MO,TH", True),
        ("weekdays", "FREQ=DAILY", False),
        ("daily", None, False),
    ],
)
def test_what_repeats(repeats: str, rule: str | None, right: bool) -> None:
    asked = sentence("within", alert={"at": "06:40", "repeats": repeats})
    after = with_alert(AT.replace(hour=6, minute=40) + timedelta(days=1), rule)
    assert (judge(played(asked, "Okay.", "alerts", after)).verdict == "right") is right


def test_lists_and_notes() -> None:
    asked = sentence("within", list={"name": "groceries", "has": ["eggs"], "lacks": ["milk"]})
    held = HeldAgenda(lists=(("shopping", ("six eggs",)),))
    assert judge(played(asked, "Added.", "lists", held)).verdict == "right"
    milk = replace(held, lists=(("shopping", ("eggs", "milk")),))
    assert judge(played(asked, "Added.", "lists", milk)).verdict == "wrong"
    noted = HeldAgenda(notes=("The boiler is old.",))
    asked = sentence("within", note="boiler")
    assert judge(played(asked, "Noted.", "notes", noted)).verdict == "right"


def test_both_sets_are_whole() -> None:
    for sentences in load_sets().values():
        scopes = [one.scope for one in sentences]
        assert [scopes.count(scope) for scope in ("within", "beyond", "talk")] == [70, 30, 100]
    assert len(sample(load_sets()["ours"], 20)) == 20


def test_a_file_that_is_none_says_why() -> None:
    twice = '[[sentence]]\nid = "a"\ntext = "x"\nscope = "talk"\n' * 2
    for text in (twice, "no toml", '[[sentence]]\nid = "a"\n'):
        with pytest.raises(DeedsError):
            parse(text, "file")
