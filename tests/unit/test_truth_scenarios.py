"""The truth scenarios themselves, and that hostile files of scenarios are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from lobug.evaluation.truth import (
    FOLDERS,
    KINDS,
    MAX_BYTES,
    Check,
    Say,
    Scenario,
    Settle,
    TruthError,
    load_scenarios,
    load_sets,
    parse_scenarios,
    read,
    sample,
)
from lobug.evaluation.truth_judge import Failure, Held, Reply, judge_held, judge_reply

OWN = load_scenarios()
OTHER = load_scenarios("other")
"""Only looked at and judged here: no test plays them on the product."""

GOOD = """
kind = "correct"
[patterns]
city = '\\b(?:Oxford|London)\\b'
[[scenario]]
id = "home"
pace = "burst"
steps = [
  { say = "I live in London.", after = "2 days" },
  { settle = true, after = "20 minutes" },
  { say = "Where do I live?", who = "ben", reply = ["{city}", "^.{2,40}$"], never = ["{no}"] },
  { believes = ["London"], disbelieves = ["{holds}Oxford"], no_bytes = ["Porto"] },
]
"""


def test_there_are_enough_of_every_kind() -> None:
    counted = Counter(scenario.kind for scenario in OWN)
    assert counted["correct"] >= 50
    assert counted["change"] >= 40
    assert counted["forget"] >= 35
    assert counted["ask"] >= 50
    assert counted["recite"] >= 15
    assert counted["summary"] >= 10
    assert set(counted) == set(KINDS)


def test_a_quarter_is_told_in_a_burst_and_a_sixth_as_speech_recognition_writes() -> None:
    bursts = [scenario for scenario in OWN if scenario.pace == "burst"]
    assert len(bursts) >= len(OWN) / 4
    bare = [
        scenario
        for scenario in OWN
        if all(word == word.lower() and word[-1].isalnum() for word in words(scenario))
    ]
    assert len(bare) >= len(OWN) / 6


def words(scenario: Scenario) -> list[str]:
    return [step.say for step in scenario.steps if isinstance(step, Say)]


def test_the_other_set_has_enough_of_every_kind_but_summaries() -> None:
    counted = Counter(scenario.kind for scenario in OTHER)
    assert counted == {
        "correct": 35,
        "change": 30,
        "forget": 30,
        "ask": 35,
        "recite": 10,
        "tell": 10,
    }
    bursts = [scenario for scenario in OTHER if scenario.pace == "burst"]
    assert len(bursts) == len(OTHER) / 2


def test_the_sets_are_read_together_and_ours_is_the_default() -> None:
    sets = load_sets()
    assert list(sets) == list(FOLDERS) == ["ours", "other"]
    assert sets["ours"] == OWN == load_scenarios("ours")
    assert sets["other"] == OTHER
    ids = [scenario.id for scenario in OWN + OTHER]
    assert len(ids) == len(set(ids))
    assert all(scenario.id.startswith("other-") for scenario in OTHER)


def test_the_same_id_in_both_sets_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lobug.evaluation.truth.FOLDERS", {"ours": "truth", "other": "truth"})
    with pytest.raises(TruthError, match="two scenarios are called"):
        load_sets()


def test_no_scenario_is_the_copy_of_another() -> None:
    told = Counter(tuple(words(scenario)) for scenario in OWN + OTHER)
    assert [said for said, times in told.items() if times > 1] == []


def judged_as(scenario: Scenario, reply: str | None) -> Iterator[Failure]:
    """The judge's findings about a Lo-Bug that has one ``reply`` to everything and keeps nothing;
    None: one that repeats and keeps all that anybody has said."""
    said: list[str] = []
    for number, step in enumerate(scenario.steps, start=1):
        if isinstance(step, Say):
            said.append(step.say)
            text = " ".join(f"Yes, {word}" for word in said) if reply is None else reply
            yield from judge_reply(number, step, Reply(text, 1.0, used_model=True))
        elif isinstance(step, Check):
            told = tuple(said) if reply is None else ()
            everything = "\n".join(told)
            held = Held(told, told, told, everything, everything.lower().encode())
            yield from judge_held(number, step, held)


@pytest.mark.parametrize("scenario", OWN + OTHER, ids=lambda scenario: scenario.id)
def test_every_scenario_can_fail(scenario: Scenario) -> None:
    """Repetition, indifference and ignorance do not all pass it."""
    lazy = (None, "Okay.", "You haven't told me.")
    assert [failure for reply in lazy for failure in judged_as(scenario, reply)]


RIGHT_AND_WRONG = [
    (
        "change-moved-from-to",
        3,
        [
            "You live in Oxford.",
            "Oxford.",
            "In Oxford",
            "You live in Oxford. Until last week you lived in London.",
            "Oxford; you moved from London last week.",
        ],
        [
            "You live in London.",
            "London.",
            "I live in Oxford, you in London.",
            "You haven't told me.",
        ],
    ),
    (
        "correct-age-thats-wrong",
        3,
        ["You're thirty-five.", "You are 35 years old.", "35, not 34.", "Thirty five."],
        ["You are thirty-four.", "You're 34 or 35.", "I am two years old."],
    ),
    (
        "correct-denial-only",
        3,
        ["No, you don't have a motorbike.", "No.", "You told me that you don\u2019t have one."],
        ["Yes, you have a motorbike.", "You have a motorbike."],
    ),
    (
        "change-broke-up",
        3,
        ["No, not any more: you broke up with Mia.", "Not any more. It was Mia.", "You don't."],
        ["Yes, Mia.", "Your girlfriend is Mia."],
    ),
    (
        "ask-unknown-name",
        1,
        [
            "You haven't told me your name.",
            "You have not told me your name yet.",
            "I don't know your name.",
            "You've never told me what your name is.",
            "You never mentioned your name.",
            "You didn't tell me.",
        ],
        ["My name is Lo-Bug.", "Lo-Bug!", "Your name is Alex."],
    ),
    (
        "recite-nothing-known",
        2,
        ["I don't know anything about you yet.", "You haven't told me anything yet."],
        ["You said hello and you like music."],
    ),
    (
        "forget-that-i-have-a-pet",
        2,
        ["Forgotten: your chinchilla.", "Okay, I have forgotten that.", "Done. That is gone."],
        ["I had nothing like that.", "Okay, I'll remember that."],
    ),
    (
        "forget-that-i-have-a-pet",
        4,
        ["You haven't told me.", "No.", "You haven't mentioned any pets."],
        ["Yes, a chinchilla.", "You have a chinchilla."],
    ),
    (
        "correct-vegetarian",
        3,
        ["Yes, you are a vegan.", "Yes."],
        ["No, you're a vegetarian.", "You haven't told me."],
    ),
    (
        "ask-negative-told",
        2,
        ["No, you don't smoke.", "You don't smoke."],
        ["Yes.", "You used to smoke, but not any more.", "You haven't told me."],
    ),
    (
        "ask-world-capital",
        1,
        ["Lima.", "The capital of Peru is Lima."],
        ["You haven't told me.", "You've never told me that."],
    ),
    (
        "correct-mother-name-ellipsis",
        3,
        ["Your mother is called Johanna.", "Johanna.", "Johanna, not Hanna."],
        ["Hanna.", "Her name is Hanna or Johanna.", "My mother is called Hanna."],
    ),
    (
        "other-correct-nephew",
        3,
        ["Your nephew is called Colin.", "Colin, not Callum."],
        ["Callum.", "Callum or Colin.", "You haven't told me."],
    ),
    (
        "other-change-phone",
        4,
        ["You have a Samsung now, the Nokia is broken.", "A Samsung."],
        ["Your phone is a Nokia.", "You have a Nokia and a Samsung.", "You haven't told me."],
    ),
    (
        "other-change-honda-sold",
        3,
        ["No, you sold the Honda.", "Not any more.", "You sold it two weeks ago."],
        ["Yes, a Honda.", "You have a Honda motorbike.", "You haven't told me."],
    ),
    (
        "other-forget-sisters-home-not-mine",
        5,
        ["You haven't told me.", "You asked me to forget that.", "I don't know."],
        ["In Galashiels.", "In Melrose."],
    ),
    (
        "other-ask-unknown-sister-married",
        2,
        ["You haven't told me.", "I don't know whether Gwen is married."],
        ["Yes.", "No, she isn't.", "Gwen is married."],
    ),
]


@pytest.mark.parametrize(
    ("scenario", "step", "right", "wrong"),
    RIGHT_AND_WRONG,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_right_answers_are_told_from_wrong_ones(
    scenario: str, step: int, right: list[str], wrong: list[str]
) -> None:
    asked = next(s for s in OWN + OTHER if s.id == scenario).steps[step - 1]
    assert isinstance(asked, Say)
    for text in right:
        assert judge_reply(step, asked, Reply(text, 1.0, used_model=False)) == [], text
    for text in wrong:
        assert judge_reply(step, asked, Reply(text, 1.0, used_model=False)), text


def test_a_good_file_is_read() -> None:
    (scenario,) = parse_scenarios(GOOD)
    told, settle, asked, check = scenario.steps
    assert isinstance(told, Say)
    assert told.after_s == 2 * 86_400
    assert isinstance(settle, Settle)
    assert settle.after_s == 1_200
    assert isinstance(asked, Say)
    assert [p.regex.pattern for p in asked.reply] == [r"\b(?:Oxford|London)\b", "^.{2,40}$"]
    assert asked.reply[0].source == "{city}"
    assert "no longer" in asked.never[0].regex.pattern
    assert isinstance(check, Check)
    assert (scenario.kind, scenario.pace, scenario.who) == ("correct", "burst", "ada")


@pytest.mark.parametrize(
    ("was", "becomes", "why"),
    [
        ('kind = "correct"', 'kind = "gossip"', "kind"),
        ('kind = "correct"', "", "kind"),
        ('pace = "burst"', 'pace = "slow"', "pace"),
        ('id = "home"', "", "id"),
        ('id = "home"', 'id = "Home at last"', "id"),
        ("steps = [", "stops = [", "stops"),
        ("settle = true", "settle = false", "settle"),
        ('after = "2 days"', 'after = "two days"', "not a duration"),
        ('after = "2 days"', 'after = "-2 days"', "not a duration"),
        ('who = "ben"', 'who = "Ben/../etc"', "who"),
        ('believes = ["London"]', 'believs = ["London"]', "believs"),
        ('believes = ["London"]', 'who = "eve"', "eve is checked and has said nothing"),
        ('["London"]', '["(London"]', "not a regular expression"),
        ('["London"]', '["London|"]', "matches the empty text"),
        ('["London"]', '[".*"]', "matches the empty text"),
        ('["London"]', '["{town}"]', "no pattern called town"),
        ('["London"]', f'["{"x" * 501}"]', "at most 500"),
        ('["London"]', "[" + '"x", ' * 21 + "]", "at most 20"),
        ('no_bytes = ["Porto"]', 'no_bytes = ["dog"]', "at least 5"),
        ('"I live in London."', '""', "at least 1"),
        ('"I live in London."', "7", "string"),
        ("[[scenario]]", "[[scenarios]]", "scenario"),
        ("[[scenario]]", "[scenario]", "scenario"),
        ("[patterns]", "[patterns", "not TOML"),
        ("city =", "City1 =", "patterns"),
    ],
)
def test_a_bad_file_is_refused_with_the_reason(was: str, becomes: str, why: str) -> None:
    assert was in GOOD
    with pytest.raises(TruthError, match=why):
        parse_scenarios(GOOD.replace(was, becomes, 1))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "scenario"),
        ('kind = "ask"\nscenario = []', "at least 1"),
        ("kind = 'ask'\n[[scenario]]\nid = 'a'\nsteps = []", "at least 1"),
        ("kind = 'ask'\n[[scenario]]\nid = 'a'\nsteps = [{ say = 'x' }]", "checks nothing"),
        ("kind = 'ask'\n[[scenario]]\nid = 'a'\nsteps = [{ who = 'b' }]", "'a'"),
        ("a = " + "[" * 5_000, "not TOML"),
        (GOOD + GOOD.split("[[scenario]]")[1].join(["[[scenario]]", ""]), "two scenarios"),
    ],
)
def test_files_without_scenarios(text: str, why: str) -> None:
    with pytest.raises(TruthError, match=why):
        parse_scenarios(text)


def test_the_scenario_that_is_wrong_is_named() -> None:
    with pytest.raises(TruthError, match="'home': steps"):
        parse_scenarios(GOOD.replace("settle = true", "settle = 2", 1))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for name, content, why in (
        ("latin.toml", b"kind = '\xe9'", "not UTF-8"),
        ("large.toml", b"#" * (MAX_BYTES + 1), "too large"),
        ("other.toml", b"{}", "other.toml holds no scenarios"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(TruthError, match=why):
            read(tmp_path / name)
    for path in (tmp_path, tmp_path / "absent.toml"):
        with pytest.raises(TruthError, match="cannot be read"):
            read(path)


def test_a_sample_is_spread_over_all() -> None:
    assert sample([OWN], None) == OWN
    assert sample([OWN[:5], OWN[5:]], len(OWN) + 1) == OWN
    some = sample([OWN], 30)
    assert len(some) == len({scenario.id for scenario in some}) == 30
    assert {scenario.kind for scenario in some} == set(KINDS)


def test_a_sample_has_of_each_set() -> None:
    asked = [scenario for scenario in OWN if scenario.kind == "ask"]
    some = sample([asked[:2], asked[2:]], 6)
    assert len(some) == 6
    assert some[:2] == asked[:2]  # the small set is used up, the other gives the rest
