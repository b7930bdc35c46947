"""HTTPS on real sockets: who is believed, what both ports share, renewal while it runs, and what
becomes of connections that never say anything."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from fastapi import Request
from websockets.asyncio.client import connect

from lobug.admission.ledger import Capacity
from lobug.cli.doctor.https import check_https
from lobug.cli.http_server import open_https_socket
from lobug.tls.certificates import names_of
from support.app_server import ScriptedEngines
from support.firmware_tls import Authority
from support.patience import PATIENCE_S
from support.scripted_serve import lobug, scripted_serve
from support.tls_kit import Computer, SecureServer, secure_server

ELSEWHERE = {"X-Forwarded-For": "203.0.113.7"}
"""Makes a request of this computer one of a stranger."""


@pytest.fixture
def computer(tmp_path: Path) -> Computer:
    return Computer(tmp_path, now=datetime.now(UTC))


@contextlib.asynccontextmanager
async def serving(computer: Computer) -> AsyncIterator[SecureServer]:
    async with secure_server(computer, ScriptedEngines()) as server:
        yield server


@contextlib.asynccontextmanager
async def client(
    url: str, verify: ssl.SSLContext | bool = True
) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(
        base_url=url, verify=verify, timeout=PATIENCE_S, trust_env=False
    ) as http:
        yield http


async def shown(server: SecureServer, context: ssl.SSLContext) -> x509.Certificate:
    """The certificate that a new connection gets."""
    _, writer = await asyncio.open_connection("localhost", server.https_port, ssl=context)
    try:
        der = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    return x509.load_der_x509_certificate(der)


async def gone(server: SecureServer, left: int = 0) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while len(server.admission) > left:  # noqa: ASYNC110 - the server offers no event for it
            await asyncio.sleep(0.01)


async def run(*command: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        lambda: subprocess.run(command, capture_output=True, text=True, check=False)
    )


# ---- who is believed


async def test_both_ports_are_one_server(computer: Computer) -> None:
    async with (
        serving(computer) as server,
        client(server.https, server.trusting()) as secure,
        client(server.http) as plain,
    ):

        async def scheme(request: Request) -> str:
            return request.url.scheme

        server.app.add_api_route("/scheme", scheme)
        assert (await secure.get("/scheme")).json() == "https"
        assert (await plain.get("/scheme")).json() == "http"
        made = await secure.post("/notes", json={"content": "The key is under the stone."})
        assert made.status_code == 200, made.text
        read = (await plain.get("/notes")).json()["notes"]
        assert [note["content"] for note in read] == ["The key is under the stone."]
        assert (await plain.get("/health")).json()["degraded"] == []
        instance = [
            (await http.get("/health")).headers["lobug-instance"] for http in (secure, plain)
        ]
        assert instance[0] == instance[1]


async def test_a_name_that_it_does_not_have_and_another_authority_are_refused(
    computer: Computer, tmp_path: Path
) -> None:
    stranger = ssl.create_default_context(cafile=Authority(tmp_path / "ca").file)
    async with serving(computer) as server:
        trusting = server.trusting()
        for context, name in (
            (trusting, "desk.lan"),
            (trusting, "192.168.1.6"),
            (stranger, "localhost"),
            (ssl.create_default_context(), "localhost"),
        ):
            with pytest.raises(ssl.SSLCertVerificationError):
                await asyncio.open_connection(
                    "127.0.0.1", server.https_port, ssl=context, server_hostname=name
                )
        for name in ("localhost", "127.0.0.1", "192.168.1.5"):
            _, writer = await asyncio.open_connection(
                "127.0.0.1", server.https_port, ssl=trusting, server_hostname=name
            )
            writer.close()
        await gone(server)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_the_versions_of_tls(computer: Computer, version: ssl.TLSVersion) -> None:
    async with serving(computer) as server:
        context = server.trusting()
        context.minimum_version = context.maximum_version = version
        async with client(server.https, context) as http:
            assert (await http.get("/health")).status_code == 200


async def test_curl_and_openssl_believe_what_everybody_may_download(
    computer: Computer, tmp_path: Path
) -> None:
    async with serving(computer) as server, client(server.http, verify=False) as http:
        der = await http.get("/web/certificate", headers=ELSEWHERE)
        pem = await http.get("/web/certificate", params={"format": "pem"}, headers=ELSEWHERE)
        assert der.headers["content-type"] == "application/x-x509-ca-cert"
        assert 'filename="lobug-ca.crt"' in der.headers["content-disposition"]
        assert pem.headers["content-type"].startswith("text/plain")
        parsed = x509.load_der_x509_certificate(der.content)
        assert parsed == x509.load_pem_x509_certificate(pem.content) == server.tls.authority
        wrong = await http.get("/web/certificate", params={"format": "zip"})
        assert wrong.json()["error"]["code"] == "invalid_request"
        authority = tmp_path / "ca.pem"
        authority.write_bytes(pem.content)
        if shutil.which("openssl"):
            file = str(computer.settings.tls_dir / "server.pem")
            done = await run("openssl", "verify", "-x509_strict", "-CAfile", str(authority), file)
            assert done.stdout.endswith(": OK\n"), done.stderr
        if shutil.which("curl"):
            for trust, good in ((["--cacert", str(authority)], True), ([], False)):
                done = await run("curl", "-sS", "--noproxy", "*", *trust, f"{server.https}/health")
                assert (done.returncode == 0) is good, done.stderr


async def test_with_a_certificate_of_ones_own_there_is_none_to_download(
    computer: Computer, tmp_path: Path
) -> None:
    authority = Authority(tmp_path / "ca")
    files = authority.issue(["localhost"], valid_for=timedelta(days=60))
    computer.sections = {"tls": {"certificate": str(files.certificate), "key": str(files.key)}}
    trusting = ssl.create_default_context(cafile=authority.file)
    async with serving(computer) as server, client(server.https, trusting) as http:
        answer = await http.get("/web/certificate")
        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "certificate_missing"
        # Its files are replaced while it runs, as by certbot; first wrongly.
        old = server.tls.context
        new = authority.issue(["localhost"], valid_for=timedelta(days=60))
        files.certificate.write_bytes(new.certificate.read_bytes())
        await server.tls.check()
        assert server.tls.context is old
        assert "does not belong" in " ".join((await http.get("/health")).json()["degraded"])
        assert await shown(server, trusting) != x509.load_pem_x509_certificate(
            new.certificate.read_bytes()
        )
        files.key.write_bytes(new.key.read_bytes())
        await server.tls.check()
        assert (await http.get("/health")).json()["degraded"] == []
        assert await shown(server, trusting) == x509.load_pem_x509_certificate(
            new.certificate.read_bytes()
        )


async def test_a_device_talks_over_tls(computer: Computer) -> None:
    async with serving(computer) as server:
        url = f"wss://localhost:{server.https_port}/xiaozhi/v1/"
        async with connect(
            url, ssl=server.trusting(), additional_headers={"Device-Id": "aa:bb"}, proxy=None
        ) as device:
            audio = {"format": "pcm", "sample_rate": 16_000, "channels": 1, "frame_duration": 60}
            await device.send(
                json.dumps(
                    {"type": "hello", "version": 1, "transport": "websocket", "audio_params": audio}
                )
            )
            async with asyncio.timeout(PATIENCE_S):
                answer = json.loads(await device.recv())
            assert answer["type"] == "hello"
        await gone(server)


# ---- renewal


async def test_it_is_renewed_while_it_runs_and_open_connections_stay(
    computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    today = computer.now
    monkeypatch.setattr("lobug.tls.shown.EARLIEST", today - timedelta(days=1000))
    computer.now = today - timedelta(days=380)
    async with serving(computer) as server:
        trusting = server.trusting()
        async with client(server.https, trusting) as http:
            assert (await http.get("/health")).status_code == 200
            first = await shown(server, trusting)
            await server.tls.check()
            assert await shown(server, trusting) == first
            computer.now = today
            await server.tls.check()
            second = await shown(server, trusting)
            assert second != first
            assert second.not_valid_after_utc > today + timedelta(days=390)
            computer.addresses = ["10.0.0.7"]
            await server.tls.check()
            assert "10.0.0.7" in names_of(await shown(server, trusting))
            assert server.app.state.web_addresses.https_url == (
                f"https://10.0.0.7:{server.https_port}/"
            )
            assert (await http.get("/health")).status_code == 200


async def test_the_timer_checks_it(computer: Computer) -> None:
    tls = computer.tls(check_s=0.01)
    found: list[str | None] = []
    await tls.start(lambda addresses: found.append(addresses.https_url))
    try:
        computer.addresses = ["10.0.0.9"]
        async with asyncio.timeout(PATIENCE_S):
            while found[-1] != "https://10.0.0.9:8322/":  # noqa: ASYNC110 - its timer is watched
                await asyncio.sleep(0.01)
    finally:
        await tls.close()


async def test_the_owner_renews_it_and_nobody_else(computer: Computer) -> None:
    async with serving(computer) as server, client(server.http) as http:
        before = server.tls.shown
        assert before is not None
        refused = await http.post("/web/certificate/renew", json={}, headers=ELSEWHERE)
        assert refused.status_code == 401
        assert server.tls.shown == before
        for wrong, code in ((b"{", "invalid_encoding"), (b'{"authorty": true}', "invalid_request")):
            refused = await http.post("/web/certificate/renew", content=wrong)
            assert refused.json()["error"]["code"] == code
        assert server.tls.shown == before
        done = await http.post("/web/certificate/renew", json={})
        assert done.status_code == 200, done.text
        assert server.tls.shown.certificate != before.certificate
        assert server.tls.shown.trusted == before.trusted
        done = await http.post("/web/certificate/renew", json={"authority": True})
        assert done.json()["fingerprint"] == server.app.state.web_addresses.fingerprint
        assert server.tls.shown.trusted != before.trusted
        assert await shown(server, server.trusting()) == server.tls.shown.certificate


async def test_a_damaged_authority_closes_https_alone_until_it_is_repaired(
    computer: Computer,
) -> None:
    computer.open()
    path = computer.settings.tls_dir / "authority.pem"
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    async with serving(computer) as server, client(server.http) as http:
        (problem,) = (await http.get("/health")).json()["degraded"]
        assert problem.startswith("https: ")
        assert "authority.pem is damaged" in problem
        assert server.app.state.web_addresses.https_url is None
        assert (await http.get("/web/certificate")).json()["error"]["code"] == "certificate_missing"
        with pytest.raises(OSError, match=r".*"):
            await shown(server, ssl._create_unverified_context())
        assert path.read_bytes() == whole[:100]
        path.write_bytes(whole)
        await server.tls.check()
        assert (await http.get("/health")).json()["degraded"] == []
        assert await shown(server, server.trusting())


# ---- connections


async def test_what_is_not_tls_ends_and_leaves_nothing(computer: Computer) -> None:
    async with serving(computer) as server:
        for said in (
            b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n",
            b"\x16\x03\x01\x00\x05hello",
            b"\0",
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.https_port)
            writer.write(said)
            writer.write_eof()
            with contextlib.suppress(OSError):
                await asyncio.wait_for(reader.read(), PATIENCE_S)
            writer.close()
        await gone(server)
        async with client(server.https, server.trusting()) as http:
            assert (await http.get("/health")).status_code == 200


async def test_who_says_nothing_is_closed_in_time(computer: Computer) -> None:
    computer.sections = {"limits": {"headers_timeout_s": 0.2}}
    async with serving(computer) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.https_port)
        with contextlib.suppress(OSError):
            assert await asyncio.wait_for(reader.read(), PATIENCE_S) == b""
        writer.close()
        # The same after the handshake, without a request.
        reader, writer = await asyncio.open_connection(
            "localhost", server.https_port, ssl=server.trusting()
        )
        with contextlib.suppress(OSError):
            assert await asyncio.wait_for(reader.read(), PATIENCE_S) == b""
        writer.close()
        await gone(server)


async def test_a_flood_that_never_shakes_hands_evicts_itself(computer: Computer) -> None:
    small = Capacity(4, 4, 4, 4, 8, 2, 8, 4)
    async with secure_server(computer, ScriptedEngines(), small) as server:
        flood = [await asyncio.open_connection("127.0.0.1", server.https_port) for _ in range(40)]
        await gone(server, 4)
        async with client(server.https, server.trusting()) as http:
            assert (await http.get("/health")).status_code == 200
        for _, writer in flood:
            writer.close()


async def test_a_large_answer_comes_whole(computer: Computer) -> None:
    async with (
        serving(computer) as server,
        client(server.https, server.trusting()) as secure,
        client(server.http) as plain,
    ):
        assert (await secure.get("/openapi.json")).content == (
            await plain.get("/openapi.json")
        ).content
        large = await secure.post("/chat/text", content=b'{"text": "' + b"a" * 60_000 + b'"}')
        assert large.json()["error"]["code"] == "text_too_long"


# ---- the program


def test_a_port_that_is_taken_leaves_http_as_it_is(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        settings = {"LOBUG_TLS__ENABLED": "true", "LOBUG_TLS__PORT": port}
        with scripted_serve(tmp_path, **settings) as server:
            (problem,) = httpx.get(
                f"{server.url}/health", trust_env=False, timeout=PATIENCE_S
            ).json()["degraded"]
            assert f"cannot listen on 127.0.0.1:{port}" in problem
            assert "HTTPS is off: cannot listen" in server.log
            assert server.say("Hello") == "I see."
        assert not (tmp_path / "data" / "tls").exists()


def test_the_program_from_start_to_end(tmp_path: Path) -> None:
    settings = {"LOBUG_TLS__ENABLED": "true", "LOBUG_TLS__PORT": "0"}
    with scripted_serve(tmp_path, **settings) as server:
        folder = tmp_path / "data" / "tls"
        url = next(line for line in server.log.splitlines() if "https://" in line).split()[1]
        context = ssl.create_default_context(cafile=folder / "lobug-ca.crt")
        with (
            httpx.Client(verify=context, trust_env=False, timeout=PATIENCE_S) as http,
            socket.create_connection(("127.0.0.1", httpx.URL(url).port or 0)),
        ):
            assert http.get(f"{url}health").json()["status"] == "ok"
            before = (folder / "server.pem").read_bytes()
            renewed = server.lobug("tls", "renew", "--json", **settings)
            assert renewed.returncode == 0, renewed.stderr
            assert (folder / "server.pem").read_bytes() != before
            fingerprint = json.loads(renewed.stdout)["fingerprint"]
            assert fingerprint in server.log
            seen = server.lobug("tls", "show", **settings)
            assert fingerprint in seen.stdout
            assert str(folder / "lobug-ca.crt") in seen.stdout
            # It ends although one connection is kept, and one never shook hands.
            server.process.terminate()
            assert server.process.wait(PATIENCE_S) in {0, -15}
    assert "Traceback" not in server.log
    renewed = lobug(tmp_path, "tls", "renew", "--authority", **settings)
    assert renewed.returncode == 0, renewed.stderr
    assert fingerprint not in renewed.stdout


def test_the_command_says_what_is_missing(tmp_path: Path) -> None:
    on = {"LOBUG_TLS__ENABLED": "true"}
    assert "HTTPS is off" in lobug(tmp_path, "tls", "show").stderr
    assert "no certificate yet" in lobug(tmp_path, "tls", "show", **on).stderr
    folder = tmp_path / "data" / "tls"
    folder.mkdir(parents=True)
    (folder / "authority.pem").write_text("rubbish")
    damaged = lobug(tmp_path, "tls", "show", **on)
    assert damaged.returncode == 1
    assert "authority.pem is damaged" in damaged.stderr
    assert "Traceback" not in damaged.stderr


def test_the_doctor_looks_at_it(computer: Computer) -> None:
    def found() -> list[tuple[str, str]]:
        return [(f.level.value, f.message) for f in check_https(computer.settings)]

    computer.sections = {"host": "127.0.0.1", "tls": {"enabled": False}}
    assert found() == [("ok", "off (tls.enabled)")]
    computer.sections = {"host": "127.0.0.1", "tls": {"port": 0}}
    assert found()[0][0] == "ok"
    computer.open()
    assert "the certificate is valid until" in found()[0][1]
    (computer.settings.tls_dir / "authority.pem").write_text("rubbish")
    assert found()[0][0] == "fail"
    with socket.create_server(("127.0.0.1", 0)) as other:
        computer.sections = {
            "host": "127.0.0.1", "port": 1, "tls": {"port": other.getsockname()[1]},
        }  # fmt: skip
        assert [level for level, _ in found()] == ["fail", "fail"]
        listener, problem = open_https_socket(computer.settings)
        assert listener is None
        assert "LOBUG_TLS__PORT" in (problem or "")
