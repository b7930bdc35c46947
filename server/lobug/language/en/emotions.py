"""The faces that devices draw, and which of them suits a reply. Pure."""

from __future__ import annotations

import re
from enum import StrEnum


class Emotion(StrEnum):
    """Every emotion of the protocol, with the emoji that goes with it as ``emoji``."""

    emoji: str

    def __new__(cls, value: str, emoji: str = "") -> Emotion:
        """An emotion with its emoji."""
        emotion = str.__new__(cls, value)
        emotion._value_ = value
        emotion.emoji = emoji
        return emotion

    NEUTRAL = "neutral", "\U0001f636"
    HAPPY = "happy", "\U0001f642"
    LAUGHING = "laughing", "\U0001f606"
    FUNNY = "funny", "\U0001f602"
    SAD = "sad", "\U0001f614"
    ANGRY = "angry", "\U0001f620"
    CRYING = "crying", "\U0001f62d"
    LOVING = "loving", "\U0001f60d"
    EMBARRASSED = "embarrassed", "\U0001f633"
    SURPRISED = "surprised", "\U0001f62f"
    SHOCKED = "shocked", "\U0001f631"
    THINKING = "thinking", "\U0001f914"
    WINKING = "winking", "\U0001f609"
    COOL = "cool", "\U0001f60e"
    RELAXED = "relaxed", "\U0001f60c"
    DELICIOUS = "delicious", "\U0001f924"
    KISSY = "kissy", "\U0001f618"
    CONFIDENT = "confident", "\U0001f60f"
    SLEEPY = "sleepy", "\U0001f634"
    SILLY = "silly", "\U0001f61c"
    CONFUSED = "confused", "\U0001f644"


_EMOJI = {
    Emotion.HAPPY: "😀😃😄😊🙂🥰🎉🤗☺✨",
    Emotion.LAUGHING: "😆😁😅",
    Emotion.FUNNY: "😂🤣",
    Emotion.SAD: "😔😢😞🙁☹💔🥺",
    Emotion.ANGRY: "😠😡🤬😤",
    Emotion.CRYING: "😭",
    Emotion.LOVING: "😍❤💕💖💗💛💜",
    Emotion.EMBARRASSED: "😳😬",
    Emotion.SURPRISED: "😯😮😲🤩",
    Emotion.SHOCKED: "😱😨🤯",
    Emotion.THINKING: "🤔🧐",
    Emotion.WINKING: "😉",
    Emotion.COOL: "😎👍",
    Emotion.RELAXED: "😌",
    Emotion.DELICIOUS: "🤤😋",
    Emotion.KISSY: "😘😗😙😚💋",
    Emotion.CONFIDENT: "😏💪",
    Emotion.SLEEPY: "😴😪🥱",
    Emotion.SILLY: "😜😛😝🤪",
    Emotion.CONFUSED: "🙄😕🤷😵",
}
_BY_EMOJI = {emoji: emotion for emotion, every in _EMOJI.items() for emoji in every}

_ACTS = {
    Emotion.HAPPY: "beam cheer clap dance grin hum jump purr smile twirl wag wave",
    Emotion.LAUGHING: "cackle chuckle giggle laugh snicker",
    Emotion.SAD: "frown pout sniff whimper",
    Emotion.CRYING: "cry sob weep",
    Emotion.ANGRY: "fume growl scowl",
    Emotion.LOVING: "cuddle hug",
    Emotion.EMBARRASSED: "blush cringe wince",
    Emotion.SURPRISED: "blink gasp",
    Emotion.THINKING: "ponder think",
    Emotion.WINKING: "wink",
    Emotion.RELAXED: "exhale sigh",
    Emotion.KISSY: "kiss",
    Emotion.CONFIDENT: "bow nod salute smirk",
    Emotion.SLEEPY: "yawn",
    Emotion.CONFUSED: "shrug tilt",
}
_BY_ACT = {act: emotion for emotion, acts in _ACTS.items() for act in acts.split()}

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
"""A face needs no more of a reply than this."""


def emotion_of(reply_text: str, default: Emotion = Emotion.NEUTRAL) -> Emotion:
    """The emotion that suits a reply as the model wrote it, emotes and emoji included.

    What the reply shows of itself comes first: an emoji, then an act (``*laughs*``); else the
    first word that carries a feeling and is not negated; else ``default``. The words are English.
    """
    text = reply_text[:_MOST_CHARS].lower().replace("\u2019", "'")
    found = _shown(text) or _acted(text) or _said(text)
    return default if found is None else found


def _shown(text: str) -> Emotion | None:
    return next((_BY_EMOJI[character] for character in text if character in _BY_EMOJI), None)


def _acted(text: str) -> Emotion | None:
    for match in _SET_APART.finditer(text):
        for word in re.findall(r"[a-z]+", match[1]):
            for stem in _stems(word):
                if stem in _BY_ACT:
                    return _BY_ACT[stem]
    return None


def _stems(word: str) -> list[str]:
    """The forms that a verb's form may come from: waves, waving, waved -> wave."""
    stems = [word]
    for ending, others in (("s", "_"), ("es", "_"), ("ies", "y"), ("ing", "_e"), ("ed", "_e")):
        if word.endswith(ending):
            root = word[: -len(ending)]
            stems += [root + other.strip("_") for other in others]
            if root[-1:] == root[-2:-1]:  # nodding
                stems.append(root[:-1])
    return stems


def _said(text: str) -> Emotion | None:
    first = None
    place = len(text)
    for emotion, cue in _CUES:
        for match in cue.finditer(text, 0, place):
            if not _NEGATED.search(text, max(0, match.start() - 40), match.start()):
                first, place = emotion, match.start()
                break
    return first
