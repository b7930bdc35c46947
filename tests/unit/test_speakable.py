"""What the voice reads of what a model wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.en.speakable import speakable

CHANGED = [
    # markdown
    ("**Bold** and *italic* and ***both***.", "Bold and italic and both."),
    ("__Bold__ and _italic_ words.", "Bold and italic words."),
    ("I *love* it.", "I love it."),
    ("~~Not~~ this `code` here.", "Not this code here."),
    ("# Heading\nText here.", "Heading. Text here."),
    ("## Heading ##", "Heading"),
    ("- one\n- two\n* three", "one. two. three"),
    ("- [ ] milk\n- [x] tea", "milk. tea"),
    ("> quoted words", "quoted words"),
    ("1. Boil water.\n2. Add tea.", "1. Boil water. 2. Add tea."),
    ("See [the guide](https://a.example/x_y).", "See the guide."),
    ("![A cat](cat.png) sleeps.", "A cat sleeps."),
    ("As said[^1] before.", "As said before."),
    ("Before\n```python\nprint('x')\n```\nafter.", "Before. after."),
    ("```json\n{\"a\": 1}", ""),
    ("Above\n\n---\n\nbelow", "Above. below"),
    ("| Name | Age |\n|---|:-:|\n| Ann | 5 |", "Name, Age. Ann, 5"),
    ("**Unclosed bold", "Unclosed bold"),
    ("un*believ*able", "unbelievable"),
    ("Not \\*this\\* one, 1\\. yes", "Not this one, 1. yes"),
    # emotes
    ("*waves* Hello!", "Hello!"),
    ("*waves* hello there", "hello there"),
    ("Hello! *smiles warmly*", "Hello!"),
    ("Hello *giggles*", "Hello"),
    ("**Waves** Hi.", "Hi."),
    ("_waves_ Hi.", "Hi."),
    ("*tilts head* Is it? *tail wagging happily*", "Is it?"),
    ("Well *sighs* if you like.", "Well if you like."),
    ("*a soft beep*", ""),
    ("*nodding* Yes.", "Yes."),
    ("(smiles) Hi there.", "Hi there."),
    ("Hi there. (laughs softly)", "Hi there."),
    ("[chuckles] Sure.", "Sure."),
    # emoji, kaomoji
    ("Great 😊!", "Great!"),
    ("👨‍👩‍👧 family 👍🏽 🇫🇷", "family"),
    ("I ❤️ it", "I it"),
    ("Step 1️⃣ now", "Step 1 now"),
    ("Nice :) and :-D ok", "Nice and ok"),
    ("Hello :wave: you", "Hello you"),
    ("Fine ^_^", "Fine"),
    ("Hi (◕‿◕) there", "Hi there"),
    ("Shrug ¯\\_(ツ)_/¯", "Shrug"),
    ("No (╯°□°)╯︵ ┻━┻", "No"),
    ("Bear ʕ•ᴥ•\u0294", "Bear"),
    ("Love you <3", "Love you"),
    ("😊", ""),
    # tool calls and thinking
    ('{"name": "timer", "arguments": {"s": 5}}', ""),
    ('Sure. {"name": "timer", "arguments": {"s": 5}} Done.', "Sure. Done."),
    ('[{"name": "a"}, {"name": "b"}] Done.', "Done."),
    ('<tool_call>\n{"name": "x"}\n</tool_call> Okay.', "Okay."),
    ("<think>hmm. yes</think>Hello.", "Hello."),
    ("reasoning</think>Hello.", "Hello."),
    ('set_timer(seconds=5, name="tea")', ""),
    ("<|im_end|>Hello.", "Hello."),
    # HTML
    ("<b>Bold</b> text<br/>here", "Bold text here"),
    ('<a href="x">link</a> &amp; more', "link & more"),
    ("<!-- note -->Hello.", "Hello."),
    # addresses
    ("Visit https://www.example.com/a/b?c=1.", "Visit https://www.example.com/a/b?c=1."),
    ("Visit <https://example.com>.", "Visit https://example.com."),
    ("Visit (https://example.com).", "Visit (https://example.com)."),
    ("At www.example.org/x now", "At www.example.org/x now"),
    ("Write to <a.b@example.com>.", "Write to a.b@example.com."),
    # quotes and white space
    ('"Hello there."', "Hello there."),
    ("“Hello there.”", "Hello there."),
    ('Hello there."', "Hello there."),
    ('"Hello there.', "Hello there."),
    ("  two   spaces \n\n and lines ", "two spaces. and lines"),
    ("...", ""),
    ("", ""),
]  # fmt: skip

UNCHANGED = [
    "5 * 3 * 2", "5*3*2 is 30.", "snake_case and other_name_here", "(approximately)",
    "It is (about) 5.", "a < b and c > d", "1 < 2", "If x < 3, stop.", "x = 3", "f(a, x) is 8)",
    "He said \"hi\" to me.", "It is 6\" long.", "I'm fine, don't worry.", "Dr. Smith, e.g. me.",
    "At 10:30:45 it rang.", "It costs $5 & 3 €.", "50% of 0.0 is 0.0.", "Options: D or P.",
    "Surfers ride them (waves) often.", "I stayed (thinking about you all day) at home.",
    "Press C# or F# now.", "Yes.", "No!", "Stop", "A {curly} thing.", "The set {1, 2}.",
    "AT&T and R&D.", "Is it 3-4 or 5-6?", "well-known, well - known", "1. Yes", "Ünïcödé çà và",
    "你好。", "(“to”)", "-5 degrees", "You're #1!", "x_1 + y_2", "2 ** 3 is 8", "2^3",
    "and/or", "Paris", "3.5 metres", "What?! Really...",
]  # fmt: skip

KEPT_EMPHASIS = [
    ("2 **3** 4", "2 3 4"),
    ("*Always* check it.", "Always check it."),
    ("She *smiles* a lot.", "She smiles a lot."),
    ("The capital is *Paris*.", "The capital is Paris."),
    ("What is it? *Paris*", "What is it? Paris"),
    ("*This is important.*", "This is important."),
    ("*Pause* the music.", "Pause the music."),
    ("I like *cats*.", "I like cats."),
    ("My *point* is clear.", "My point is clear."),
    ("*Note:* read it.", "Note: read it."),
    ("*Yes*", "Yes"),
]


@pytest.mark.parametrize(("text", "expected"), CHANGED + KEPT_EMPHASIS)
def test_markup_becomes_words(text: str, expected: str) -> None:
    assert speakable(text) == expected


@pytest.mark.parametrize("text", UNCHANGED)
def test_ordinary_text_stays(text: str) -> None:
    assert speakable(text) == text


WORDS = st.lists(
    st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"], codec="utf-8"), min_size=1)
    .filter(lambda word: word not in {"uwu", "owo", "xD", "XD", "UwU", "OwO"}),
    min_size=1,
    max_size=12,
)  # fmt: skip


@given(WORDS, st.sampled_from([" ", ", ", "; ", " - ", "'", "-"]), st.sampled_from([".", "?", "!"]))
def test_plain_words_are_never_touched(words: list[str], joint: str, end: str) -> None:
    text = joint.join(words) + end
    assert speakable(text) == text


@given(st.text(max_size=200))
def test_any_text_gives_one_line(text: str) -> None:
    spoken = speakable(text)
    assert "\n" not in spoken
    assert spoken == spoken.strip()
    assert not spoken or any(c.isalnum() for c in spoken)


@pytest.mark.parametrize(
    "unit",
    ["*a ", "*a", "_a ", "((", "{\"", "<think>", "```", "[a](", "[", "<b ", "|", "> ", "a.a@", "&a",
     "https://a.", "- ", "***", ":a:", "(^", "<", "\"", "[{\"a\":", "~~", "<!--", "# "],
)  # fmt: skip
def test_hostile_text_is_quick(unit: str) -> None:
    text = (unit * 100_000)[:20_000]
    assert "\n" not in speakable(text)
