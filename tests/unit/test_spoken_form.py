"""What the voice reads: numbers, dates, units and addresses in words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language import language_of
from lobug.language.en.spoken_form import spoken_form
from lobug.language.en.spoken_numbers import roman, written

CASES = [
    ("", ""),
    ("Hello, how are you?", "Hello, how are you?"),
    # Numbers.
    ("I have 5 apples and 1,250 pears.",
     "I have five apples and one thousand two hundred fifty pears."),
    ("Pi is 3.14, not -3.5.", "Pi is three point one four, not minus three point five."),
    ("Room 007.", "Room zero zero seven."),
    ("The 1st, 22nd and 101st.", "The first, twenty-second and one hundred first."),
    ("Number 1234567.", "Number one two three four five six seven."),
    ("It has 384,400 parts.", "It has three hundred eighty-four thousand four hundred parts."),
    ("Take #5 or No. 6.", "Take number five or number six."),
    ("10k steps, 1.5B words.", "ten thousand steps, one point five billion words."),
    ("Vitamin B12, H2O, ESP32.", "Vitamin B twelve, H two O, ESP thirty-two."),
    ("Call 555-1234.", "Call five five five, one two three four."),
    ("Dial 911, now!", "Dial nine one one, now!"),
    ("It is +1 555-123-4567.",
     "It is plus one, five five five, one two three, four five six seven."),
    # Years, dates and times.
    ("It was 1984.", "It was nineteen eighty-four."),
    ("In 2026 or in 1905.", "In twenty twenty-six or in nineteen oh five."),
    ("The 1980s and the '90s.", "The nineteen eighties and the nineties."),
    ("About 1984 people came.", "About one thousand nine hundred eighty-four people came."),
    ("1914-1918", "nineteen fourteen to nineteen eighteen"),
    ("On 2026-11-22.", "On November twenty-second, twenty twenty-six."),
    ("2026-11-22T09:05:00Z", "November twenty-second, twenty twenty-six at nine oh five UTC"),
    ("Nov 22, Nov. 22, 2026", "November twenty-second, November twenty-second, twenty twenty-six"),
    ("the 5th of May", "the fifth of May"),
    ("11/22/2026 and 22.11.2026",
     "November twenty-second, twenty twenty-six and November twenty-second, twenty twenty-six"),
    ("At 3:45 pm.", "At three forty-five PM."),
    ("At 3 p.m. we go. See you at 4 p.m.", "At three PM we go. See you at four PM."),
    ("7:05, 9:00, 15:30, 17:00, 0:00",
     "seven oh five, nine o'clock, fifteen thirty, seventeen hundred, midnight"),
    ("Open 9-11 am.", "Open nine to eleven AM."),
    # Quantities.
    ("$5.50, $1, $0.99, 20 €",
     "five dollars and fifty cents, one dollar, ninety-nine cents, twenty euros"),
    ("$5 million, $2.5k, $5-10",
     "five million dollars, two point five thousand dollars, five to ten dollars"),
    ("50% or 3-5 %", "fifty percent or three to five percent"),
    ("5 km, 1 kg, -3 °C", "five kilometers, one kilogram, minus three degrees Celsius"),
    ("10 km/h, 2 GB", "ten kilometers per hour, two gigabytes"),
    ("20 m², 60 mph, a 5-km run",
     "twenty square meters, sixty miles per hour, a five kilometer run"),
    ("He is 6'2\".", "He is six foot two."),
    ("In 10 min.", "In ten minutes."),
    ("1/2, 3/4, 2/3, 1 1/2, ½",
     "one half, three quarters, two thirds, one and a half, one half"),
    ("24/7", "twenty-four seven"),
    ("3-5 days, 3–5 days", "three to five days, three to five days"),
    ("5 * 3 * 2", "five times three times two"),
    ("7 - 2 is 5", "seven minus two is five"),
    ("6 / 2", "six divided by two"),
    ("2 + 2 = 4", "two plus two equals four"),
    ("well - known", "well - known"),
    ("E = mc²", "E equals mc squared"),
    # Addresses.
    ("See https://www.example.com/docs.", "See example dot com slash docs."),
    ("At example.org?", "At example dot org?"),
    ("https://a.io/x?id=3f8a", "a dot IO slash x"),
    ("https://example.com/" + "long/" * 10, "example dot com"),
    ("http://127.0.0.1:8000",
     "one hundred and twenty-seven dot zero dot zero dot one port eight thousand"),
    ("Write to a.b@example.com.", "Write to a dot b at example dot com."),
    ("Open main.py, v1.2.3", "Open main dot PY, version one point two point three"),
    ("Done.So I left.", "Done.So I left."),
    # Words.
    ("Dr. Smith met Mrs. Jones vs. Mr. Hall.", "Doctor Smith met Missus Jones versus Mister Hall."),
    ("Fruit, e.g. apples, cake etc.", "Fruit, for example apples, cake et cetera."),
    ("St. Mary on Main St.", "Saint Mary on Main Street."),
    ("R&D and AT&T", "R and D and AT and T"),
    ("C++ or C#", "C plus plus or C sharp"),
    ("World War II, Henry VIII, Chapter IV", "World War two, Henry the eighth, Chapter four"),
    ("I am type I.", "I am type I."),
    ("In the U.S. it is so.", "In the US it is so."),
    ("A USB cable from NASA.", "A USB cable from NASA."),
    ("Hello 😊! 👍🏽", "Hello!"),
    ("I think — well — maybe —", "I think, well, maybe,"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), CASES)
def test_english_is_read_as_a_person_would(text: str, said: str) -> None:
    assert spoken_form(text) == said


def test_other_languages_keep_their_numbers() -> None:
    assert language_of("de").spoken_form("Es ist 15:30 Uhr, 20 €. 😊") == "Es ist 15:30 Uhr, 20 €."


FRAGMENTS = st.sampled_from(
    [
        *"aIZ5 .!?,'\"-–—/:$€%#@&+=*°²½()_~",
        "1,250", "3.14", "1984", "2026-11-22", "Nov 22", "3:45 pm", " km", " km/h", "$5.50", "m²",
        "1/2", "22nd", "https://a.b/c", "a@b.co", "Dr. ", "e.g. ", "etc.", "World War II", "v1.2",
        "555-1234", "1980s", "6'2\"", "😊", " and ", "U.S.", "C#", "1e9", "٣", "Ⅷ", "①", "0.0.0.0",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(FRAGMENTS, max_size=25).map("".join))


@given(TEXTS, st.sampled_from(["en", "de"]))
def test_no_text_fails_and_none_that_has_letters_is_lost(text: str, language: str) -> None:
    said = language_of(language).spoken_form(text)
    if any(sign.isalpha() for sign in text):
        assert any(sign.isalpha() for sign in said)


@given(TEXTS)
def test_no_digit_is_left(text: str) -> None:
    assert not re.search("[0-9]", spoken_form(text))


@given(st.integers(-(10**20), 10**20))
def test_every_whole_number_is_words(number: int) -> None:
    assert re.fullmatch("[a-z -]+", spoken_form(str(number)))


@given(st.integers(0, 10**6), st.integers(0, 99))
def test_a_price_has_its_units(units: int, cents: int) -> None:
    said = spoken_form(f"It costs ${units}.{cents:02}.")
    assert ("dollar" in said) == (units > 0 or cents == 0)
    assert ("cent" in said) == (cents > 0)


@given(st.dates())
def test_every_date_is_read(date: object) -> None:
    said = spoken_form(f"On {date}.")
    assert not re.search(r"\d|minus| to ", said)


@given(st.times())
def test_every_time_is_read(time: object) -> None:
    assert "point" not in spoken_form(f"At {str(time)[:5]}.")


WORDS = st.sampled_from(
    "it is about 5 km at 3 pm, Dr. Smith on Nov 22 paid $5.50 for 2 GB (50%) e.g. a.com".split()
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_what_is_spoken_form_stays_as_it_is(text: str) -> None:
    said = spoken_form(text)
    assert spoken_form(said) == said


def test_numbers_as_written() -> None:
    assert written("1,000") == "one thousand"
    assert written("0.50") == "zero point five zero"
    assert [roman(text) for text in ("IV", "XIV", "XCIX", "IIII", "")] == [4, 14, 99, None, None]
