"""The words of a text that say a time which somebody quotes from it. English. Pure."""

from __future__ import annotations

import re

from lobug.language.en.times import find_times


def said_time(quoted: str, text: str) -> str:
    """The words of ``text`` for a quoted time, whole: "Friday" of "a week on Friday" is all of it,
    and "January 9th" may have been said as "the ninth of January". ``quoted`` if there are none.
    """
    found = find_times(text)
    place = re.search(re.escape(quoted), text, re.IGNORECASE)
    if place is not None:
        touched = [one for one in found if one.start < place.end() and one.end > place.start()]
        start = min([place.start(), *(one.start for one in touched)])
        end = max([place.end(), *(one.end for one in touched)])
        return text[start:end]
    meant = [one.value for one in find_times(quoted)]
    same = [one for one in found if [one.value] == meant]
    return text[same[0].start : same[0].end] if same else quoted
