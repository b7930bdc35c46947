"""Times in English sentences: found, read and said. Pure."""

from lobug.language.en.times.finder import find_times
from lobug.language.en.times.speech import (
    say_date,
    say_moment,
    say_recurrence,
    say_span,
    say_time,
)

__all__ = ["find_times", "say_date", "say_moment", "say_recurrence", "say_span", "say_time"]
