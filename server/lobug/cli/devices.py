"""``lobug devices``: which devices may talk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any
from urllib.parse import quote

import typer

from lobug.cli.connection import AccessClient, open_access_client
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    CommandError,
    JsonOption,
    SentenceGroup,
    ServerOption,
    console,
    plain,
    print_json,
    show_facts,
    show_table,
    when,
)

devices_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Which devices may talk: see, approve, name, alert, reboot, revoke; how they are"
    " doing.\n\nAsks the"
    " running server. If none runs at the address of the settings, the file is"
    " opened directly.",
)

DeviceArgument = Annotated[
    str, typer.Argument(metavar="DEVICE", help="Id or name of a device.", show_default=False)
]
UserOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="USER",
        help="The user who talks with it: its memories belong to that user.",
        show_default=False,
    ),
]


@devices_app.command("list")
def list_devices(server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Show the devices that wait for approval, and those that were approved."""
    with open_access_client(server) as client:
        found = client.send("GET", "/devices")
    if as_json:
        print_json(found)
        return
    if found["waiting"]:
        show_table(
            ("code", "device", "from", "until", "says it is"),
            (
                (
                    row["code"],
                    row["id"],
                    row["address"],
                    when(row["expires_at"]),
                    _description(row),
                )
                for row in found["waiting"]
            ),
            "",
        )
        console().print(sentence("access.how_to_approve") + "\n", markup=False)
    show_table(
        ("device", "state", "connected", "user", "last seen", "name"),
        (
            (
                row["id"],
                row["state"],
                {True: "yes", False: "no", None: ""}[row["connected"]],
                row["user"],
                when(row["last_seen_at"]),
                row["name"],
            )
            for row in found["devices"]
        ),
        sentence("access.no_devices"),
    )


@devices_app.command()
def show(device: DeviceArgument, server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Show how a device is doing: what it is, and its latest report of its own condition."""
    with open_access_client(server) as client:
        found = client.send("GET", _device_path(client, device))
    if as_json:
        print_json(found)
        return
    show_facts(_facts(found))
    if found["report"] is None:
        console().print(sentence("access.no_report"), markup=False)
    else:
        show_facts(report_facts(found["report"]))


@devices_app.command()
def approve(
    code: Annotated[
        list[str],
        typer.Argument(metavar="CODE", help="The code that the device shows.", show_default=False),
    ],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What to call it.", show_default=False)
    ] = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Approve the device that shows CODE. It connects by itself within a minute."""
    with open_access_client(server) as client:
        body = {"code": "".join(code), "name": name, "user": user}
        device = client.send("POST", "/devices/approve", body)
    _show_change(device, "access.device_approved", as_json=as_json)


@devices_app.command("name")
def name_device(
    device: DeviceArgument,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="What to call it.", show_default=False),
    ] = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a device a name, or with --user another user ('' for that of the settings)."""
    if name is None and user is None:
        raise CommandError(sentence("access.name_or_user"))
    with open_access_client(server) as client:
        body = {"name": name, "user": user}
        changed = client.send("PATCH", _device_path(client, device), body)
    _show_change(changed, "access.device_changed", as_json=as_json)


@devices_app.command()
def revoke(
    device: DeviceArgument, server: ServerOption = None, as_json: JsonOption = False
) -> None:
    """Revoke a device's approval, at once. It must be approved again before it may talk."""
    with open_access_client(server) as client:
        ended = client.send("DELETE", _device_path(client, device))
    _show_change(ended, "access.device_revoked", as_json=as_json)


@devices_app.command()
def alert(
    device: DeviceArgument,
    message: Annotated[
        str, typer.Argument(metavar="MESSAGE", help="Text that it shows.", show_default=False)
    ],
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title above the text.")] = "Lo-Bug",
    server: ServerOption = None,
) -> None:
    """Make a connected device show MESSAGE and play a sound."""
    with open_access_client(server) as client:
        client.send(
            "POST", f"{_device_path(client, device)}/alert", {"message": message, "status": title}
        )
    console().print(sentence("access.sent"), markup=False)


@devices_app.command()
def reboot(device: DeviceArgument, server: ServerOption = None) -> None:
    """Restart a connected device."""
    with open_access_client(server) as client:
        client.send("POST", f"{_device_path(client, device)}/reboot")
    console().print(sentence("access.sent"), markup=False)


def device_id(known: list[dict[str, Any]], what: str) -> str:
    """The id of the device meant by an id or a name. Raises CommandError. Pure."""
    if any(row["id"] == what.lower() for row in known):
        return what.lower()
    named = [row["id"] for row in known if row["name"] and row["name"] == what]
    if len(named) == 1:
        return str(named[0])
    if named:
        raise CommandError(sentence("access.several_devices", name=what, ids=", ".join(named)))
    raise CommandError(sentence("access.unknown_device", name=what))


