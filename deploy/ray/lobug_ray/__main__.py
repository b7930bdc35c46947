"""``python -m lobug_ray``: serves what a configuration says, until it is told to stop."""

from __future__ import annotations

import argparse
import ipaddress
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from lobug.errors import LobugError
from lobug_ray.configuration import STOPPING_S, SpeechConfig
from lobug_ray.replicas import verify_model

CONFIG = Path(__file__).parents[1] / "serve.yaml"

NO_REPORTS = {"RAY_USAGE_STATS_ENABLED": "0"}
"""Ray reports its use to its makers otherwise."""

LONGEST_STOP_S = 3 * STOPPING_S
"""Longest time from a stop to the end of this process, seconds."""


def read(path: Path) -> tuple[dict[str, Any], SpeechConfig]:
    """A configuration: all of it, and its ``args``. Raises OSError, ValueError (also of pydantic
    and YAML): it is none of this program's."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as fault:
        raise ValueError(f"{path} is not YAML: {fault}") from None
    applications = document.get("applications") if isinstance(document, dict) else None
    if not isinstance(applications, list) or len(applications) != 1:
        raise ValueError(f"{path} does not have one application")
    return document, SpeechConfig.model_validate(applications[0].get("args") or {})


def is_open(host: str, *, needs_key: bool) -> bool:
    """Whether other computers may ask without a key. Pure."""
    if needs_key:
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"


def main() -> int:
    """Serve. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="lobug_ray", description=__doc__)
    parser.add_argument("config", nargs="?", type=Path, default=CONFIG)
    parser.add_argument(
        "--address", help="a Ray that runs, e.g. auto; without it one is started here"
    )
    given = parser.parse_args()
    try:
        document, config = read(given.config)
        verify_model(config.settings(), config.hearing.model)
    except (OSError, ValidationError, ValueError, LobugError) as fault:
        print(f"lobug_ray: {fault}", file=sys.stderr)  # noqa: T201
        return 2
    host = str(document.get("http_options", {}).get("host", "127.0.0.1"))
    if is_open(host, needs_key=config.door.needs_key):
        print(  # noqa: T201
            f"lobug_ray: whoever reaches {host} could use it: set door.needs_key and"
            " LOBUG_RAY_KEY, or host: 127.0.0.1",
            file=sys.stderr,
        )
        return 2
    os.environ.update(NO_REPORTS)
    serve_until_told(document, config, given.address)
    return 0


def serve_until_told(document: dict[str, Any], config: SpeechConfig, address: str | None) -> None:
    """Serve until SIGTERM or SIGINT, then let what is being worked on come to its end."""
    import ray  # noqa: PLC0415 - it reads the variables when it is imported
    from ray import serve  # noqa: PLC0415

    from lobug_ray.application import build  # noqa: PLC0415

    if address is None:
        ray.init(include_dashboard=False, log_to_driver=False)
    else:
        ray.init(address, log_to_driver=False)
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):  # after Ray, which has a handler of its own
        signal.signal(number, lambda *_: told.set())
    try:
        serve.start(
            proxy_location=document.get("proxy_location"),
            http_options=document.get("http_options"),
            logging_config=document.get("logging_config"),
        )
        (application,) = document["applications"]
        serve.run(
            build(config),
            name=application["name"],
            route_prefix=application.get("route_prefix", "/"),
            logging_config=document.get("logging_config"),
        )
        options = document.get("http_options", {})
        print(f"Ready at {options.get('host')}:{options.get('port')}.", flush=True)  # noqa: T201
        told.wait()
        # Where Ray was stopped too, nothing answers; what is left of it ends with this process.
        late = threading.Timer(LONGEST_STOP_S, os._exit, (1,))
        late.daemon = True
        late.start()
        # Lets replicas finish what they work on; the shutdown alone ends the HTTP server first.
        serve.delete(application["name"])
    finally:
        serve.shutdown()
        ray.shutdown()


if __name__ == "__main__":
    sys.exit(main())
