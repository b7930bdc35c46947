"""What the simulated device sends is what the first firmware sends."""

from __future__ import annotations

import json

import pytest

from lobug.simulator import requests
from lobug.simulator.requests import Orientation, SensorModel, ServerAddress, parse_server


def test_the_multipart_body_byte_for_byte() -> None:
    wav = b"RIFF\x00\xff\r\n--not a boundary\r\n"
    assert requests.multipart_body(wav) == (
        b"------M5StackBoundary\r\n"
        b'Content-Disposition: form-data; name="audio"; filename="recording.wav"\r\n'
        b"Content-Type: audio/wav\r\n"
        b"\r\n"
        b"RIFF\x00\xff\r\n--not a boundary\r\n"
        b"\r\n------M5StackBoundary--\r\n"
    )


def test_headers_are_those_of_the_esp32_client_and_no_others() -> None:
    server = parse_server("http://192.168.1.5:8321/")
    request = requests.audio_request(server, b"abc")
    assert request.headers == (
        ("Host", "192.168.1.5:8321"),
        ("User-Agent", "ESP32HTTPClient"),
        ("Connection", "keep-alive"),
        ("Accept-Encoding", "identity;q=1,chunked;q=0.1,*;q=0"),
        ("Content-Type", "multipart/form-data; boundary=----M5StackBoundary"),
        ("Content-Length", str(len(request.body))),
    )
    assert requests.health_request(server).headers == request.headers[:4]


def test_a_device_id_is_one_header_more() -> None:
    server = parse_server("http://bug:8321")
    plain = requests.text_request(server, "hi").headers
    named = requests.text_request(server, "hi", "core2-1").headers
    assert set(named) - set(plain) == {("Device-Id", "core2-1")}


def test_json_bodies_are_compact_utf8() -> None:
    server = parse_server("bug:8321")
    assert requests.text_request(server, "grüß dich").body == '{"text":"grüß dich"}'.encode()


@pytest.mark.parametrize(
    ("address", "url", "host"),
    [
        ("127.0.0.1:8321", "http://127.0.0.1:8321", "127.0.0.1:8321"),
        ("http://bug.local/", "http://bug.local", "bug.local"),
        ("http://bug.local:80", "http://bug.local:80", "bug.local"),
        ("https://bug.example/lobug/", "https://bug.example/lobug", "bug.example"),
        ("http://[::1]:8321", "http://[::1]:8321", "[::1]:8321"),
    ],
)
def test_addresses(address: str, url: str, host: str) -> None:
    assert parse_server(address) == ServerAddress(url, host)


@pytest.mark.parametrize("address", ["", "ftp://bug", "http://", "http://bug:port", "bug:99999"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_server(address)


def test_sensor_reports_have_the_fields_of_the_contract() -> None:
    server = parse_server("bug:8321")
    body = json.loads(requests.sensors_request(server, SensorModel().reading(0).payload()).body)
    assert list(body) == [
        "orientation",
        "is_moving",
        "is_shaking",
        "tap_detected",
        "accel_x",
        "accel_y",
        "accel_z",
        "gyro_x",
        "gyro_y",
        "gyro_z",
    ]


def test_a_resting_device_feels_gravity_and_little_else() -> None:
    readings = [SensorModel(seed=7).reading(index) for index in range(200)]
    assert all(abs(r.accel_z - 1.0) < 0.05 and abs(r.accel_x) < 0.05 for r in readings)
    assert not any(r.is_moving or r.is_shaking or r.tap_detected for r in readings)
    assert len({r.accel_z for r in readings}) > 10, "there is some noise"


def test_the_same_seed_gives_the_same_readings_in_any_order() -> None:
    forwards = [SensorModel(seed=3).reading(index) for index in range(5)]
    backwards = [SensorModel(seed=3).reading(index) for index in reversed(range(5))]
    assert forwards == backwards[::-1]
    assert forwards != [SensorModel(seed=4).reading(index) for index in range(5)]


@pytest.mark.parametrize("orientation", list(Orientation))
def test_shaking_shows_in_numbers_and_flags(orientation: Orientation) -> None:
    model = SensorModel(orientation=orientation, shaken=True)
    for reading in map(model.reading, range(50)):
        length = (reading.accel_x**2 + reading.accel_y**2 + reading.accel_z**2) ** 0.5
        assert reading.is_shaking
        assert reading.is_moving
        assert abs(length - 1.0) > 0.4


def test_a_tap_is_reported_once() -> None:
    model = SensorModel(tapped=True)
    assert [model.reading(index).tap_detected for index in range(3)] == [True, False, False]
