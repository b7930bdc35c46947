"""The owner's firmware images: versions, which one a device is offered, the folder they are in."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.access.devices import Introduction
from lobug.errors import FirmwareUnknownError
from lobug.ota.image import (
    FirmwareExistsError,
    FirmwareFolderError,
    FirmwareImage,
    FirmwareInvalidError,
    FirmwareKind,
    is_newer,
    is_same,
    parse_version,
    require_full_image,
    require_image,
    require_names,
)
from lobug.ota.library import FirmwareLibrary
from lobug.ota.offers import MOST_FETCHES, FirmwareOffers, choose
from lobug.ota.signing import UpdateKey
from support.esp32_images import full_image_bytes, image_bytes, image_file

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import firmware_release

MAX = 100_000
CORE2, CORES3 = "m5stack-core2", "m5stack-cores3"


@pytest.fixture
def library(tmp_path: Path) -> FirmwareLibrary:
    return FirmwareLibrary(tmp_path / "firmware", max_bytes=MAX, clock=lambda: 1_000.0)


def image(version: str, *, forced: bool = False, added_at: float = 0.0) -> FirmwareImage:
    return FirmwareImage(CORE2, version, 1, "0" * 64, forced, added_at, Path("x"))


def device(
    version: str | None = "2.0.0", application: str = "lobug", board: str = CORE2
) -> Introduction:
    return Introduction(version, "", application, board)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ---- versions


@pytest.mark.parametrize(
    ("offered", "running", "newer"),
    [
        ("2.10.0", "2.9.1", True),
        ("2.9.1", "2.10.0", False),
        ("2.1.0", "2.1", False),
        ("2.1.0.1", "2.1", True),
        ("3", "2.99.99.99", True),
        ("2.0.0", "2.0.0", False),
        ("2.0.0", "2.0.0-dirty", False),
        ("2.0.0", None, False),
        ("2.0.0", "", False),
        ("newest", "1.0", False),
        ("99999.0", "2.0", True),
        ("100000.0", "2.0", False),
    ],
)
def test_a_version_is_newer_by_its_numbers(offered: str, running: str | None, newer: bool) -> None:
    assert is_newer(offered, running) is newer


@pytest.mark.parametrize(
    "text", ["", ".", "1.", ".1", "1..2", "1.2.3.4.5", " 1", "1\n", "\u0661", "v1"]
)
def test_what_is_no_version(text: str) -> None:
    assert parse_version(text) is None


numbers = st.lists(st.integers(0, 99_999), min_size=1, max_size=4)


@given(numbers, numbers)
def test_of_two_versions_one_is_newer_or_they_are_the_same(one: list[int], two: list[int]) -> None:
    a, b = (".".join(map(str, parts)) for parts in (one, two))
    assert [is_newer(a, b), is_newer(b, a), is_same(a, b)].count(True) == 1
    padded = [parts + [0] * (4 - len(parts)) for parts in (one, two)]
    assert is_newer(a, b) is (padded[0] > padded[1])
    assert len(a) <= 23


# ---- which one


def test_the_newest_is_offered_if_it_is_newer() -> None:
    images = [image("2.9"), image("2.10"), image("2.2")]
    chosen = choose(images, "2.9.5")
    assert chosen is not None
    assert chosen.version == "2.10"
    assert choose(images, "2.10.0") is None
    assert choose(images, "2.11") is None
    assert choose(images, "mine") is None
    assert choose([], "1.0") is None


def test_a_forced_image_goes_before_all_others_and_takes_the_place_of_newer_ones() -> None:
    images = [image("3.0"), image("1.5", forced=True, added_at=2), image("1.0", forced=True)]
    for running in ("2.0", "3.0", "mine", None):
        chosen = choose(images, running)
        assert chosen is not None
        assert chosen.version == "1.5"
    assert choose(images, "1.5.0") is None


# ---- the folder


def test_an_added_image_is_there_and_whole(library: FirmwareLibrary, tmp_path: Path) -> None:
    content = image_bytes(50_000)
    added = library.add(image_file(tmp_path, content), CORE2, "2.1.0")
    assert added == library.find(CORE2, "2.1.0")
    assert (added.size, added.forced, added.added_at) == (50_000, False, 1_000.0)
    assert added.sha256 == hashlib.sha256(content).hexdigest()
    _, opened = library.open(CORE2, "2.1.0")
    with opened:
        assert opened.read() == content
    assert library.images() == library.images(CORE2) == [added]
    assert library.images(CORES3) == library.images("../x") == library.images("*") == []


def test_images_are_listed_by_board_and_version(library: FirmwareLibrary, tmp_path: Path) -> None:
    for version in ("2.10", "2.9"):
        library.add(image_file(tmp_path), CORE2, version)
    library.add(image_file(tmp_path), "host", "1.0")
    assert [(i.board, i.version) for i in library.images()] == [
        ("host", "1.0"), (CORE2, "2.9"), (CORE2, "2.10"),
    ]  # fmt: skip


def test_a_removed_image_is_gone_with_its_folder(library: FirmwareLibrary, tmp_path: Path) -> None:
    library.add(image_file(tmp_path), CORE2, "2.1")
    library.add(image_file(tmp_path), CORE2, "2.2")
    library.remove(CORE2, "2.1")
    assert [i.version for i in library.images()] == ["2.2"]
    with pytest.raises(FirmwareUnknownError):
        library.remove(CORE2, "2.1")
    library.remove(CORE2, "2.2")
    assert names_in(tmp_path / "firmware") == [".lock"]


def test_a_version_is_never_replaced_in_silence(library: FirmwareLibrary, tmp_path: Path) -> None:
    first = library.add(image_file(tmp_path), CORE2, "2.1")
    with pytest.raises(FirmwareExistsError, match=f"remove {CORE2} 2.1"):
        library.add(image_file(tmp_path, image_bytes(seed=2)), CORE2, "2.1")
    assert library.find(CORE2, "2.1") == first


@pytest.mark.parametrize(
    ("board", "version"),
    [
        ("../evil", "1.0"), ("", "1.0"), (".", "1.0"), ("..", "1.0"), ("a/b", "1.0"),
        ("Core2", "1.0"), ("a" * 49, "1.0"), ("a\n", "1.0"), ("a\0", "1.0"), (CORE2, "../1.0"),
        (CORE2, ""), (CORE2, "v1"), (CORE2, "1.0/.."), (CORE2, "1.0\n"),
    ],
)  # fmt: skip
def test_names_that_are_none(
    library: FirmwareLibrary, tmp_path: Path, board: str, version: str
) -> None:
    with pytest.raises(FirmwareInvalidError):
        library.add(image_file(tmp_path), board, version)
    with pytest.raises(FirmwareUnknownError):
        library.find(board, version)
    assert names_in(tmp_path) == ["firmware.bin"]


@given(st.text(max_size=12), st.text(max_size=12))
def test_no_name_leads_out_of_the_folder(board: str, version: str) -> None:
    root = Path("/images")
    try:
        require_names(board, version)
    except FirmwareInvalidError:
        return
    path = Path(os.path.normpath(root / board / f"{version}.bin"))
    assert path.parent.parent == root


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "0xE9"),
        (b"\xe9" * 23, "0xE9"),
        (b"\x7fELF" + bytes(100), "0xE9"),
        (image_bytes(chip=9), "not for the chip"),
        (image_bytes(MAX + 1), "max_image_bytes"),
    ],
    ids=["empty", "short", "other", "other chip", "large"],
)
def test_what_is_no_image_for_the_board(
    library: FirmwareLibrary, tmp_path: Path, content: bytes, words: str
) -> None:
    with pytest.raises(FirmwareInvalidError, match=words):
        library.add(image_file(tmp_path, content), CORE2, "2.1")
    assert library.images() == []
    assert not list((tmp_path / "firmware").glob(f"{CORE2}/.*"))


def test_the_largest_image_and_other_boards(library: FirmwareLibrary, tmp_path: Path) -> None:
    library.add(image_file(tmp_path, image_bytes(MAX, chip=9)), CORES3, "1.0")
    library.add(image_file(tmp_path, image_bytes(24, chip=77)), "my-board", "1.0")
    assert len(library.images()) == 2


def test_a_folder_or_a_pipe_is_no_image(library: FirmwareLibrary, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # to open it would wait for a writer
    for source in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(FirmwareInvalidError, match="not a file"):
            library.add(source, CORE2, "1.0")
    with pytest.raises(FirmwareFolderError, match="No such file"):
        library.add(tmp_path / "missing", CORE2, "1.0")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "firmware").write_text("a file")
    broken = FirmwareLibrary(tmp_path / "firmware", max_bytes=MAX)
    with pytest.raises(FirmwareFolderError):
        broken.add(image_file(tmp_path), CORE2, "1.0")
    assert broken.images() == []


@pytest.mark.parametrize("damage", ["record", "no record", "no image", "cut off"])
def test_what_is_broken_is_not_offered(
    library: FirmwareLibrary, tmp_path: Path, damage: str
) -> None:
    whole = library.add(image_file(tmp_path), CORE2, "2.0")
    broken = library.add(image_file(tmp_path), CORE2, "2.1").path
    record = broken.with_suffix(".json")
    match damage:
        case "record":
            record.write_text('{"size": 4096}')
        case "no record":  # the computer failed while it was added
            record.unlink()
        case "no image":
            broken.unlink()
        case "cut off":
            broken.write_bytes(broken.read_bytes()[:-1])
    assert library.images() == [whole]
    with pytest.raises(FirmwareUnknownError):
        library.open(CORE2, "2.1")


def test_an_addition_that_was_cut_short_is_cleared_away(
    library: FirmwareLibrary, tmp_path: Path
) -> None:
    place = tmp_path / "firmware" / CORE2
    place.mkdir(parents=True)
    (place / ".adding-xyz").write_bytes(b"half")
    (place / "2.1.bin").write_bytes(b"whole, but its record was not written")
    added = library.add(image_file(tmp_path), CORE2, "2.1")
    assert library.images() == [added]
    assert names_in(place) == ["2.1.bin", "2.1.json"]


def test_of_many_that_add_the_same_version_one_succeeds(tmp_path: Path) -> None:
    outcomes: list[str] = []

    def add(number: int) -> None:
        library = FirmwareLibrary(tmp_path / "firmware", max_bytes=MAX)
        source = image_file(tmp_path, image_bytes(20_000, seed=number), f"{number}.bin")
        try:
            library.add(source, CORE2, "2.1")
        except FirmwareExistsError:
            outcomes.append("exists")
        else:
            outcomes.append("added")

    threads = [threading.Thread(target=add, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["added"] + ["exists"] * 5
    library = FirmwareLibrary(tmp_path / "firmware", max_bytes=MAX)
    found, content = library.open(CORE2, "2.1")
    with content:
        assert hashlib.sha256(content.read()).hexdigest() == found.sha256


def test_the_record_is_readable_by_people(library: FirmwareLibrary, tmp_path: Path) -> None:
    added = library.add(image_file(tmp_path), CORE2, "2.1", forced=True)
    record = json.loads(added.path.with_suffix(".json").read_text())
    assert record == {
        "size": 4096, "sha256": added.sha256, "forced": True, "added_at": 1_000.0,
    }  # fmt: skip


# ---- offers


async def test_only_our_own_firmware_on_that_board_is_offered_an_image(
    library: FirmwareLibrary, tmp_path: Path
) -> None:
    added = await asyncio.to_thread(library.add, image_file(tmp_path), CORE2, "2.1")
    offers = FirmwareOffers(library, UpdateKey(Path("unused")))
    assert await offers.offer("aa", device()) == added
    assert await offers.offer("aa", device("2.1")) is None
    assert await offers.offer("aa", device(application="xiaozhi")) is None
    assert await offers.offer("aa", device(board="m5stack-core-s3")) is None
    assert await offers.offer("aa", device(board="../firmware/m5stack-core2")) is None
    assert await offers.offer("aa", Introduction("2.0", "", None, None)) is None


async def test_a_device_that_does_not_come_back_with_it_is_left_alone(
    library: FirmwareLibrary, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    added = await asyncio.to_thread(library.add, image_file(tmp_path), CORE2, "2.1")
    offers = FirmwareOffers(library, UpdateKey(Path("unused")))
    for _ in range(MOST_FETCHES):
        assert await offers.offer("aa", device()) == added
        offers.fetched("aa", added)
    assert await offers.offer("aa", device()) is None
    assert "is not offered again" in caplog.text
    assert await offers.offer("bb", device()) == added
    await asyncio.to_thread(library.remove, CORE2, "2.1")
    other = FirmwareLibrary(tmp_path / "firmware", max_bytes=MAX, clock=lambda: 2_000.0)
    again = await asyncio.to_thread(other.add, image_file(tmp_path), CORE2, "2.1")
    assert await offers.offer("aa", device()) == again, "the owner has added it anew"


# ---- full images

FULL = FirmwareKind.FULL


@pytest.mark.parametrize(("board", "chip"), [(CORE2, 0), (CORES3, 9), ("custom", 0), ("custom", 9)])
def test_a_full_image_is_known_by_its_parts(board: str, chip: int) -> None:
    content = full_image_bytes(chip=chip)
    require_full_image("full.bin", content, len(content), board)


def without(content: bytes, offset: int, count: int = 1) -> bytes:
    """The content with ``count`` bytes erased, as flash memory is erased."""
    return content[:offset] + b"\xff" * count + content[offset + count :]


@pytest.mark.parametrize(
    ("content", "board", "fault"),
    [
        (b"", CORE2, "no partition table"),
        (b"\xe9" * 0x9000, CORE2, "no partition table"),
        (image_bytes(0x12000), CORE2, "no partition table"),
        (full_image_bytes()[:0x8010], CORE2, "no partition table"),
        (without(full_image_bytes(), 0x8020, 64), CORE2, "no partition table"),
        (full_image_bytes(application=0x10010), CORE2, "no partition table"),
        (full_image_bytes(0x10000), CORE2, "no application where"),
        (full_image_bytes(application=0x80000), CORE2, "no application where"),
        (without(full_image_bytes(), 0x10000), CORE2, "no application where"),
        (full_image_bytes(room=0x1000), CORE2, "larger than its partition"),
        (without(full_image_bytes(), 0x1000), CORE2, "no boot loader at 0x1000"),
        (without(full_image_bytes(chip=9), 0), CORES3, "no boot loader at 0x0"),
        (full_image_bytes(chip=9), CORE2, "no boot loader"),
        (without(full_image_bytes(), 0x1000 + 12, 2), CORE2, "not for the chip of m5stack-core2"),
        (without(full_image_bytes(), 0x10000 + 12, 2), CORE2, "not for the chip of m5stack-core2"),
        (without(full_image_bytes(chip=9), 12, 2), "custom", "not for the chip of custom"),
    ],
)
def test_what_is_no_full_image_is_refused(content: bytes, board: str, fault: str) -> None:
    with pytest.raises(FirmwareInvalidError, match=fault):
        require_full_image("x.bin", content, len(content), board)


@given(st.binary(max_size=200), st.integers(0, 0x8100))
def test_no_bytes_break_the_check_of_a_full_image(noise: bytes, at: int) -> None:
    whole = full_image_bytes()
    content = whole[:at] + noise + whole[at + len(noise) :]
    for board in (CORE2, "custom"):
        try:
            require_full_image("x.bin", content, len(content), board)
        except FirmwareInvalidError:
            continue
        assert content[0x8000:0x8002] == b"\xaa\x50"


def test_a_full_image_is_no_update(tmp_path: Path, library: FirmwareLibrary) -> None:
    content = full_image_bytes(chip=9)  # begins with 0xE9, as an application does
    with pytest.raises(FirmwareInvalidError, match="--full"):
        library.add(image_file(tmp_path, content), CORES3, "2.0")
    with pytest.raises(FirmwareInvalidError, match="--full"):
        require_image("x.bin", content, "custom")


def test_both_kinds_of_a_version_lie_side_by_side(tmp_path: Path, library: FirmwareLibrary) -> None:
    content = full_image_bytes()
    full = library.add(image_file(tmp_path, content), CORE2, "2.1", kind=FULL)
    assert (full.kind, full.size) == (FULL, len(content))
    assert full.sha256 == hashlib.sha256(content).hexdigest()
    with pytest.raises(FirmwareUnknownError):
        library.find(CORE2, "2.1")
    update = library.add(image_file(tmp_path), CORE2, "2.1")
    assert names_in(tmp_path / "firmware" / CORE2) == [
        "2.1-full.bin", "2.1-full.json", "2.1.bin", "2.1.json",
    ]  # fmt: skip
    assert library.images() == [update]
    assert library.images(CORE2, FULL) == [full]
    with library.open(CORE2, "2.1", FULL)[1] as opened:
        assert opened.read() == content
    with pytest.raises(FirmwareExistsError, match="--full"):
        library.add(image_file(tmp_path, content), CORE2, "2.1", kind=FULL)
    assert library.remove(CORE2, "2.1", FULL) == full
    assert library.images(kind=FULL) == []
    assert library.find(CORE2, "2.1") == update


def test_a_full_image_may_be_larger_by_what_stands_before_it(tmp_path: Path) -> None:
    library = FirmwareLibrary(tmp_path / "firmware", max_bytes=8192)
    library.add(image_file(tmp_path, full_image_bytes(0x12000)), CORE2, "1", kind=FULL)
    with pytest.raises(FirmwareInvalidError, match="larger than 73728 bytes"):
        library.add(image_file(tmp_path, full_image_bytes(0x12001)), CORE2, "2", kind=FULL)


def test_a_full_image_is_never_offered(tmp_path: Path, library: FirmwareLibrary) -> None:
    library.add(image_file(tmp_path, full_image_bytes()), CORE2, "9.0", kind=FULL)
    assert asyncio.run(FirmwareOffers(library, UpdateKey(Path("unused"))).newer(device())) is None


@pytest.mark.parametrize("board", firmware_release.BOARDS.values(), ids=lambda board: board.name)
def test_what_a_release_puts_together_is_a_full_image(board: firmware_release.Board) -> None:
    table = full_image_bytes()[0x8000:0x8C00]
    content = firmware_release.merge(
        {
            board.loader_offset: image_bytes(
                20_000 if board.loader_offset else 24_000, chip=board.chip
            ),
            0x8000: table,
            0xE000: b"\x01" * 0x2000,
            0x10000: image_bytes(100_000, chip=board.chip),
        }
    )
    require_full_image("full.bin", content, len(content), board.name)
