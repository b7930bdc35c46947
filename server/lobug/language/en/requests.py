"""Finds the requests in what somebody says: without politeness, reasons and hesitation. Pure.

"Hey Lo-Bug, I'm baking, so could you please set a timer for ten minutes?" holds the request "set a
timer for ten minutes". What a request means is decided elsewhere; this only cuts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lobug.language.en.data import word_map
from lobug.language.en.speech_acts import is_command, is_question, sentences

LONGEST = 400
"""Characters; of a longer text the parts are only the last sentences."""
LONGEST_WHOLE = 2_500
"""Characters of a text that may be one request as a whole, such as a dictated note."""
MOST_CANDIDATES = 32
"""Each is matched with the templates of some skills, about a millisecond each."""

_OPENING = re.compile(
    r"^\W*(?:(?:hey|hi|hello|ok|okay|alright|all right|right|yo|oi|so|well|now|um+|uh+|er+|erm|hmm+"
    r"|oh|ah|and|but|also|then|actually|listen|look|sorry|excuse me|right then|yes|yeah|no|please"
    r"|thanks|good morning|good evening|good afternoon|lo-?bug|lo bug|low bug|low-bug|lobuck"
    r"|i meant?(?: to say)?(?= (?:add|put|take|set|cancel|remove|move|start|read|tell))"
    r"|dear|mate|love|buddy|robot|quick(?:ly)?|by the way|before i forget|while i remember"
    r"|while you(?:['\u2019]re| are) at it|when you (?:get|have) (?:a|the) (?:chance|minute|moment"
    r"|second|sec)|if you (?:don['\u2019]t|do not|wouldn['\u2019]t) mind|if (?:possible|you can"
    r"|you could|it(?:['\u2019]s| is) not too much trouble)|be a (?:dear|star|love|darling) and"
    r"|do me a favou?r(?: and)?|just|for me|go ahead and)\b[\s,.!:;\u2013\u2014-]*)+",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^(?:(?:can|could|would|will|won['\u2019]t|can['\u2019]t|couldn['\u2019]t|wouldn['\u2019]t)"
    r" (?:you|u)(?: (?:be able to|be so kind as to|be kind enough to|possibly|maybe|perhaps))?"
    r"|(?:are|is) (?:you|it) (?:able|possible) to(?: have you)?|(?:do|would) you think you (?:can"
    r"|could)|i(?:['\u2019]d| would) (?:like|love|want|appreciate it if)(?: for)? you"
    r"(?: (?:to|could|would))?|i(?:['\u2019]d| would) be (?:grateful|glad) if you (?:could|would)"
    r"|i (?:want|need)(?: for)? you to|i was (?:wondering|hoping) (?:if )?you (?:could|would|can)"
    r"|you(?:(?:['\u2019]ll| will) (?:have|need)|['\u2019]re going to have|(?:['\u2019]ve| have)"
    r" got| need| have) to(?= (?:speak|talk|say|repeat|slow|turn|keep|raise|lower"
    r"|be (?:a (?:lot|bit|little|tad) |much )?(?:louder|quieter|slower|faster))\b)"
    r"|you (?:can|could|should|must|may)|let['\u2019]?s|let us|(?:can|could|may) i (?:get|ask|have)"
    r" you to|make sure (?:you|to)|be sure to|try to|want to|wanna|i (?:want|need|have|would like)"
    r" to(?= (?:set|add|cancel|make|put|start|stop|change|take|know|hear|convert|roll|flip))"
    r"|i(?:['\u2019]d| would) like to(?= (?:set|add|cancel|make|put|start|stop|change|take|know"
    r"|hear|convert|roll|flip)))\b[\s,]*(?:(?:please|kindly|just|quickly|simply|also|maybe"
    r"|perhaps|possibly|quickly)\b[\s,]*)*",
    re.IGNORECASE,
)
_MINDING = re.compile(
    r"^(?:would|do) you mind(?: (?:just|please|maybe))?\s+(?P<gerund>\w+ing)\b", re.IGNORECASE
)
_LAST_WORDS = re.compile(
    r"\b(?:please|thanks(?: a lot| so much)?|thank you(?: so much| very much)?|cheers|ta|would you"
    r"|will you|could you|can you|won['\u2019]t you|for me|if you (?:can|could|would|please"
    r"|don['\u2019]t mind|wouldn['\u2019]t mind|get a chance|have a (?:minute|moment|second))"
    r"|when you (?:can|get a (?:chance|minute|moment|second))|lo-?bug|lo bug|low bug|mate|love|dear"
    r"|buddy|okay|ok|alright|right|yeah|quickly|real quick"
    r"|would that be (?:okay|ok|possible|alright)|is that (?:okay|ok|possible|alright)"
    r"|there(?:['\u2019]s| is) a (?:dear|love|good (?:robot|bug))|just in case|i think|i guess"
    r"|i suppose)$",
    re.IGNORECASE,
)
"""Politeness after a request, once its last punctuation is gone."""
_POLITE = re.compile(
    r"\b(?:please|would you|will you|could you|can you|for me|i(?:['\u2019]d| would) like|i need"
    r"|i(?:['\u2019]ll| will) need|i want|wants? to be)\b",
    re.IGNORECASE,
)
_ENDS = ' \t,;:.!?-\u2013\u2014"\u201c\u201d'
# Texts have single spaces when these are applied.
_BOUNDARY = re.compile(
    r" ?[,;:\u2013\u2014] (?:(?:so|and|but|then|because|cause|since|as) )?"
    r"| - | (?:so that|so|and then|and|but|then|because|cause|since|otherwise|or else|as i"
    r"|as we|as the|(?:when|while) i(?:['\u2019](?:m|ve|ll|d))?"
    r"|before (?:i|it|he|she|they|we)(?:['\u2019](?:m|ve|ll|d|s|re))?|in case) ",
    re.IGNORECASE,
)
_ASKS = (
    r"(?:can|could|would|will|do|can't|couldn't) you|please|any idea|tell me|remind me|wake me"
    r"|let me know|i need you to|i want you to|i'd like you to"
)
_OPENINGS_INSIDE = re.compile(rf" (?=(?:{_ASKS}) )", re.IGNORECASE)
"""Where a request may begin within a clause."""
_OPENINGS_IF_ASKED = re.compile(
    rf" (?=(?:{_ASKS}|what|what's|whats|which|how (?:many|much|long|far|late)|is it|is there|is the"
    r"|are there|when is|when's|have i|have we|do i|did i|is my|are my|what'll|what'd|how's) )",
    re.IGNORECASE,
)
"""The same in a sentence that asks."""
_SAYING = re.compile(
    r"\b(?:says?|said|saying|goes|went|(?:was|is|were) like|shout(?:s|ed)|yell(?:s|ed)|wrote|writes"
    r"|answer(?:s|ed)|replie[sd]|ask(?:s|ed)|told me)[,: ]+$",
    re.IGNORECASE,
)
_RELAYED = re.compile(r"(?:remind|wake|tell) me\b|let me know\b", re.IGNORECASE)
"""Whose "me" is somebody else after "she said"."""
MOST_CUTS = 8
_HESITATION = re.compile(
    r"(?:(?<= )|^)(?:um+|uh+|er+|erm|hmm+|(?<!\bdo )(?<!\bdid )(?<!\bwould )(?<!\bif )(?<!\bas )"
    r"you know|like(?=,))(?:, ?| )(?=\w)|, ?(?:um+|uh+|er+|erm|hmm+|you know),?(?= )",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:says?|said|asked|goes|went|shouted|yelled|replied|thought|wrote|was like|were like"
    r"|told (?:me|him|her|us|them))"
    r"(?: (?:can|could|would|will) you(?: please)?| please| to)? ?$",
    re.IGNORECASE,
)
"""What is said after it is no request to Lo-Bug: "She said remind me tomorrow"."""
_BASES = word_map("requests", "gerunds")
"""Base forms of the verbs of requests, by their gerund."""


def requests_in(text: str) -> list[str]:
    """What may be a request in a text, the whole text first, then its parts; at most
    ``MOST_CANDIDATES``. Words keep their spelling."""
    text = " ".join(text.split())
    found: dict[str, None] = {}
    for part in _parts(text):
        core = core_request(part)
        if core:
            found.setdefault(core)
        if len(found) >= MOST_CANDIDATES:
            break
    return list(found) or [text.strip(" ,;:.!?")]  # "Okay, okay." is nothing but politeness


def is_request(text: str) -> bool:
    """Whether a part of a text asks Lo-Bug for something: an order, a wish, or with politeness."""
    for part in _parts(" ".join(text.split())):
        opened = _OPENING.sub("", part)
        if _ASKING.match(opened) or _MINDING.match(opened) or is_command(core_request(part)):
            return True
    return False


def asks(text: str) -> bool:
    """Whether a text asks Lo-Bug for something or asks a question, also with politeness alone:
    "Three minutes, please"."""
    text = " ".join(text.split())
    return is_request(text) or any(
        is_question(sentence)
        or _LAST_WORDS.search(sentence.strip(_ENDS))
        or _POLITE.search(sentence)
        for sentence in sentences(text)
    )


def is_most_of(request: str, text: str) -> bool:
    """Whether a request makes up at least half of a text, politeness not counted."""
    return 2 * len(request.split()) >= len(core_request(text).split())


def core_request(text: str) -> str:
    """A request without wake word, politeness and hesitation."""
    text = _HESITATION.sub("", text)
    while True:
        before = text
        text = _OPENING.sub("", text)
        minding = _MINDING.match(text)
        verb = _BASES.get(minding["gerund"].lower(), "") if minding is not None else ""
        if minding is not None and verb:
            text = verb + text[minding.end() :]
        text = _ASKING.sub("", text)
        if text == before:
            break
    text = text.strip(_ENDS)
    while (match := _LAST_WORDS.search(text)) is not None:
        text = text[: match.start()].rstrip(_ENDS)
    return text


def _parts(text: str) -> Iterator[str]:
    """The text and its sentences, the last first; then what begins or ends each sentence; then its
    single clauses; then several clauses in a row."""
    every = sentences(text)
    if len(text) <= LONGEST_WHOLE:
        yield text
    if len(text) > LONGEST:
        every = [sentence for sentence in every[-3:] if len(sentence) <= LONGEST]
    every.reverse()
    yield from (sentence for sentence in every if sentence != text)
    spans = [(sentence, *_spans(sentence)) for sentence in every]
    for order in range(1, 4):
        for sentence, *kinds in spans:
            for start, end in kinds[order - 1]:
                yield sentence[start:end]


_Spans = list[tuple[int, int]]


def _spans(sentence: str) -> tuple[_Spans, _Spans, _Spans]:
    """Parts of a sentence: those that reach to its begin or end, single clauses, and the others;
    of each kind the longest first."""
    cuts = [(match.start(), match.end()) for match in _BOUNDARY.finditer(sentence)][:MOST_CUTS]
    inner = _OPENINGS_IF_ASKED if sentence.rstrip().endswith("?") else _OPENINGS_INSIDE
    begins = [
        match.end()
        for match in inner.finditer(sentence)
        if not (_RELAYED.match(sentence, match.end()) and _SAYING.search(sentence[: match.end()]))
        and not _REPORTED.search(sentence[: match.start()])
    ][:MOST_CUTS]
    starts = sorted({0, *(end for _, end in cuts), *begins})
    ends = sorted({*(start for start, _ in cuts), len(sentence)})
    reaching, single, others = [], [], []
    for start in starts:
        following = [end for end in ends if end - start > 3]
        for number, end in enumerate(following):
            if start == 0 and end == len(sentence):
                continue
            if start == 0 or end == len(sentence):
                reaching.append((start, end))
            elif number == 0:
                single.append((start, end))
            else:
                others.append((start, end))
    for spans in (reaching, single, others):
        spans.sort(key=lambda span: (span[0] - span[1], -span[0]))
    return reaching, single, others
