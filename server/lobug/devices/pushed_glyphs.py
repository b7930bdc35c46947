"""Which pictures of characters a device is sent ahead of a message, and which it has already. Pure
but for the font that is passed in."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from lobug.devices.caption_font import CaptionFont, Glyph

MAX_GLYPHS = 32
"""Most pictures in one message: about 3 KB."""

MAX_TEXT_GLYPHS = 160
"""Most pictures for one text. The rest of a longer one is boxes: a device shows about 170
characters of it anyway."""


class PushedGlyphs:
    """The pictures that one device keeps, in one session: the newest of those it was sent."""

    def __init__(self, font: CaptionFont, keeps: int) -> None:
        """``keeps``: how many the device keeps; a newer one takes the place of the oldest."""
        self._font = font
        self._keeps = keeps
        self._sent: deque[Glyph] = deque(maxlen=keeps)

    def ahead_of(self, text: str) -> list[list[Glyph]]:
        """The pictures that have to be sent before ``text``, in portions of ``MAX_GLYPHS``. They
        count as sent. For one text there are no more than the device keeps."""
        needed = self._font.glyphs(text)[: min(self._keeps, MAX_TEXT_GLYPHS)]
        kept = self._kept(self._sent)
        missing = [glyph for glyph in needed if kept.get(glyph.code) != glyph]
        # A new picture may take the place of one that this text needs, too.
        then = self._kept(deque([*self._sent, *missing], maxlen=self._keeps))
        if any(then.get(glyph.code) != glyph for glyph in needed):
            missing = needed
        self._sent.extend(missing)
        return [missing[at : at + MAX_GLYPHS] for at in range(0, len(missing), MAX_GLYPHS)]

    @staticmethod
    def _kept(sent: Iterable[Glyph]) -> dict[int, Glyph]:
        """The newest picture of each character."""
        return {glyph.code: glyph for glyph in sent}
