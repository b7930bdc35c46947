"""A short conversation in both forms of the benchmark's files, written for these tests."""

from __future__ import annotations

from typing import Any

SPEAKERS = {"speaker_a": "Tove", "speaker_b": "Ravi"}


def turn(place: str, speaker: str, text: str, **more: object) -> dict[str, object]:
    """A turn as the files have it."""
    return {"dia_id": place, "speaker": speaker, "text": text, **more}


def sessions() -> dict[str, Any]:
    """Two sessions, and the date of a third without turns, as the files have some."""
    return {
        "session_1_date_time": "9:05 am on 3 March, 2024",
        "session_1": [
            turn("D1:1", "Tove", "Ravi, the ferry to Orkney was cancelled, so we took the train."),
            turn("D1:2", "Ravi", "Pity! Did you see puffins?"),
            turn(
                "D1:3",
                "Tove",
                "Not one. But look at this!",
                blip_caption="a photo of a lighthouse in the fog",
                img_url=["https://example.org/1.jpg"],
            ),
        ],
        "session_2_date_time": "8:40 pm on 1 June, 2024",
        "session_2": [
            turn("D2:1", "Ravi", "I have started to bake sourdough bread on Sundays."),
            turn("D2:2", "Tove", "Lovely. My cousin Ingrid adopted a greyhound called Comet."),
            turn("D2:3", "Ravi", "My oven broke yesterday, after the third loaf."),
        ],
        "session_3_date_time": "8:40 pm on 2 June, 2024",
    }


def questions() -> list[dict[str, object]]:
    """One of each scored category, one that is not scored, one without evidence."""
    return [
        {
            "question": "What does Ravi bake on Sundays and what broke?",
            "answer": "sourdough; the oven",
            "evidence": ["D2:1; D2:3"],
            "category": 1,
        },
        {
            "question": "When was the ferry to Orkney cancelled?",
            "answer": 2024,
            "evidence": ["D1:01", "D9:9"],
            "category": 2,
        },
        {
            "question": "Would Ingrid like to walk a greyhound?",
            "answer": "yes",
            "evidence": ["D:2:2"],
            "category": 3,
        },
        {
            "question": "What was on the photo that Tove showed in the fog?",
            "answer": "a lighthouse",
            "evidence": ["D1:3"],
            "category": 4,
        },
        {"question": "Is it raining?", "answer": "no", "evidence": [], "category": 4},
        {
            "question": "Which piano did Ravi buy?",
            "adversarial_answer": "a grand",
            "evidence": ["D2:1"],
            "category": 5,
        },
    ]


def flat() -> dict[str, Any]:
    """The form with everything on one level."""
    return {
        **SPEAKERS,
        **sessions(),
        "qa": questions(),
        "session_1_summary": "must not be read",
        "session_1_observation": {"Tove": [["must not be read", "D1:1"]]},
        "events_session_1": {"Tove": ["must not be read"]},
    }


def published(name: str = "talk-1") -> dict[str, Any]:
    """The form in which the benchmark is published."""
    return {
        "sample_id": name,
        "conversation": {**SPEAKERS, **sessions()},
        "qa": questions(),
        "event_summary": {"events_session_1": "must not be read"},
        "observation": {},
        "session_summary": {"session_1_summary": "must not be read"},
    }
