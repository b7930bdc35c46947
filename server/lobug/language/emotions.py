"""The emotions of the device protocol and their emoji."""

from __future__ import annotations

from enum import StrEnum


class Emotion(StrEnum):
    """Every emotion of the protocol, with the emoji that goes with it as ``emoji``."""

    emoji: str

    def __new__(cls, value: str, emoji: str = "") -> Emotion:
        """Make the value the string itself and the emoji an attribute."""
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
BY_EMOJI = {emoji: emotion for emotion, every in _EMOJI.items() for emoji in every}
"""The emotion that an emoji shows."""
