"""The application for Ray Serve: ``build`` is what ``serve.yaml`` names.

Annotations are no strings here, because `serve run` looks at that of ``build`` to read ``args``.
"""

import os

from fastapi import FastAPI
from ray import serve
from ray.serve import Application
from ray.serve.handle import DeploymentHandle

from lobug.engines.silero import SileroGate
from lobug_ray.configuration import SpeechConfig, key_of
from lobug_ray.door import DoorEngines, create_door
from lobug_ray.remote_engines import RemoteHearing, RemoteVoice
from lobug_ray.replicas import Hearing, Voice


class Door:
    """Takes requests, and asks the replicas."""

    def __init__(
        self, config: SpeechConfig, hearing: DeploymentHandle, voice: DeploymentHandle
    ) -> None:
        """Raises ValueError when a key is needed and there is none that callers could send."""
        self._config = config
        self._key = key_of(os.environ) if config.door.needs_key else None
        self._hearing = hearing
        self._voice = voice

    def __serve_build_asgi_app__(self) -> FastAPI:
        """The application that Ray Serve runs in this process."""
        settings = self._config.settings()
        engines = DoorEngines(
            gate=SileroGate(settings),
            stt=RemoteHearing(self._hearing),
            tts=RemoteVoice(self._voice),
        )
        return create_door(
            settings, engines, key=self._key, max_requests=self._config.door.max_requests
        )


def build(args: SpeechConfig) -> Application:
    """The application for a configuration."""
    hearing = serve.deployment(Hearing, name="hearing", **args.hearing.options())
    voice = serve.deployment(Voice, name="voice", **args.voice.options())
    door = serve.deployment(serve.ingress()(Door), name="door", **args.door.options())
    return door.bind(args, hearing.bind(args), voice.bind(args))