def _facts(row: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """What is known of a device beside its report. Pure."""
    connected = {True: "connected", False: "not connected", None: ""}[row["connected"]]
    yield "device", row["id"]
    yield "name", row["name"]
    yield "state", ", ".join(filter(None, (row["state"], connected)))
    yield "user", row["user"]
    yield "board", row["board"]
    yield "firmware", row["firmware"]
    yield "update", row["update"]
    yield "address", row["address"]
    yield "last seen", when(row["last_seen_at"])
    yield "last heard", when(row["last_heard_at"])
    if row["battery"] is not None:
        yield "battery", f"{row['battery']} %{', charging' if row['charging'] else ''}"
    yield "reported", when(row["reported_at"])


def report_facts(report: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """A device's report of its own condition, in words. Pure."""
    yield "started", _start(report.get("uptime_s"), report.get("reset"))
    if memory := _told(report, "memory"):
        yield (
            "memory",
            sentence(
                "access.memory_free",
                free=_kilobytes(memory, "free"),
                largest=_kilobytes(memory, "largest"),
                least=_kilobytes(memory, "least"),
            ),
        )
    if stacks := _told(report, "stacks"):
        tasks = ", ".join(f"{task} {free} bytes" for task, free in stacks.items())
        yield "stacks", sentence("access.stacks_free", tasks=tasks)
    if audio := _told(report, "audio"):
        yield (
            "sound",
            sentence(
                "access.sound_counts",
                gaps=_shown(audio, "gaps"),
                late_ms=_shown(audio, "late_ms"),
                dropped_ms=_shown(audio, "dropped_ms"),
                unsent_ms=_shown(audio, "unsent_ms"),
            ),
        )
    if wifi := _told(report, "wifi"):
        rssi = "?" if wifi.get("rssi") is None else f"{wifi['rssi']} dBm"
        text = sentence("access.wifi_counts", rssi=rssi, reconnects=_shown(wifi, "reconnects"))
        if losses := _told(wifi, "losses"):
            counts = ", ".join(f"{reason} ({times})" for reason, times in losses.items())
            text += sentence("access.wifi_losses", losses=counts)
        yield "Wi-Fi", text
    if report.get("nvs"):
        key = "access.store_encrypted" if report["nvs"] == "encrypted" else "access.store_plain"
        yield "stored", sentence(key)
    if refusal := REFUSALS.get(report.get("update_refused") or ""):
        yield "refused", sentence(refusal)
    if crash := _told(report, "crash"):
        text = sentence(
            "access.crash",
            task=_shown(crash, "task"),
            pc=_shown(crash, "pc"),
            cause=_shown(crash, "cause"),
            address=_shown(crash, "address"),
        )
        if backtrace := crash.get("backtrace"):
            text += sentence("access.crash_backtrace", backtrace=" ".join(backtrace))
        if image := crash.get("image"):
            text += sentence("access.crash_image", image=image)
        yield "last crash", text


REFUSALS = {
    "no_key": "access.update_unsigned",
    "unsigned": "access.update_unsigned",
    "wrong_signature": "access.update_wrong_signature",
}
"""Why a device does not take an update: as it reports it, and the sentence for it."""

RESETS = {
    "power_on": "access.reset_power_on",
    "external": "access.reset_external",
    "software": "access.reset_software",
    "panic": "access.reset_panic",
    "interrupt_watchdog": "access.reset_interrupt_watchdog",
    "task_watchdog": "access.reset_task_watchdog",
    "watchdog": "access.reset_watchdog",
    "deep_sleep": "access.reset_deep_sleep",
    "brownout": "access.reset_brownout",
    "sdio": "access.reset_sdio",
    "unknown": "access.reset_unknown",
}
"""Why a device started: as it reports it, and the sentence for it."""


def _start(uptime_s: int | None, reset: str | None) -> str:
    # A newer server may know more reasons.
    why = None if reset is None else sentence(RESETS.get(reset, "access.reset_unknown"))
    if uptime_s is None:
        return why or ""
    days, hours, minutes = uptime_s // 86_400, uptime_s // 3600 % 24, uptime_s // 60 % 60
    ago = f"{days} d {hours} h" if days else f"{hours} h {minutes} min" if hours else ""
    ago = ago or (f"{minutes} min" if minutes else f"{uptime_s} s")
    if why is None:
        return sentence("access.started_ago_only", ago=ago)
    return sentence("access.started_ago", ago=ago, why=why)


def _told(report: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part: Mapping[str, Any] | None = report.get(name)
    return part or {}


def _kilobytes(part: Mapping[str, Any], name: str) -> str:
    value = part.get(name)
    return "?" if value is None else f"{value // 1024} KB"


def _shown(part: Mapping[str, Any], name: str) -> object:
    value = part.get(name)
    return "?" if value is None else value


def _device_path(client: AccessClient, what: str) -> str:
    found = device_id(client.send("GET", "/devices")["devices"], what)
    return f"/devices/{quote(found, safe='')}"


def _description(row: dict[str, Any]) -> str:
    text: str = row["description"]
    return sentence("access.paired_already", description=text) if row["replaces"] else text


def _show_change(device: dict[str, Any], key: str, *, as_json: bool) -> None:
    if as_json:
        print_json(device)
        return
    called = f" ({device['name']})" if device["name"] else ""
    line = sentence(key, device=f"{device['id']}{called}")
    console().print(plain(line), markup=False, soft_wrap=True)
