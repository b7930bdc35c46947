"""How well the embedded speech recognition hears the names of a house: word errors in orders with
names, in sentences without any, and what it hears in sounds that are no speech, with and without
being told the names.

    PYTHONPATH=server:tests python bench/spoken_names.py [--tokens N ...] [--out FILE]

The orders are spoken by the embedded voice, so the figures compare ways of listening; a person in a
kitchen is harder to understand.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lobug.audio.resample import resample
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.engines.tts_hibari import SAMPLE_RATE, HibariVoice
from lobug.settings import Settings, SttSettings
from lobug.turn.utterance import judge
from support.noise import sounds

ROOMS = (
    "Snug", "Scullery", "Orangery", "Library", "Den", "Larder", "Boot Room", "Loft", "Nursery",
    "Conservatory", "Mezzanine", "Undercroft", "Tilly's Room", "Saskia's Room", "Kitchen",
    "Living Room", "Utility Room", "Cloakroom",
)  # fmt: skip
THINGS = (
    "Aurora", "Goliath", "Tiffany Lamp", "Nanoleaf", "Hue Bloom", "Ikea Fado", "Zigbee Plug",
    "Roomba", "Mjolnir", "Sputnik", "Fairy Lights", "Velux", "Tado", "Sonos", "Torchiere",
    "Sconces", "Chandelier", "Nespresso", "Humidor", "Wisteria Lights", "Pergola", "Portcullis",
)  # fmt: skip
"""Names such as people give, and of makers."""

ORDERS = tuple(
    line.strip()
    for line in """
    Turn on the lights in the Snug.
    Turn off the Scullery lights.
    Set the Orangery to twenty one degrees.
    Dim the lights in the Den.
    Is the light in the Larder on?
    Close the blinds in the Conservatory.
    Turn on the Boot Room light.
    What is the temperature in the Loft?
    Switch off everything in the Nursery.
    Turn the Mezzanine lights blue.
    Is there anybody in the Undercroft?
    Turn off the light in Tilly's Room.
    Turn on the fan in Saskia's Room.
    Make the Cloakroom brighter.
    Turn on Aurora.
    Turn off Aurora.
    Set Aurora to fifty percent.
    Turn on Goliath.
    Switch Goliath off, please.
    Dim the Tiffany Lamp.
    Turn on the Tiffany Lamp in the Library.
    Set the Nanoleaf to red.
    Turn off the Nanoleaf.
    Is the Hue Bloom on?
    Set Hue Bloom to warm white.
    Turn on the Ikea Fado.
    Turn off the Ikea Fado in the Den.
    Switch on the Zigbee Plug.
    Is the Zigbee Plug off?
    Start the Roomba.
    Send the Roomba to the Scullery.
    Stop the Roomba.
    Turn on Mjolnir.
    Set Mjolnir to ten percent.
    Turn off Sputnik.
    Is Sputnik on?
    Switch on the Fairy Lights in the Orangery.
    Turn off the Fairy Lights.
    Open the Velux.
    Close the Velux in the Loft.
    Set Tado to nineteen degrees.
    What is Tado set to?
    Pause the Sonos.
    Turn up the Sonos in the Snug.
    Turn on the Torchiere.
    Dim the Torchiere to twenty percent.
    Turn off the Sconces.
    Turn on the Sconces in the Mezzanine.
    Set the Chandelier to eighty percent.
    Is the Chandelier on?
    Turn on the Nespresso.
    Turn off the Nespresso in the Larder.
    What is the humidity in the Humidor?
    Turn on the Wisteria Lights.
    Turn the Wisteria Lights off.
    Open the Pergola.
    Close the Pergola roof.
    Open the Portcullis.
    Is the Portcullis closed?
    Turn off everything in the Undercroft.
    """.splitlines()
    if line.strip()
)
TALK = tuple(
    line.strip()
    for line in """
    What time is it?
    Set a timer for ten minutes.
    Remind me to call my mother tomorrow.
    I went to the library with Tim yesterday.
    My sister is called Hannah.
    Tell me a joke about penguins.
    How far away is the moon?
    I have a meeting at half past nine.
    Add milk and bread to my shopping list.
    What do you know about me?
    I think the kids are asleep now.
    She told me the story was true.
    We planted tomatoes in the garden.
    Do you like music?
    I am not sure what to cook tonight.
    What is seventeen times four?
    My favourite colour is green.
    It rained the whole weekend.
    Please wake me at seven.
    Good night, sleep well.
    """.splitlines()
    if line.strip()
)
"""What is said to Lo-Bug besides orders: names must not creep in."""

WORDS = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_SAME = {"%": " percent", "°": " degrees", "21": "twenty one", "19": "nineteen", "50": "fifty",
         "80": "eighty", "20": "twenty", "10": "ten", "7": "seven", "17": "seventeen",
         "9:30": "half past nine", "what's": "what is"}  # fmt: skip


def words(text: str) -> list[str]:
    """The words that count: small letters, numbers written out. Pure."""
    low = text.lower().replace("\u2019", "'")
    for written, spoken in _SAME.items():
        low = low.replace(written, spoken)
    return WORDS.findall(low)


def distance(said: Sequence[str], heard: Sequence[str]) -> int:
    """Substitutions, deletions and insertions between two lists of words. Pure."""
    row = list(range(len(heard) + 1))
    for i, one in enumerate(said, start=1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


@dataclass
class Result:
    """One way of listening."""

    errors: int = 0
    words: int = 0
    whole: int = 0
    """Sentences without any error."""
    names: int = 0
    """Orders whose name was heard as it is written."""
    talk_errors: int = 0
    talk_words: int = 0
    noise: int = 0
    """Sounds without speech in which a name was heard."""
    noise_kept: int = 0
    """Those of them that a turn would take for words if the speech gate let them pass."""
    seconds: float = 0.0
    """Of computing, all cores together, for all orders."""

    def record(self) -> Mapping[str, float]:
        """The figures."""
        return {
            "word_error_rate": round(self.errors / self.words, 4),
            "orders_right": self.whole,
            "names_right": self.names,
            "talk_word_error_rate": round(self.talk_errors / self.talk_words, 4),
            "names_in_noise": self.noise,
            "names_in_noise_taken_for_words": self.noise_kept,
            "core_seconds_per_order": round(self.seconds / len(ORDERS), 3),
        }


async def measure(
    ears: WhisperSpeechToText,
    spoken: Mapping[str, Samples],
    ears_settings: SttSettings,
    show: Callable[[str], None],
) -> Result:
    """Let the ears transcribe everything."""
    result = Result()
    names = [words(name) for name in (*ROOMS, *THINGS)]
    for text in ORDERS:
        began = time.process_time()
        heard = (await ears.transcribe(spoken[text], "en")).text
        result.seconds += time.process_time() - began
        said = words(text)
        wrong = distance(said, words(heard))
        result.errors += wrong
        result.words += len(said)
        result.whole += wrong == 0
        named = [name for name in names if _holds(said, name)]
        right = all(_holds(words(heard), name) for name in named)
        result.names += right
        if wrong:
            show(f"  {text!r} -> {heard!r}")
    for text in TALK:
        heard = (await ears.transcribe(spoken[text], "en")).text
        wrong = distance(words(text), words(heard))
        result.talk_errors += wrong
        result.talk_words += len(words(text))
        if wrong:
            show(f"  talk {text!r} -> {heard!r}")
    for name, sound in sounds().items():
        found = await ears.transcribe(sound, "en")
        low = words(found.text)
        if any(_holds(low, one) for one in names):
            result.noise += 1
            result.noise_kept += judge(found, 2.0, ears_settings).accepted
            show(
                f"  sound {name} -> {found.text!r} (no speech {found.no_speech_prob:.2f},"
                f" log prob {found.avg_logprob:.2f})"
            )
    return result


def _holds(said: Sequence[str], name: Sequence[str]) -> bool:
    return any(list(said[at : at + len(name)]) == list(name) for at in range(len(said)))


async def speak(texts: Sequence[str], settings: Settings) -> Mapping[str, Samples]:
    """The texts in the embedded voice, 16 kHz."""
    voice = HibariVoice(settings)
    await voice.start()
    try:
        return {
            text: resample(await voice.synthesize(text), SAMPLE_RATE, STT_SAMPLE_RATE)
            for text in texts
        }
    finally:
        await voice.close()


async def main(out: Path | None, tokens: Sequence[int]) -> None:
    """Measure each way and print a line for each."""
    settings = Settings(_env_file=None)
    spoken = await speak([*ORDERS, *TALK], settings)
    names = (*ROOMS, *THINGS)
    ways = {"without names": 0, **{f"names, {most} tokens": most for most in tokens}}
    found = {}
    for way, most in ways.items():
        print(way, flush=True)
        stt = settings.stt.model_copy(update={"name_tokens": most})
        ears = WhisperSpeechToText(settings.model_copy(update={"stt": stt}))
        ears.expect_names(names)
        await ears.start()
        try:
            result = await measure(ears, spoken, stt, lambda line: print(line, flush=True))
        finally:
            await ears.close()
        found[way] = result.record()
        print(f"  {found[way]}", flush=True)
    if out is not None:
        written = json.dumps(found, indent=2) + "\n"
        await asyncio.to_thread(out.write_text, written, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="Where the figures are written, as JSON.")
    parser.add_argument(
        "--tokens", type=int, nargs="+", default=[160],
        help="Tokens of the names that Whisper is told; one measurement for each.",
    )  # fmt: skip
    asked = parser.parse_args()
    asyncio.run(main(asked.out, asked.tokens))
