"""A small trained network that reads what somebody wants, however they word it.

Templates know the sentences that somebody thought of. This reader was trained on some thousand
sentences (``scripts/order_reader``) and tells of any text which *frame* it is, such as ``timer`` or
``talk``, how certain that is, and which words are the frame's arguments. It only ever quotes: what
was not said cannot be in its answer. It decides nothing; ``SkillSentences`` does.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import numpy as np
    import numpy.typing as npt

LONGEST = 96
"""Pieces of words; a longer text is not read."""
SURE = 0.8
"""Certainty from which a reading counts."""
TALK = "talk"
"""The frame of everything that asks for no deed."""
BEYOND = "beyond"
"""The frame of orders that no skill carries out."""
_OUTSIDE = "O"
_WORD = re.compile(r"\S+")
_BEFORE = " \t.,;:!?'\"()[]{}<>*_/\\|~-\u2013\u2014\u2018\u2019\u201c\u201d\u2026"
_BEHIND = f"{_BEFORE}$\u00a3\u20ac"
"""Punctuation around words; "$5", "15%" and what is joined in a word stay: "7:30", "Ben's"."""
_KEPT = 64
"""Latest readings; several parts of one turn ask for that of the same words."""
_THREADS = 1
"""A sentence takes some milliseconds on one core, and the chat model needs the others."""


class OrderReaderError(Exception):
    """The files of the reader are not those that it was trained to."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """The words of a text that are an argument."""

    argument: str
    start: int
    """Position of the first character."""
    end: int
    """Position behind the last one."""
    certainty: float = 1.0
    """From 0 to 1: the network's probability that the argument begins here."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text means."""

    frame: str
    certainty: float
    """From 0 to 1: the network's probability of the frame."""
    quotations: tuple[Quotation, ...] = ()
    """In the order of the text; an argument may stand there several times."""
    others: Mapping[str, float] = field(default_factory=dict)
    """The probability of each frame, as far as it is known."""

    @property
    def is_sure(self) -> bool:
        """Whether it is certain enough to act on."""
        return self.certainty >= SURE

    def is_surely(self, frame: str) -> bool:
        """Whether a text certainly is of a frame."""
        return self.frame == frame and self.is_sure


class OrderReader:
    """The trained network, in memory. Safe to use from several threads."""

    def __init__(
        self,
        network: bytes,
        vocabulary: str,
        arguments: Mapping[str, Sequence[str]],
        tags: Sequence[str],
    ) -> None:
        """``network``: ONNX, from ``ids`` and ``mask`` (1 x pieces) to ``frames`` (1 x frames) and
        ``tags`` (1 x pieces x tags), both logits. ``vocabulary``: a tokenizer as JSON.
        ``arguments``: those of each frame, in the network's order of frames. ``tags``: their names
        in its order: O, B-argument, I-argument."""
        import onnxruntime  # noqa: PLC0415 - takes a moment, and most programs read no order
        from tokenizers import Tokenizer  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = _THREADS
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            network, options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = Tokenizer.from_str(vocabulary)
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.no_padding()
        self._arguments = {frame: tuple(of_frame) for frame, of_frame in arguments.items()}
        self._tags = tuple(tags)
        self._latest: OrderedDict[bytes, Reading] = OrderedDict()
        """By a digest of the text: what is to be forgotten must not stay here in words."""
        self._changing = threading.Lock()

    @property
    def frames(self) -> tuple[str, ...]:
        """The names of all frames."""
        return tuple(self._arguments)

    def read(self, text: str) -> Reading:
        """The likeliest frame of a text, and its arguments; of a text that is too long to be read
        whole, nothing is certain and nothing known of any frame."""
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._changing:
            reading = self._latest.get(key)
        if reading is None:
            reading = self._read(text)
        with self._changing:
            self._latest[key] = reading
            self._latest.move_to_end(key)
            while len(self._latest) > _KEPT:
                self._latest.popitem(last=False)
        return reading

    def _read(self, text: str) -> Reading:
        import numpy as np  # noqa: PLC0415 - most programs read no order

        encoded = self._tokenizer.encode(text)
        if encoded.overflowing:
            return Reading(TALK, 0.0)
        ids = np.array([encoded.ids], dtype=np.int64)
        answer = self._session.run(["frames", "tags"], {"ids": ids, "mask": np.ones_like(ids)})
        frames, tags = cast("Sequence[npt.NDArray[np.float32]]", answer)
        likely = np.exp(_log_softmax(frames[0]))
        best = int(likely.argmax())
        frame = self.frames[best]
        words, pieces = _words(text, encoded.offsets)
        scores = _log_softmax(tags[0])[pieces]
        found = quotations(words, scores, self._tags, self._arguments[frame])
        return Reading(
            frame,
            float(likely[best]),
            found,
            dict(zip(self.frames, map(float, likely), strict=True)),
        )


