"""Answers to questions about oneself, and recitations, from claims."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from lobug.language.claims import USER, Asked, Claim, Path
from lobug.language.en.claims.answers import answer
from lobug.language.en.claims.questions import read_question
from lobug.language.en.claims.recitation import recite
from lobug.language.en.claims.wording import wording_book
from support.claims import data_lines

SISTER, DOG, PARENTS = ("user", "sister"), ("user", "dog"), ("user", "parents")
KEYS, APPOINTMENT = ("user", "keys"), ("user", "dentist appointment")
NAMES: dict[Path, str] = {SISTER: "Hanna", DOG: "Rex"}

OXFORD = Claim(USER, "home", "Oxford")
LONDON = Claim(USER, "home", "London")
SMOKES = Claim(USER, "smoking", "")
VEGETARIAN = Claim(USER, "diet", "vegetarian")
NUTS, CATS = Claim(USER, "allergy", "peanuts"), Claim(USER, "allergy", "cats")


def no(claim: Claim) -> Claim:
    return replace(claim, holds=False)


def told(
    question: str,
    *active: Claim,
    past: Sequence[tuple[Claim, str]] = (),
    names: dict[Path, str] | None = None,
) -> str:
    asked = read_question(question)
    assert asked is not None, question
    return answer(asked, active, past, NAMES if names is None else names)


@pytest.mark.parametrize(
    ("question", "claims", "expected"),
    [
        ("Where do I live?", (OXFORD,), "You live in Oxford."),
        ("Do I live in Oxford?", (OXFORD,), "Yes, you live in Oxford."),
        ("Do I live in London?", (OXFORD,), "No, you live in Oxford."),
        ("Do I smoke?", (SMOKES,), "Yes, you smoke."),
        ("Do I smoke?", (no(SMOKES),), "No, you don't smoke."),
        (
            "Do I smoke?",
            (replace(SMOKES, holds=False, ended=True),),
            "Not any more: you used to smoke.",
        ),
        ("What am I allergic to?", (NUTS, CATS), "You are allergic to peanuts and cats."),
        ("Am I allergic to cats?", (NUTS, CATS), "Yes, you are allergic to cats."),
        (
            "Am I allergic to milk?",
            (NUTS, CATS),
            "You haven't told me whether you are allergic to milk.",
        ),
        ("Am I allergic to cats?", (NUTS, no(CATS)), "No, you aren't allergic to cats."),
        ("What am I allergic to?", (no(NUTS), no(CATS)), "You aren't allergic to peanuts or cats."),
        ("Am I a vegan?", (VEGETARIAN,), "No, you are a vegetarian."),
        ("Do I have a dog?", (Claim(USER, "pet", "dog"),), "Yes, you have a dog called Rex."),
        (
            "Do I have a dog?",
            (Claim(USER, "pet", "brown dog"),),
            "Yes, you have a brown dog called Rex.",
        ),
        ("Do I have a cat?", (Claim(USER, "pet", "cat", holds=False),), "No, you have no cat."),
        (
            "Have I got any pets?",
            (Claim(USER, "pet", "dog"), Claim(USER, "pet", "two cats")),
            "Yes, you have a dog called Rex and two cats.",
        ),
        (
            "How many kids do I have?",
            (Claim(USER, "children_count", "two kids"),),
            "You have two kids.",
        ),
        ("What's my name?", (Claim(USER, "name", "Alex"),), "Your name is Alex."),
        ("Is my name Alex?", (Claim(USER, "name", "Alan"),), "No, your name is Alan."),
        (
            "What's my sister called?",
            (Claim(SISTER, "name", "Hanna"),),
            "Your sister is called Hanna.",
        ),
        (
            "Is Hanna my sister?",
            (Claim(SISTER, "name", "Hanna"),),
            "Yes, your sister is called Hanna.",
        ),
        (
            "Is Anna my sister?",
            (Claim(SISTER, "name", "Hanna"),),
            "No, your sister is called Hanna.",
        ),
        (
            "Where does my sister live?",
            (Claim(SISTER, "home", "Rome"),),
            "Your sister lives in Rome.",
        ),
        (
            "Where do my parents live?",
            (Claim(PARENTS, "home", "Bath"),),
            "Your parents live in Bath.",
        ),
        (
            "Where are my keys?",
            (Claim(KEYS, "location", "in the hall"),),
            "Your keys are in the hall.",
        ),
        (
            "When's my dentist appointment?",
            (Claim(APPOINTMENT, "takes_place", "Tuesday at five"),),
            "Your dentist appointment is on Tuesday at five.",
        ),
        (
            "What is my favourite color?",
            (Claim(USER, "favourite", "blue", kind="colour"),),
            "Your favourite colour is blue.",
        ),
        (
            "What do I like?",
            (
                Claim(USER, "like", "jazz"),
                Claim(USER, "like", "hiking"),
                Claim(USER, "like", "Italian food"),
            ),
            "You like jazz, hiking and Italian food.",
        ),
        (
            "Am I moving to Paris?",
            (Claim(USER, "home", "Paris", planned=True),),
            "Not yet: you will move to Paris.",
        ),
        (
            "Where do I live?",
            (Claim(USER, "home", "Paris", planned=True), OXFORD),
            "You live in Oxford.",
        ),
        ("Is Rex still alive?", (Claim(("rex",), "dead", ""),), "No, Rex has died."),
        ("Is Rex dead?", (Claim(("rex",), "dead", ""),), "Yes, Rex has died."),
        ("Is Rex alive?", (Claim(("rex",), "dead", "", holds=False),), "Yes, Rex is alive."),
        ("Do I have a job?", (Claim(USER, "job", "", holds=False),), "No, you have no job."),
        (
            "Do I have any siblings?",
            (Claim(USER, "relative", "sister"),),
            "Yes, you have a sister called Hanna.",
        ),
        ("Am I married?", (Claim(USER, "partner", "Mia"),), "You are together with Mia."),
        ("Am I married?", (Claim(USER, "marital_status", "divorced"),), "No, you are divorced."),
        (
            "Where did I grow up?",
            (Claim(USER, "grew_up", "Kent", past=True),),
            "You grew up in Kent.",
        ),
        ("Where was I born?", (Claim(USER, "origin", "Porto", past=True),), "You come from Porto."),
        (
            "Who did I lend my drill to?",
            (Claim(("user", "drill"), "lent", "Tom"),),
            "You have lent your drill to Tom.",
        ),
        (
            "How old am I?",
            (Claim(USER, "age", "34"), Claim(USER, "age", "thirty-five")),
            "You are thirty-five years old.",
        ),
        ("Where do I live?", (OXFORD, replace(OXFORD, value="Bath")), "You live in Bath."),
        (
            "Do I like jazz?",
            (Claim(USER, "like", "jazz"), Claim(USER, "like", "jazz", holds=False)),
            "No, you don't like jazz.",
        ),
        (
            "Did I use to live in Paris?",
            (Claim(USER, "home", "Paris", past=True),),
            "Yes, you lived in Paris.",
        ),
        (
            "Where did I live before?",
            (OXFORD, Claim(USER, "home", "Paris", past=True)),
            "You lived in Paris.",
        ),
        ("Have I ever lived in Oxford?", (OXFORD,), "Yes, and it is still so: you live in Oxford."),
    ],
)
def test_an_answer_is_what_memory_holds(
    question: str, claims: tuple[Claim, ...], expected: str
) -> None:
    assert told(question, *claims) == expected


@pytest.mark.parametrize(
    ("question", "active", "past", "when", "expected"),
    [
        ("Where do I live?", (), LONDON, "in May", "Not any more: you lived in London until May."),
        ("Where do I live?", (), LONDON, "", "Not any more: you used to live in London."),
        (
            "Do I live in London?",
            (OXFORD,),
            LONDON,
            "in May",
            "Not any more: you live in Oxford now.",
        ),
        (
            "Do I live in London?",
            (),
            LONDON,
            "in May",
            "Not any more: you lived in London until May.",
        ),
        ("Where do I live?", (OXFORD,), LONDON, "in May", "You live in Oxford."),
        ("Where did I live before?", (OXFORD,), LONDON, "in May", "You lived in London until May."),
        ("Where did I live before?", (OXFORD,), LONDON, "", "You lived in London."),
        (
            "Did I live in London before?",
            (OXFORD,),
            LONDON,
            "last year",
            "Yes, you lived in London until last year.",
        ),
        ("Do I smoke?", (), SMOKES, "in May", "Not any more: you smoked until May."),
        ("Do I still smoke?", (), SMOKES, "yesterday", "Not any more: you smoked until yesterday."),
        (
            "Am I still a vegetarian?",
            (),
            VEGETARIAN,
            "last week",
            "Not any more: you were a vegetarian until last week.",
        ),
        (
            "What was my old job?",
            (),
            Claim(USER, "job", "nurse"),
            "in 2019",
            "You worked as a nurse until 2019.",
        ),
        (
            "Was I born in Porto?",
            (Claim(USER, "origin", "Faro"),),
            Claim(USER, "origin", "Porto"),
            "",
            "No, you come from Faro.",
        ),
    ],
)
def test_what_is_over_is_not_any_more(
    question: str, active: tuple[Claim, ...], past: Claim, when: str, expected: str
) -> None:
    assert told(question, *active, past=((past, when),)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where do I live?", "You haven't told me where you live."),
        ("Do I smoke?", "You haven't told me whether you smoke."),
        ("What's my name?", "You haven't told me your name."),
        ("What's my mother's name?", "You haven't told me what your mother is called."),
        ("Do I have a cat?", "You haven't told me whether you have a cat."),
        ("Do I like jazz?", "You haven't told me whether you like jazz."),
        ("Where did I live before?", "You haven't told me where you lived before."),
        ("Where are my keys?", "You haven't told me where your keys are."),
        ("How old is Tom?", "You haven't told me how old Tom is."),
        ("Do my parents smoke?", "You haven't told me whether your parents smoke."),
        ("Who is Tom?", "You have never told me of a Tom."),
        ("Who is Anna?", "You have never told me of an Anna."),
        ("Who are my parents?", "You haven't told me anything about your parents."),
    ],
)
def test_what_was_never_told_is_not_invented(question: str, expected: str) -> None:
    assert told(question) == expected


def test_somebody_known_by_name_only_is_told() -> None:
    assert told("Do I have a dog?") == "Yes, a dog called Rex."
    assert told("Have I got any pets?") == "Yes, a dog called Rex."
    assert told("Do I have a sister?") == "Yes, a sister called Hanna."
    assert told("How many siblings do I have?") == "You have a sister called Hanna."
    assert told("Do I have an older sister?").startswith("You haven't told me")
    assert told("Who is Hanna?") == "Hanna is your sister."


@pytest.mark.parametrize(
    ("question", "claims", "expected"),
    [
        ("Do I like spinach?", (("dislike", "spinach"),), "No, you dislike spinach."),
        ("Do I hate jazz?", (("like", "jazz"),), "No, you like jazz."),
        ("Do I hate jazz?", (("like", "rock"),), "You haven't told me whether you dislike jazz."),
        (
            "Do I like pizza?",
            (("drink_habit", "tea"),),
            "You haven't told me whether you like pizza.",
        ),
        ("Do I like tennis?", (("sport", "tennis"),), "You play tennis."),
        ("Do I speak Dutch?", (("learning", "Dutch"),), "You are learning Dutch."),
        (
            "What languages do I speak?",
            (("native_language", "Polish"),),
            "Your native language is Polish.",
        ),
        (
            "What are my hobbies?",
            (("sport", "tennis"), ("instrument", "piano")),
            "You play tennis and you play the piano.",
        ),
        ("Where am I from?", (("nationality", "Italian"),), "You are Italian."),
        ("How old am I?", (("birth_year", "1990"),), "You were born in 1990."),
        ("Where do I work?", (("retired", "retired"),), "You are retired."),
        (
            "Do I have a brother?",
            (("siblings_count", "two brothers"),),
            "Yes, you have two brothers.",
        ),
        (
            "Do I have a sister?",
            (("siblings_count", "two brothers"),),
            "You haven't told me whether you have a sister. You have two brothers.",
        ),
        (
            "Have I any brothers?",
            (("siblings_count", "only child"),),
            "No, you are an only child.",
        ),
        (
            "Do I have a daughter?",
            (("siblings_count", "two brothers"),),
            "You haven't told me whether you have a daughter.",
        ),
        (
            "Do I have kids?",
            (("relative", "son"), ("relative", "daughter")),
            "Yes, you have a son and a daughter.",
        ),
        (
            "Do I have kids?",
            (("relative", "sister"),),
            "You haven't told me whether you have children.",
        ),
        ("Do I have a girlfriend?", (("partner", "Mia"),), "You are together with Mia."),
    ],
)
def test_other_relations_answer_too(
    question: str, claims: tuple[tuple[str, str], ...], expected: str
) -> None:
    told_of = [Claim(USER, relation, value) for relation, value in claims]
    assert told(question, *told_of, names={}) == expected


def test_what_denies_all_denies_one() -> None:
    assert told("Do I have a dog?", Claim(USER, "pet", "", holds=False)) == "No, you have no pets."
    no_siblings = Claim(USER, "siblings_count", "", holds=False)
    assert told("Do I have a brother?", no_siblings) == "No, you have no siblings."
    dislikes = Claim(USER, "like", "coffee", holds=False)
    assert told("What don't I like?", dislikes) == "You don't like coffee."


def test_a_partner_is_known_by_name() -> None:
    names: dict[Path, str] = {("user", "wife"): "Mia"}
    assert told("Am I married?", names=names) == "Yes, Mia is your wife."
    assert told("Who am I married to?", names=names) == "Mia is your wife."
    assert told("Am I single?", names=names) == "You haven't told me whether you are single."


def test_several_of_one_kind_are_all_told() -> None:
    child = ("user", "child")
    names = [Claim(child, "name", name, appositive=True) for name in ("Ben", "Lena")]
    assert told("What are my kids called?", *names) == "Your children are called Ben and Lena."
    sisters = [Claim(SISTER, "name", name, appositive=True) for name in ("Mia", "Hanna")]
    assert told("What is my sister called?", *sisters) == "Your sisters are called Mia and Hanna."


def test_a_plan_is_told_with_its_time() -> None:
    move = Claim(USER, "home", "Paris", planned=True, time=("in June",))
    assert told("Am I moving to Paris?", move) == "Not yet: you will move to Paris in June."
    trip = Claim(USER, "trip", "Rome", planned=True, time=("in June",))
    assert told("Am I going to Rome?", trip) == "Yes, you will go to Rome in June."


def test_who_somebody_is() -> None:
    claims = (Claim(SISTER, "job", "nurse"), Claim(SISTER, "home", "Rome"))
    expected = "Hanna is your sister. She lives in Rome. She works as a nurse."
    assert told("Who is Hanna?", *claims, Claim(SISTER, "name", "Hanna")) == expected
    friend = Claim(("tom",), "home", "Kent"), Claim(("tom",), "job", "baker")
    assert told("Who is Tom?", *friend) == "Tom lives in Kent. Tom works as a baker."
    many = [Claim(SISTER, relation, "x") for relation in ("home", "job", "car", "like")]
    assert told("Who is Hanna?", *many).count(".") == 3


def test_a_recitation_begins_with_the_user_and_contradicts_nothing() -> None:
    claims = [
        Claim(USER, "like", "jazz"),
        Claim(SISTER, "home", "Rome"),
        Claim(USER, "home", "Oxford"),
        Claim(("tom",), "home", "Kent"),
        Claim(USER, "like", "hiking"),
        Claim(DOG, "kind", "labrador"),
        Claim(DOG, "name", "Rex"),
        Claim(USER, "name", "Alex"),
        Claim(USER, "home", "Oxford", holds=False, ended=True),
        Claim(USER, "home", "Bath"),
        Claim(USER, "pet", "dog"),
        Claim(SISTER, "job", "nurse"),
        Claim(SISTER, "name", "Hanna"),
        Claim(USER, "smoking", "", holds=False),
        Claim(USER, "home", "Paris", planned=True, time=("in June",)),
        Claim(USER, "like", "Italian food"),
        Claim(("user", "cat"), "name", "Minka"),
    ]
    assert recite(claims, {**NAMES, ("user", "cat"): "Minka"}) == (
        "Your name is Alex.",
        "You live in Bath.",
        "Your sister is called Hanna.",
        "You have a dog called Rex.",
        "You don't smoke.",
        "You like jazz, hiking and Italian food.",
        "You will move to Paris in June.",
        "Your sister Hanna lives in Rome.",
        "She works as a nurse.",
        "Your dog Rex is a labrador.",
        "Your cat is called Minka.",
        "Tom lives in Kent.",
    )
    assert recite([], {}) == ()


def test_a_recitation_tells_the_names_of_the_family_before_the_rest() -> None:
    claims = [
        Claim(USER, "collection", "stamps"),
        Claim(("user", "daughter"), "name", "Petra", appositive=True),
        Claim(USER, "job", "postman"),
        Claim(("user", "husband"), "name", "Gunnar"),
        Claim(("user", "daughter"), "name", "Ida", appositive=True),
        Claim(USER, "relative", "daughter"),
        Claim(USER, "home", "Poole", planned=True),
        Claim(USER, "home", "Tromso"),
        Claim(USER, "name", "Solveig"),
    ]
    assert recite(claims, {("user", "daughter"): "Ida", ("user", "husband"): "Gunnar"}) == (
        "Your name is Solveig.",
        "You live in Tromso.",
        "Your husband is called Gunnar and your daughters are called Petra and Ida.",
        "You work as a postman.",
        "You collect stamps.",
        "You will move to Poole.",
    )


def test_a_recitation_says_nothing_twice() -> None:
    father, child = ("user", "father"), ("user", "child")
    claims = [
        Claim(father, "employer", "", holds=False, ended=True),
        Claim(father, "job", "", holds=False, ended=True),
        Claim(father, "retired", "retired"),
        Claim(child, "name", "Ben", appositive=True),
        Claim(child, "name", "Lena", appositive=True),
        Claim(("george",), "name", "George"),
        Claim(("george",), "dead", ""),
    ]
    assert recite(claims, {child: "Lena", ("george",): "George"}) == (
        "Your children are called Ben and Lena.",
        "Your father is retired.",
        "George has died.",
    )


# ---- whatever memory holds -------------------------------------------------------------------

VALUES = "Zanzibar Quito Xanten Wuppertal Ouagadougou Popocatepetl".split()
SUBJECTS: list[Path] = [USER, SISTER, DOG, PARENTS, ("hanna",), ("user", "sister", "dog")]


def any_claim(choose: random.Random) -> Claim:
    relation = choose.choice(list(wording_book().wordings))
    return Claim(
        choose.choice(SUBJECTS),
        relation,
        choose.choice([*VALUES, ""]),
        kind=choose.choice(["", "colour"]),
        holds=choose.random() < 0.7,
        ended=choose.random() < 0.2,
        past=choose.random() < 0.2,
        planned=choose.random() < 0.2,
        time=choose.choice([(), ("since 2019",), ("in June",), ("last week",)]),
    )


@pytest.mark.parametrize("seed", range(20))
def test_an_answer_has_only_values_of_its_claims(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(100):
        claims = [any_claim(choose) for _ in range(choose.randint(0, 4))]
        past = [(any_claim(choose), choose.choice(["", "in May"])) for _ in range(2)]
        relation = choose.choice([*[claim.relation for claim in claims], "home", "like"])
        value = choose.choice([None, "", "Quito"])
        asked = Asked(choose.choice(SUBJECTS), relation, "", value, choose.random() < 0.3)
        said = answer(asked, claims, past, NAMES)
        allowed = {claim.value for claim in [*claims, *(claim for claim, _ in past)]} | {value}
        assert {name for name in VALUES if name in said} <= allowed
        assert re.fullmatch(r"[A-Z][^{}\[\]]*\.", said)
        assert "  " not in said


@pytest.mark.parametrize("seed", range(20))
def test_a_recitation_never_contradicts_itself(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(30):
        claims = [any_claim(choose) for _ in range(12)]
        sentences = recite(claims, NAMES)
        assert len(set(sentences)) == len(sentences)
        assert all(re.fullmatch(r"[A-Z][^{}\[\]]*\.", sentence) for sentence in sentences)
        homes = [Claim(USER, "home", value) for value in choose.sample(VALUES, 3)]
        assert recite(homes, {}) == (f"You live in {homes[-1].value}.",)


def test_every_question_of_the_file_has_an_answer() -> None:
    for line in data_lines("claim_questions.txt"):
        if "| anyone |" in line:
            continue  # "who plays the cello?" asks the world where nobody is known
        said = told(line.split("|")[0], names={})
        assert re.match(r"You (?:haven't|have never) told me ", said), line
