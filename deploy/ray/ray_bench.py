"""What Ray costs and brings: a request straight to the engine beside one through Ray, and how many
requests one and two replicas do; and what Whisper would gain from batches.

    sh deploy/ray/run.sh python deploy/ray/ray_bench.py            both
    sh deploy/ray/run.sh python deploy/ray/ray_bench.py --batches  the last alone

Needs the recorded speech that `make test` installs, and two free cores to mean anything.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from lobug.engines.stt_whisper import WhisperSpeechToText  # noqa: E402 - the path comes first
from lobug.engines.tts_hibari import HibariVoice  # noqa: E402
from lobug.models.catalog import model_dir  # noqa: E402
from lobug.settings import Settings  # noqa: E402
from support.speech import Clip, all_prompts  # noqa: E402

PORT = 8799
URL = f"http://127.0.0.1:{PORT}/v1"
SENTENCE = "The kettle in the kitchen is boiling."
AT_ONCE = 4


def clips(count: int) -> Sequence[Clip]:
    """Recordings of 1.5 to 4 s."""
    return [clip for clip in all_prompts() if 1.5 < clip.seconds < 4.0][:count]


@contextmanager
def ray_with(replicas: int) -> Iterator[int]:
    """Ray with this many replicas for hearing. Yields its process."""
    document = yaml.safe_load((Path(__file__).parent / "serve.yaml").read_text(encoding="utf-8"))
    document["http_options"]["port"] = PORT
    args = document["applications"][0]["args"]
    args["hearing"] |= {"min_replicas": replicas, "max_replicas": replicas, "cpus": 0.5}
    args["voice"] |= {"cpus": 0.25}
    # A short path, because Ray puts sockets there.
    with tempfile.TemporaryDirectory(prefix="lb", dir="/tmp") as folder:
        config, out = Path(folder, "serve.yaml"), Path(folder, "out")
        config.write_text(yaml.safe_dump(document), encoding="utf-8")
        with out.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", "lobug_ray", str(config)],
                env={**os.environ, "RAY_TMPDIR": folder},
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        try:
            while b"Ready at" not in out.read_bytes():
                if process.poll() is not None:
                    sys.exit(out.read_text(encoding="utf-8"))
                time.sleep(0.3)
            yield process.pid
        finally:
            process.terminate()
            process.wait()


async def hear(client: httpx.AsyncClient, clip: Clip) -> None:
    answer = await client.post(
        "/audio/transcriptions",
        files={"file": ("a.wav", clip.wav, "audio/wav")},
        data={"model": "lobug-stt"},
    )
    answer.raise_for_status()


async def speak(client: httpx.AsyncClient) -> None:
    body = {"model": "lobug-tts", "input": SENTENCE, "response_format": "wav"}
    (await client.post("/audio/speech", json=body)).raise_for_status()


async def latencies(client: httpx.AsyncClient, count: int) -> None:
    """One request at a time, straight and through Ray in turn."""
    settings = Settings(_env_file=None, stt={"threads": 1})
    ears, voice = WhisperSpeechToText(settings), HibariVoice(settings)
    await ears.start()
    await voice.start()
    took: dict[str, list[float]] = {}

    async def timed(name: str, work: Any) -> None:
        began = time.perf_counter()
        await work
        took.setdefault(name, []).append(time.perf_counter() - began)

    for clip in clips(count):
        await timed("hearing, straight", ears.transcribe(clip.samples, "en"))
        await timed("hearing, through Ray", hear(client, clip))
        await timed("speaking, straight", voice.synthesize(SENTENCE))
        await timed("speaking, through Ray", speak(client))
    await ears.close()
    await voice.close()
    for name, seconds in took.items():
        p95 = sorted(seconds)[int(len(seconds) * 0.95)]
        print(f"{name}: p50 {statistics.median(seconds) * 1e3:.0f} ms, p95 {p95 * 1e3:.0f} ms")


async def throughput(client: httpx.AsyncClient, replicas: int, count: int) -> None:
    """Requests a second while there are always ``AT_ONCE``."""
    waiting = list(clips(count))

    async def ask_on() -> None:
        while waiting:
            await hear(client, waiting.pop())

    began = time.perf_counter()
    await asyncio.gather(*(ask_on() for _ in range(AT_ONCE)))
    rate = count / (time.perf_counter() - began)
    print(f"{replicas} replicas, {AT_ONCE} callers: {rate:.2f} transcripts/s")


def memory(pid: int) -> None:
    """Proportional memory of Ray and of the replicas."""
    own: dict[str, float] = {}
    for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
        title = " ".join(process.cmdline())
        kind = title.partition("lobug-speech:")[2] or "Ray"
        kind = kind.split(".")[0].split(" ")[0]
        own[kind] = own.get(kind, 0.0) + process.memory_full_info().pss / 2**20
    print("memory, MB: " + ", ".join(f"{kind} {size:.0f}" for kind, size in own.items()))


async def through_ray(count: int) -> None:
    for replicas in (1, 2):
        with ray_with(replicas) as pid:
            await against(pid, replicas, count)


async def against(pid: int, replicas: int, count: int) -> None:
    async with httpx.AsyncClient(base_url=URL, timeout=120) as client:
        for clip in clips(4):
            await hear(client, clip)
        if replicas == 1:
            await latencies(client, count)
        await throughput(client, replicas, count)
    memory(pid)


def batches(count: int) -> None:
    """Processor time for an utterance, one after another and together, by Whisper itself: greedy,
    in a short window, as the engine does it. A batch has the window of its longest utterance."""
    import ctranslate2  # noqa: PLC0415
    from faster_whisper.audio import pad_or_trim  # noqa: PLC0415
    from faster_whisper.tokenizer import Tokenizer  # noqa: PLC0415

    from lobug.engines.whisper_window import ShortWindowWhisper  # noqa: PLC0415

    settings = Settings(_env_file=None)
    model = ShortWindowWhisper(
        str(model_dir(settings.models_dir, settings.stt.model)),
        device="cpu",
        compute_type=settings.stt.compute_type,
        cpu_threads=1,
        local_files_only=True,
    )
    tokenizer = Tokenizer(model.hf_tokenizer, True, task="transcribe", language="en")
    prompt = model.get_prompt(tokenizer, [], without_timestamps=True)
    said = clips(count)

    def together(some: Sequence[Clip]) -> None:
        padded = [pad_or_trim(model.feature_extractor(clip.samples)[..., :-1]) for clip in some]
        window = max(model.window(one) for one in padded)
        features = np.ascontiguousarray(np.stack([one[:, :window] for one in padded]))
        encoded = model.model.encode(ctranslate2.StorageView.from_array(features))
        model.model.generate(encoded, [prompt] * len(some), beam_size=1)

    together(said[:2])
    for _ in range(2):
        for size in (1, 2, 4, 8):
            began = time.process_time()
            for at in range(0, len(said), size):
                together(said[at : at + size])
            each = (time.process_time() - began) / len(said)
            print(f"batches of {size}: {each * 1e3:.0f} ms of processor time an utterance")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", action="store_true", help="only what batches would gain")
    parser.add_argument("--count", type=int, default=24, help="recordings")
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if not given.batches:
        asyncio.run(through_ray(given.count))
    batches(given.count)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
