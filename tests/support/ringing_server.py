"""A server with a device on which a timer rings. Run as a program, it prints what it heard as JSON:

python ringing_server.py FOLDER ring|silence|look

``ring``: set a timer unless there is one, hear it ring, then ``kill -9``. ``silence``: hear it,
touch the device, then ``kill -9``. ``look``: listen for a while and end.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.unasked_kit import DESK, house


async def main() -> None:
    folder, act = Path(sys.argv[1]), sys.argv[2]
    async with house(folder) as here, here.connect(DESK) as client:
        if act == "look":
            await asyncio.sleep(1.5)
        elif not await here.alerts():
            await here.set("timer", "pasta")
            here.pass_s(60)
        if act != "look":
            await client.until(lambda: len(client.audio()) > 60_000)
        if act == "silence":
            await client.say(type="abort")
            while any(one.silenced_at is None for one in await here.alerts()):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        heard = {m["text"] for m in client.messages("tts") if "text" in m}
        sys.stdout.write(f"{json.dumps(sorted(heard))}\n")
        sys.stdout.flush()
        if act != "look":
            os.kill(os.getpid(), signal.SIGKILL)


asyncio.run(main())
