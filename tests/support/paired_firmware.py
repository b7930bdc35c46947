"""The discovery and pairing part of a device's firmware: its requests and what it stores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import httpx

from support.simulated_address import remote_headers

DESCRIPTION = {
    "version": 2,
    "flash_size": 16777216,
    "mac_address": "AA:BB:CC:DD:EE:01",
    "application": {"name": "xiaozhi", "version": "2.0.1"},
    "board": {"type": "m5stack-core-s3", "ssid": "home", "rssi": -55},
}


@dataclass
class Firmware:
    """One device. ``stored`` survives a reboot."""

    http: httpx.AsyncClient
    address: str = "192.168.1.7"
    device_id: str = "AA:BB:CC:DD:EE:01"
    client_id: str = "5e5c5a0c-0000-4000-8000-000000000001"
    ota_url: str = "/xiaozhi/ota/"
    stored: dict[str, Any] = field(default_factory=dict)
    activation: dict[str, Any] | None = None
    """The text on its screen."""

    @property
    def headers(self) -> dict[str, str]:
        return remote_headers(
            self.address,
            **{
                "Activation-Version": "1",
                "Device-Id": self.device_id,
                "Client-Id": self.client_id,
                "User-Agent": "m5stack-core-s3/2.0.1",
                "Accept-Language": "en-US",
            },
        )

    async def check_version(self) -> dict[str, Any]:
        """Send a discovery request and store the answer."""
        answer = await self.http.post(self.ota_url, headers=self.headers, json=DESCRIPTION)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        assert "mqtt" not in found, "a device would prefer it"
        assert found["firmware"] == {"version": "2.0.1", "url": ""}, "it must not flash anything"
        self.activation = found.get("activation")
        self.stored |= found.get("websocket", {})
        return found

    async def activate(self) -> int:
        """Ask whether it may go on: 202 not yet, 200 yes. It does not even ask without a
        challenge."""
        assert self.activation is not None
        assert self.activation["challenge"]
        url = self.ota_url + ("activate" if self.ota_url.endswith("/") else "/activate")
        answer = await self.http.post(url, headers=self.headers, content=b"{}")
        return answer.status_code

    def opening(self) -> dict[str, str]:
        """Return the headers of its WebSocket request."""
        headers = remote_headers(self.address, **{"Client-Id": self.client_id})
        if self.stored.get("token"):
            headers["Authorization"] = f"Bearer {self.stored['token']}"
        return headers
