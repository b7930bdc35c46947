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
from lobug_ray.configuration import STOPPING_S, SpeechConfig, key_of
from lobug_ray.replicas import verify_models

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
    document = _mapping(document, f"{path}")
    applications = document.get("applications")
    if not isinstance(applications, list) or len(applications) != 1:
        raise ValueError(f"{path} does not have one application")
    application = _mapping(applications[0], f"{path}: the application")
    options = _mapping(document.get("http_options"), f"{path}: http_options")
    for what, part, key in (
        ("the application", application, "name"),
        ("http_options", options, "host"),
    ):
        if not isinstance(part.get(key), str) or not part[key].strip():
            raise ValueError(f"{path}: {what} has no {key}")
    port = options.get("port")
    if type(port) is not int or not 1 <= port <= 65_535:
        raise ValueError(f"{path}: http_options has no port from 1 to 65535")
    args = application.get("args")
    return document, SpeechConfig.model_validate({} if args is None else args)


def _mapping(value: object, what: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise ValueError(f"{what} has no names with values")


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
        verify_models(config)
        if config.door.needs_key and given.address is None:
            key_of(os.environ)  # elsewhere it is in the variables of that Ray
    except (OSError, ValidationError, ValueError, LobugError) as fault:
        print(f"lobug_ray: {fault}", file=sys.stderr)  # noqa: T201
        return 2
    host = document["http_options"]["host"]
    if is_open(host, needs_key=config.door.needs_key):
        print(  # noqa: T201
            f"lobug_ray: whoever reaches {host} could use it: set door.needs_key and"
            " LOBUG_RAY_KEY, or host: 127.0.0.1",
            file=sys.stderr,
        )
        return 2
    os.environ.update(NO_REPORTS)
    try:
        serve_until_told(document, config, given.address)
    except StartError as fault:
        print(f"lobug_ray: {fault}", file=sys.stderr)  # noqa: T201
        return 2
    return 0


class StartError(Exception):
    """Why it cannot serve, in one sentence."""


class StopSignals:
    """SIGTERM and SIGINT. Until ``starting`` is false they also raise KeyboardInterrupt, which
    Ray's own waiting lets through: a start may wait for ever."""

    def __init__(self) -> None:
        self.told = threading.Event()
        self.starting = True

    def listen(self) -> None:
        """Take both signals from whoever has them."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)

    def _stop(self, *_: object) -> None:
        self.told.set()
        if self.starting:
            raise KeyboardInterrupt


def reason_of(message: str) -> str:
    """What went wrong, from a message of Ray's: its last line, which stands below all tracebacks,
    without the name of the exception. Pure."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    kind, _, rest = last.partition(": ")
    return rest if rest and " " not in kind and kind.endswith(("Error", "Exception")) else last


def check_cores(config: SpeechConfig, there: float) -> None:
    """Raise StartError if the first replicas need more cores than there are: Ray would wait for
    them without end. Pure."""
    needed = config.first_cores
    if needed > there:
        raise StartError(
            f"the first replicas need {needed:g} cores, and Ray has {there:g}: lower cpus or"
            " min_replicas"
        )


def check_address(own: dict[str, Any], running: tuple[str | None, int]) -> None:
    """Raise StartError if the Serve that runs listens elsewhere: it ignores what a second start
    says, and who can reach it there may be anybody. Pure."""
    if (own["host"], own["port"]) != running:
        host, port = running
        raise StartError(
            f"Ray Serve already runs there, at {host}:{port} and not at"
            f" {own['host']}:{own['port']}: set http_options to that, or end it with"
            " `serve shutdown`, which ends all its applications"
        )


class Serving:
    """A Ray Serve, started here or joined, with the application of a configuration."""

    def __init__(self, document: dict[str, Any], config: SpeechConfig, address: str | None) -> None:
        """Do nothing yet. ``address``: of a Ray that runs; None: one is started."""
        (self._application,) = document["applications"]
        self._name: str = self._application["name"]
        self._options: dict[str, Any] = document["http_options"]
        self._document = document
        self._config = config
        self._address = address
        self._begun = False

    def start(self, signals: StopSignals) -> None:
        """Return when it can be asked. Raises StartError, KeyboardInterrupt, SystemExit."""
        import ray  # noqa: PLC0415 - it reads the variables when it is imported
        from ray.exceptions import RayError  # noqa: PLC0415
        from ray.serve.exceptions import RayServeException  # noqa: PLC0415

        try:
            if self._address is None:
                # Without "local" it would join a Ray that is on this computer already.
                ray.init("local", include_dashboard=False, log_to_driver=False)
            else:
                ray.init(self._address, log_to_driver=False)
            signals.listen()  # again: Ray has a handler of its own
            check_cores(self._config, ray.cluster_resources().get("CPU", 0.0))
            self._run()
        except (RuntimeError, RayError, RayServeException) as fault:
            raise StartError(f"Ray says: {reason_of(self._said(str(fault)))}") from None
        except (ValueError, OSError) as fault:
            raise StartError(str(fault)) from None

    def _run(self) -> None:
        from ray import serve  # noqa: PLC0415
        from ray.serve.context import _get_global_client  # noqa: PLC0415

        from lobug_ray.application import build  # noqa: PLC0415

        logging = self._document.get("logging_config")
        serve.start(
            proxy_location=self._document.get("proxy_location"),
            http_options=self._options,
            logging_config=logging,
        )
        running = _get_global_client().http_config
        check_address(self._options, (running.host, running.port))
        if not serve.status().proxies:
            raise StartError("Ray Serve runs there without an HTTP server: see proxy_location")
        application = build(self._config)
        prefix = self._application.get("route_prefix", "/")
        self._begun = True
        serve.run(application, name=self._name, route_prefix=prefix, logging_config=logging)

    def _said(self, fault: str) -> str:
        """What a deployment says that failed; the fault itself only names the deployment."""
        from ray import serve  # noqa: PLC0415

        shown = serve.status().applications.get(self._name) if self._begun else None
        failed = shown.deployments.values() if shown else ()
        return next((one.message for one in failed if "Error" in one.message), fault)

    def stop(self, *, ready: bool) -> None:
        """Take away what was started, and no more. ``ready``: it may be working on requests."""
        import ray  # noqa: PLC0415
        from ray import serve  # noqa: PLC0415

        if not ray.is_initialized():  # Serve would start or join one now
            return
        # Where Ray was stopped too, nothing answers; what is left of it ends with this process.
        late = threading.Timer(LONGEST_STOP_S, os._exit, (1,))
        late.daemon = True
        late.start()
        if self._begun and (ready or self._address is not None):
            # Lets replicas finish what they work on; the shutdown alone ends the HTTP server first.
            serve.delete(self._name)
        if self._address is None:  # a Serve elsewhere may have applications of other people
            serve.shutdown()
        ray.shutdown()


def serve_until_told(document: dict[str, Any], config: SpeechConfig, address: str | None) -> None:
    """Serve until SIGTERM or SIGINT, then let what is being worked on come to its end. Either also
    ends the start. Raises StartError."""
    signals = StopSignals()
    signals.listen()
    serving, ready = Serving(document, config, address), False
    try:
        serving.start(signals)
        ready, signals.starting = True, False
        options = document["http_options"]
        print(f"Ready at {options['host']}:{options['port']}.", flush=True)  # noqa: T201
        signals.told.wait()
    except (KeyboardInterrupt, SystemExit):  # the latter is of Ray's own handler
        signals.starting = False
    except StartError:
        if not signals.told.is_set():  # else it is Ray's way to say that it was interrupted
            raise
    finally:
        signals.starting = False
        serving.stop(ready=ready)
    if not ready:
        print("Stopped before it was ready.", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