Span = tuple[int, int]
"""Positions in a text: of the first character, and behind the last."""


def _words(text: str, offsets: Sequence[Span]) -> tuple[list[Span], list[int]]:
    """The words of a text without the punctuation around them, and for each the number of the piece
    that begins it; words behind the last piece are left out."""
    begins = {start: number for number, (start, end) in enumerate(offsets) if end > start}
    found = []
    for match in _WORD.finditer(text):
        start = match.end() - len(match[0].lstrip(_BEFORE))
        end = match.start() + len(match[0].rstrip(_BEHIND))
        if start < end and start in begins:
            found.append((start, end))
    return found, [begins[start] for start, _ in found]


def quotations(
    words: Sequence[Span],
    scores: npt.NDArray[np.float64],
    tags: Sequence[str],
    arguments: Sequence[str],
) -> tuple[Quotation, ...]:
    """The likeliest quotations of some arguments. Pure.

    ``scores``: words x tags, logarithms of probabilities. Of all sequences of tags in which an
    argument is begun before it goes on, the likeliest one is taken (Viterbi).
    """
    import numpy as np  # noqa: PLC0415 - most programs read no order

    names = [_OUTSIDE, *(f"{mark}-{name}" for name in arguments for mark in "BI")]
    if not words or len(names) == 1:
        return ()
    score = scores[:, [tags.index(name) for name in names]]
    allowed = np.array([[_follows(one, other) for other in names] for one in names])
    best = np.where([name.startswith("I") for name in names], -np.inf, score[0])
    came_from = []
    for row in score[1:]:
        routes = np.where(allowed, best[:, None], -np.inf)
        came_from.append(routes.argmax(0))
        best = routes.max(0) + row
    path = [int(best.argmax())]
    for back in reversed(came_from):
        path.append(int(back[path[-1]]))
    path.reverse()
    found: list[Quotation] = []
    for number, ((start, end), state) in enumerate(zip(words, path, strict=True)):
        name = names[state]
        if name.startswith("B"):
            found.append(Quotation(name[2:], start, end, float(np.exp(score[number, state]))))
        elif name.startswith("I"):
            found[-1] = replace(found[-1], end=end)
    return tuple(found)


def _follows(one: str, other: str) -> bool:
    """Whether a tag may stand behind another one."""
    return not other.startswith("I") or (one != _OUTSIDE and one[2:] == other[2:])


def load_order_reader(folder: Traversable) -> OrderReader:
    """The reader in a folder. Raises OrderReaderError where its files are not those that
    ``reader.json`` names by their SHA-256."""
    about = json.loads((folder / "reader.json").read_text(encoding="utf-8"))
    contents = {name: (folder / name).read_bytes() for name in about["sha256"]}
    for name, content in contents.items():
        if hashlib.sha256(content).hexdigest() != about["sha256"][name]:
            raise OrderReaderError(f"{name} of the order reader is not the file that was trained")
    return OrderReader(
        contents["reader.onnx"],
        contents["tokenizer.json"].decode(),
        about["arguments"],
        about["tags"],
    )


def _log_softmax(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415 - most programs read no order

    shifted = logits.astype(np.float64) - logits.max(-1, keepdims=True)
    return cast("npt.NDArray[np.float64]", shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)))


def reader_folder(package: str) -> Traversable:
    """Where the reader of a language lies."""
    return files(package) / "order_reader"
