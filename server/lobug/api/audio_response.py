"""Sound that is sent while it is made."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

log = logging.getLogger(__name__)


class AudioResponse(StreamingResponse):
    """A body of unknown length. ``close`` stops whatever makes it, however the answer ends: sent to
    its end, the caller gone, or nothing read for ``send_timeout_s`` seconds."""

    def __init__(
        self,
        content: AsyncGenerator[bytes],
        *,
        media_type: str,
        headers: Mapping[str, str],
        close: Callable[[], Awaitable[None]],
        send_timeout_s: float,
    ) -> None:
        super().__init__(
            content, media_type=media_type, headers={"Cache-Control": "no-store", **headers}
        )
        self._close = close
        self._send_timeout_s = send_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""

        async def sending(message: Message) -> None:
            async with asyncio.timeout(self._send_timeout_s):
                await send(message)

        background, self.background = self.background, None
        try:
            await super().__call__(scope, receive, sending)
        except TimeoutError:
            log.info("a caller reads nothing of the sound that it asked for; given up")
        finally:
            await self._close()
        if background is not None:
            await background()
