"""Which emotion suits a reply. English. Pure."""

from __future__ import annotations

import re

from lobug.language.emotions import BY_EMOJI, Emotion
from lobug.language.en import verbs
from lobug.language.en.data import word_map

_BY_ACT = {
    act: Emotion(emotion)
    for emotion, acts in word_map("emotion_cues", "acts").items()
    for act in acts.split()
}

_WORDS = {
    Emotion.LAUGHING: r"(?:ha){2,}h?|(?:he){2,}|lol|hilarious",
    Emotion.FUNNY: r"funny|joke|knock knock|punch ?line",
    Emotion.SAD: r"sad(?:ly|der)?|sorry to hear|unfortunately|condolences|lonely|i miss|too bad",
    Emotion.CRYING: r"heartbroken|in tears|makes me cry",
    Emotion.ANGRY: r"angry|furious|outrageous|annoy(?:ed|ing)",
    Emotion.LOVING: r"i love|love you|adore|adorable|sweetheart|my dear",
    Emotion.EMBARRASSED: r"oops|my mistake|my bad|i apologi[sz]e|i(?:'m| am) (?:so )?sorry|"
    r"embarrass(?:ed|ing)",
    Emotion.SURPRISED: r"wow|whoa|no way|amazing|incredible|what a surprise",
    Emotion.SHOCKED: r"oh my (?:god|goodness)|oh no|shock(?:ed|ing)|terrible|horrible|scary",
    Emotion.THINKING: r"hmm+|let me (?:think|see)|i wonder|good question|let's see",
    Emotion.WINKING: r"just kidding|only joking|our (?:little )?secret|between us",
    Emotion.COOL: r"(?:that's|so|how|pretty|very) cool|awesome",
    Emotion.RELAXED: r"relax(?:ed|ing)?|calm|peaceful|breathe|take your time|no worries|cozy",
    Emotion.DELICIOUS: r"delicious|tasty|yum(?:my)?|mouth-?watering",
    Emotion.KISSY: r"kiss(?:es)?|mwah|xoxo",
    Emotion.CONFIDENT: r"of course|definitely|certainly|absolutely|no problem|you can do it",
    Emotion.SLEEPY: r"good ?night|sleepy|tired|sweet dreams|sleep (?:well|tight)",
    Emotion.SILLY: r"silly|goofy|boop",
    Emotion.CONFUSED: r"i don't (?:know|understand)|i do not (?:know|understand)|not sure|"
    r"confus(?:ed|ing)|what do you mean",
    Emotion.HAPPY: r"happy|glad|great|wonderful|lovely|congratulations|welcome|hello|hi|hey|"
    r"good (?:morning|afternoon|evening)|thanks?|thank you|nice|fun|enjoy|hooray|yay|well done|"
    r"delighted|excited",
}
_CUES = [
    (emotion, re.compile(rf"(?<![\w'-])(?:{words})(?![\w'])")) for emotion, words in _WORDS.items()
]

_SET_APART = re.compile(r"[*(\[_]{1,3}([^*()\[\]_\n]{1,80})[*)\]_]")
_NEGATED = re.compile(r"(?:\b(?:not|no|never|without|hardly)|n't)(?:\s+[\w']+){0,2}\s+$")
_MOST_CHARS = 4_000
"""Characters of a reply that are read."""


def emotion_of(reply_text: str, default: Emotion = Emotion.NEUTRAL) -> Emotion:
    """The emotion that suits a reply as the model wrote it, emotes and emoji included.

    An emoji takes precedence, then an act (``*laughs*``), then the first word of feeling that is
    not negated, then ``default``.
    """
    text = reply_text[:_MOST_CHARS].lower().replace("\u2019", "'")
    found = _shown(text) or _acted(text) or _said(text)
    return default if found is None else found


def _shown(text: str) -> Emotion | None:
    return next((BY_EMOJI[character] for character in text if character in BY_EMOJI), None)


def _acted(text: str) -> Emotion | None:
    for match in _SET_APART.finditer(text):
        for word in re.findall(r"[a-z]+", match[1]):
            for stem in verbs.possible_bases(word):
                if stem in _BY_ACT:
                    return _BY_ACT[stem]
    return None


def _said(text: str) -> Emotion | None:
    first = None
    place = len(text)
    for emotion, cue in _CUES:
        for match in cue.finditer(text, 0, place):
            if not _NEGATED.search(text, max(0, match.start() - 40), match.start()):
                first, place = emotion, match.start()
                break
    return first
