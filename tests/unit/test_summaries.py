"""A summary by rule holds the user's own sentences, and nothing that they put right."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.summaries import (
    MAX_CHARS,
    part_of,
    sentences_of,
    shortened,
    summary_of,
    tellings,
    without,
)
from lobug.language.en.utterances import Utterance, Wrong


def dialogue(text: str) -> list[Utterance]:
    """One message a line: "U: ..." of the user, "L: ..." of Lo-Bug, "Anna: ..." of a speaker."""
    found = []
    for line in text.strip().splitlines():
        who, _, content = line.strip().partition(": ")
        if who == "L":
            found.append(Utterance("assistant", content))
        else:
            found.append(Utterance("user", content, None if who == "U" else who))
    return found


STATED = [
    ("U: Rex died.\nL: Oh no.", 'The user said: "Rex died."'),
    ("U: I'd like to go to Japan next year.", "The user would like to go to Japan next year."),
    ("U: My sister is called Hanna.", "The user's sister is called Hanna."),
    (
        "U: my name is tom and i live in rome",
        "The user's name is tom and the user lives in rome.",
    ),
    ("U: I'm not a vegetarian any more.", "The user is not a vegetarian any more."),
    (
        "U: Remember that my dentist appointment is on the third of May at ten.",
        "The user's dentist appointment is on the third of May at ten.",
    ),
    (
        "U: Yesterday I bought a bike, and my sister and I rode to the lake.",
        ("Yesterday the user bought a bike, and the user's sister and the user rode to the lake."),
    ),
    (
        """U: I didn't have any fun living in Bristol.
        L: I'm sorry to hear that. Did you have friends there?
        U: No.
        U: I moved to Leeds in May with my wife Carla.""",
        (
            "The user didn't have any fun living in Bristol. The user moved to Leeds in May with"
            " the user's wife Carla."
        ),
    ),
    (
        """U: My daughter Lena has her first day of school on Monday. She is six.
        L: How sweet.""",
        "The user's daughter Lena has her first day of school on Monday. She is six.",
    ),
    ("U: The capital of France is Paris.", "The user said: The capital of France is Paris."),
    ("U: I've decided not to go to Ghana.", "The user has decided not to go to Ghana."),
    (
        "U: Yesterday I rang the bell of Ely.",
        "Yesterday the user rang the bell of Ely.",
    ),
    ("U: I told you that my cat is ill.", "The user's cat is ill."),
    (
        "U: My name is Alex, what is yours?\nL: I am Lo-Bug.",
        "The user's name is Alex.",
    ),
]


@pytest.mark.parametrize(("said", "summary"), STATED)
def test_statements_are_told_in_the_third_person(said: str, summary: str) -> None:
    assert summary_of(dialogue(said)) == summary


PUT_RIGHT = [
    (
        "U: My sister is called Hanna.\nL: Nice!\nU: No, Johanna.",
        "sister is called Johanna",
        "Hanna.",
    ),
    ("U: I work at Siemens.\nL: Okay.\nU: Sorry, I meant Bosch.", "works at Bosch", "Siemens"),
    ("U: I'm thirty-four.\nL: Okay.\nU: That's wrong, I'm thirty-five.", "is thirty-five", "four"),
    ("U: I live in London.\nU: Actually, I live in Oxford.", "lives in Oxford", "London"),
    ("U: I was born in 1932.\nL: Wow.\nU: No, in 1933.", "was born in 1933", "1932"),
    (
        "U: My train leaves on Friday.\nL: Okay.\nU: It leaves on Saturday.",
        "leaves on Saturday",
        "Friday",
    ),
    (
        "U: My train leaves on Friday at nine.\nL: Okay.\nU: No wait, Saturday.",
        "Saturday at nine",
        "Friday",
    ),
    ("U: My boss is Karl.\nL: Is he nice?\nU: Not Karl, Carlo.", "boss is Carlo", "Karl"),
    ("U: My appointment is on Tuesday. Wait, no, it's on Wednesday.", "is on Wednesday", "Tuesday"),
    ("U: I'm a nurse, not a doctor.", "is a nurse", "doctor"),
    ("U: My favourite colour is blue. Just kidding.\nU: I love Mozart.", "loves Mozart", "blue"),
    (
        "U: I have a blue Volvo.\nL: Fine.\nU: I sold the Volvo in March.",
        "sold the Volvo in March",
        "has a",
    ),
    ("U: Mia is my girlfriend.\nL: Nice.\nU: I broke up with Mia.", "broke up with Mia", "is the"),
    (
        "U: My sister is Anna.\nL: Ok.\nU: Anna isn't my sister, she's my cousin.",
        "cousin",
        "is Anna",
    ),
    ("U: I have a dog called Rex.\nL: Cute.\nU: Rex died last week.", "Rex died last week", "has"),
    (
        "U: I've got a hospital appointment on the 9th.\nU: They've moved it to the 16th.",
        "appointment on the 16th",
        "9th",
    ),
    ("U: I live in Hull.\nU: My cat Tiger is ill.\nU: Tiger's better now.", "in Hull", "ill"),
    ("U: I live in Hull.\nU: I made a mistake, I live in Bath.", "lives in Bath", "Hull"),
]


@pytest.mark.parametrize(("said", "right", "wrong"), PUT_RIGHT)
def test_only_the_right_half_of_a_correction_is_told(said: str, right: str, wrong: str) -> None:
    found = summary_of(dialogue(said))
    assert right in found
    assert wrong not in found


def test_what_was_taken_back_without_a_right_version_is_not_told() -> None:
    assert summary_of(dialogue("U: I live in Rome.\nL: Nice.\nU: Scratch that.")) == (
        "The user took back what they had said."
    )


def test_a_no_to_a_question_corrects_nothing() -> None:
    found = summary_of(
        dialogue(
            """U: On the ninth of October I fly to Madeira with my aunt Zelda.
            L: Shall I remind you?
            U: No, thanks."""
        )
    )
    assert found == "On the ninth of October the user flies to Madeira with the user's aunt Zelda."


ASKED = [
    ("U: What's the weather in Rome?\nL: Sunny.", "The user asked about the weather in Rome."),
    (
        "U: Tell me about black holes.\nL: They are dense.",
        "The user asked about black holes.",
    ),
    (
        "U: Tell me a joke.\nL: No.\nU: Play some jazz, please.",
        "The user asked Lo-Bug to tell the user a joke. The user asked Lo-Bug to play some jazz.",
    ),
    ("U: Do I have a dog?\nL: Yes.", 'The user asked: "Do I have a dog?"'),
    ("U: Hello there!\nL: Hi, how are you?", 'The user said: "Hello there!"'),
    ("U: She lives in Rome.\nL: Who?", 'The user said: "She lives in Rome."'),
    ("U: If I win the lottery I will buy a house.", "lottery"),
]


@pytest.mark.parametrize(("said", "summary"), ASKED)
def test_where_nothing_was_stated_the_questions_and_orders_are_told(
    said: str, summary: str
) -> None:
    assert summary in summary_of(dialogue(said))


@pytest.mark.parametrize(
    "said",
    [
        "I agree with that.",
        "Been there for years.",
        "Since I was seventeen or so.",
        "Anna, I am off to work.",
        "I'll call you at six, Anna.",
        "Together we can change the world.",
        "It breaks my heart that our kids suffer.",
        "I believe in us.",
        "I told her about it.",
        "A car hit my bike but everyone is okay.",
        "You and I are friends.",
    ],
)
def test_what_does_not_stand_alone_is_left_out(said: str) -> None:
    assert summary_of(dialogue(f"U: {said}\nU: My sister is called Ruth.")) == (
        "The user's sister is called Ruth."
    )


def test_what_lo_bug_said_is_not_told() -> None:
    found = summary_of(dialogue("U: I like figs.\nL: You live in Paris and have a cat."))
    assert found == "The user likes figs."


def test_speakers_keep_their_names_and_nobody_corrects_another() -> None:
    found = summary_of(
        dialogue(
            """Anna: My dog is called Rex.
            Tom: No, my dog is called Bello.
            Anna: I start at Bosch in May, and you know that."""
        )
    )
    assert found == "Anna's dog is called Rex. Tom's dog is called Bello."


@pytest.mark.parametrize(
    "said",
    ["Ich wohne in Berlin und habe einen Hund.", "Vivo en Roma con mi hermana.", "我住在北京。"],
)
def test_another_language_has_no_summary_by_rule(said: str) -> None:
    assert summary_of([Utterance("user", said), Utterance("assistant", said)]) == ""


def test_of_many_statements_those_with_names_and_numbers_are_told_in_their_order() -> None:
    found = summary_of(
        dialogue(
            "\n".join(
                [
                    "U: My brother Henrik works at Bosch.",
                    *(f"U: I like {thing} a lot." for thing in ("tea", "rain", "jazz", "snow")),
                    "U: My wife Carla was born on the fourth of June 1980.",
                    "U: We moved to Leeds in May 2019.",
                ]
            )
        )
    )
    assert found.startswith("The user's brother Henrik works at Bosch. The user likes")
    assert found.endswith(
        "The user's wife Carla was born on the fourth of June 1980. The user said: \"We moved to"
        ' Leeds in May 2019."'
    )
    assert found.count(". ") == 4


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=200)), max_size=12)
)
def test_a_summary_is_short_and_any_text_is_taken(turns: list[tuple[str, str]]) -> None:
    utterances = [
        Utterance("user" if role == "user" else "assistant", text) for role, text in turns
    ]
    assert len(summary_of(utterances)) <= MAX_CHARS


@pytest.mark.parametrize(
    ("fact", "part"),
    [
        ("The user's sister lives in Rome", "sist"),
        ("The user is thirty-four years old", ""),
        ("The user has a cat", ""),
    ],
)
def test_the_letters_that_every_telling_of_a_fact_has(fact: str, part: str) -> None:
    assert part_of(fact) == part


@pytest.mark.parametrize(
    ("summary", "wrong", "instead", "kept"),
    [
        (
            "The user keeps bees. The user likes tea.",
            "The user keeps bees",
            "",
            "The user likes tea.",
        ),
        ("The user doesn't smoke.", "The user smokes", "", "The user doesn't smoke."),
        ("The user keeps bees.", "The user keeps bees", "", ""),
        ("The user is thirty-four.", "The user is 34 years old", "", ""),
        (
            "The user moved from Bath to Leeds.",
            "The user moved to Bath",
            "The user moved to Leeds",
            "The user moved from Bath to Leeds.",
        ),
    ],
)
def test_what_is_not_believed_any_more_is_taken_out(
    summary: str, wrong: str, instead: str, kept: str
) -> None:
    assert without(summary, wrong, instead) == (kept, kept != summary)


def test_summaries_are_shortened_to_what_tells_most_and_the_later_of_two_that_contradict() -> None:
    summaries = [
        "The user's name is Ada. The user likes tea.",
        "The user is thirty-four years old. The user's brother Henrik works at Bosch.",
        "The user is thirty-five years old. The user's name is Ada.",
    ]
    found = shortened(summaries, 110)
    assert found == (
        "The user's brother Henrik works at Bosch. The user is thirty-five years old. The user's"
        " name is Ada."
    )
    assert len(shortened(summaries, 60)) <= 60


QUOTED = [
    ("We're moving in May.", 'The user said: "We\'re moving in May."'),
    (
        "Our neighbours told us on Tuesday that a baby is coming.",
        'The user said: "Our neighbours told us on Tuesday that a baby is coming."',
    ),
    (
        "Mum says I should see a doctor about my knee.",
        'The user said: "Mum says I should see a doctor about my knee."',
    ),
    (
        "I talked to Priya and she was like I'm moving to Goa.",
        'The user said: "I talked to Priya and she was like I\'m moving to Goa."',
    ),
    (
        "Tom texted me: I can't come on Saturday.",
        'The user said: "Tom texted me: I can\'t come on Saturday."',
    ),
    (
        "My liver's fine, the doctor said.",
        'The user said: "My liver\'s fine, the doctor said."',
    ),
    (
        'Greg said "I am never drinking again" at the Red Lion.',
        "The user said: \"Greg said 'I am never drinking again' at the Red Lion.\"",
    ),
    (
        "I dreamt I was married to Brad Pitt.",
        'The user said: "I dreamt I was married to Brad Pitt."',
    ),
    (
        "I'm a vegan from Ulm. Well, mostly.",
        'The user said: "I\'m a vegan from Ulm, well, mostly."',
    ),
    ("I'm a scratch golfer. Well, I was.", 'said: "I\'m a scratch golfer, well, I was."'),
    (
        "I said to my wife we should sell up.",
        'The user said: "I said to my wife we should sell up."',
    ),
    (
        "My grandmother was a spy. So the story goes, anyway.",
        'The user said: "My grandmother was a spy, so the story goes, anyway."',
    ),
]


@pytest.mark.parametrize(("said", "summary"), QUOTED)
def test_what_the_third_person_may_make_false_is_quoted(said: str, summary: str) -> None:
    assert summary in summary_of(dialogue(f"U: {said}"))
    assert "The user is moving" not in summary_of(dialogue(f"U: {said}"))


@pytest.mark.parametrize(
    "said",
    [
        "I told my boss that I'm ill.",
        "I said I'd bring my tent.",
        "My dentist told me to floss.",
        "My dog is called Rex and I love him.",
        "My uncle lives in the US.",
    ],
)
def test_the_users_own_words_and_thoughts_are_not_quoted(said: str) -> None:
    assert '"' not in summary_of(dialogue(f"U: {said}\nU: My sister is called Ruth."))


@pytest.mark.parametrize(
    "said",
    [
        "I live in Derby, don't I?",
        "I told you about my cousin Frank, right?",
        "I have eleven pairs.",
        "The last one died in Bath.",
        "I have one with a picture of Elvis.",
        "The same happened to my dad.",
        "So does my son.",
        "My brother says don't.",
        "Mine was ruder than Karen's.",
        "In the book I'm Hagrid.",
        "I'm a millionaire, haha.",
        "I hate Mondays, said every person ever.",
        "If I win the lottery I'll buy Malta.",
    ],
)
def test_what_states_nothing_or_leans_on_other_words_is_left_out(said: str) -> None:
    assert summary_of(dialogue(f"U: {said}\nU: My sister is called Ruth.")) == (
        "The user's sister is called Ruth."
    )


def test_a_quotation_is_put_right_in_its_own_words() -> None:
    assert (
        summary_of(dialogue("U: We moved to Leeds in May.\nL: Nice.\nU: No, in June."))
        == 'The user said: "We moved to Leeds in June."'
    )


def test_a_value_puts_right_the_last_sentence_with_one_of_its_kind() -> None:
    found = summary_of(
        dialogue(
            """U: I'm flying to Boston on the 14th.
            U: My sister Ruth picks me up.
            U: Sorry, I meant the 15th."""
        )
    )
    assert found == (
        "The user is flying to Boston on the 15th. The user's sister Ruth picks the user up."
    )


def test_a_no_to_a_doubt_takes_back_what_was_said() -> None:
    found = summary_of(
        dialogue("U: I have a photographic memory.\nL: Really?\nU: No, I forget everything.")
    )
    assert found == "The user forgets everything."


def test_a_joke_to_lo_bug_that_is_taken_back_is_not_quoted() -> None:
    found = summary_of(dialogue("U: Lo-Bug, you're my only friend.\nU: Haha, I'm joking.\nU: Ok."))
    assert "friend" not in found


def test_a_question_is_no_order() -> None:
    assert summary_of(dialogue("U: Would you be scared?")) == (
        'The user asked: "Would you be scared?"'
    )


def test_what_memory_has_put_right_is_told_as_it_is_right() -> None:
    wrong = Wrong("The user's dog Rex is a poodle", ("poodle",))
    told = Utterance(
        "user",
        "My dog Rex is a poodle. I like figs.",
        wrong=(wrong,),
        believed=("The user's dog is called Rex", "The user likes figs"),
    )
    corrects = Utterance(
        "user",
        "That's wrong, Rex is a labrador.",
        believed=("The user's dog Rex is a labrador",),
        corrects=True,
    )
    assert summary_of([told, corrects]) == (
        "The user likes figs. The user's dog Rex is a labrador."
    )
    # The words that put it right are not among these: what is believed is told in their place.
    later = replace(told, wrong=(replace(wrong, instead="The user's dog Rex is a labrador"),))
    assert summary_of([later]) == "The user's dog Rex is a labrador. The user likes figs."


def test_a_correction_of_memory_leaves_the_sentence_before_it_alone() -> None:
    found = summary_of(
        [
            Utterance(
                "user", "I'm thirty-four.", wrong=(Wrong("The user is 34", ("thirty-four",)),)
            ),
            Utterance("user", "I am allergic to nuts."),
            Utterance(
                "user",
                "Sorry, thirty-five.",
                believed=("The user is thirty-five years old",),
                corrects=True,
            ),
        ]
    )
    assert found == "The user is allergic to nuts. The user is thirty-five years old."


def test_how_a_summary_may_tell_what_is_wrong_by_now() -> None:
    wrong = Wrong("The user's driving test is on Thursday", ("Thursday",))
    said = Utterance("user", "I've got my driving test on Thursday. I like figs.", wrong=(wrong,))
    assert "The user has got the user's driving test on Thursday." in tellings(said)
    assert not any("figs" in one for one in tellings(said))
    assert tellings(replace(said, wrong=())) == set()


def test_a_summary_is_cut_into_its_sentences_with_its_quotations() -> None:
    assert sentences_of('The user said: "We won!" The user likes tea. Tom said: Oslo is cold.') == [
        'The user said: "We won!"',
        "The user likes tea.",
        "Tom said: Oslo is cold.",
    ]
