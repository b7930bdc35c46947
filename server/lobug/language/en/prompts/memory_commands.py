"""The prompt that asks the chat model which tool of memory the user means."""

from __future__ import annotations

RULES = """\
Which tool do the user's words to the robot Lo-Bug ask for? memory_store: keep a statement.
memory_recall: tell what it remembers. memory_forget: erase from its memory. memory_correct: it was
wrong, this is right. none: anything else. "words": what it is about, copied; for none empty."""

EXAMPLES = (
    (
        "Would you kindly keep in your memory that Quillon repairs harpsichords?",
        '{"tool": "memory_store", "words": "Quillon repairs harpsichords"}',
    ),
    ("Is it wrong to eat marzipan for breakfast?", '{"tool": "none", "words": ""}'),
    (
        "Get my trip to Tromso out of your memory.",
        '{"tool": "memory_forget", "words": "my trip to Tromso"}',
    ),
    ("Forget the rain, play some music.", '{"tool": "none", "words": ""}'),
    (
        "You have it all wrong, my aunt is called Zelda.",
        '{"tool": "memory_correct", "words": "my aunt is called Zelda"}',
    ),
    ("Search your memory for my aunt.", '{"tool": "memory_recall", "words": "my aunt"}'),
)
