"""Who may talk to the server. Every test is an attack that another page or program could try."""

from __future__ import annotations

import http.client
import re
from collections.abc import Iterator

import pytest
from websockets.exceptions import InvalidStatus

from stormproof.apps.studio.guard import Guard
from tests.support.studio_server import StudioServer, TalkingPage

PATHS = ("/", "/assets/studio.js", "/assets/licenses.txt")


@pytest.fixture(scope="module")
def studio() -> Iterator[StudioServer]:
    with StudioServer("alternating-bit") as found:
        yield found


def test_the_token_becomes_a_cookie_once_and_leaves_the_address() -> None:
    with StudioServer() as studio:
        the_token_serves_once(studio)


def the_token_serves_once(studio: StudioServer) -> None:
    address = f"/?token={studio.token}"
    link = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)
    link.request("HEAD", address)
    assert link.getresponse().status == 403, "only who wants the page uses the address"
    link.close()
    status, headers, text = studio.get(address)
    assert status == 200 and 'http-equiv="refresh" content="0; url=/"' in text and studio.token not in text
    flags = {part.strip().lower() for part in headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict"} <= flags
    assert studio.token not in headers["set-cookie"], "whoever sees the cookie does not learn the token"
    cookie = headers["set-cookie"].partition(";")[0]
    for _ in range(2):
        status, _, page = studio.get("/", cookie=cookie)
        assert status == 200 and "stormproof studio" in page, "the page can be loaded again"
        status, again, page = studio.get(address, cookie=cookie)
        assert status == 200 and "set-cookie" not in again, "the browser that used it is let in"
    for _ in range(2):
        status, refused, words = studio.get(address)
        assert status == 403 and "set-cookie" not in refused
        assert "has been used" in words and "new address" in words and "http" not in words
    said = studio.stop()[1]
    (new,) = re.findall(r"another address.*token=([\w-]+)", said)
    assert new not in (studio.token, words)


def test_the_new_address_lets_another_browser_in_once() -> None:
    guard = Guard(8080)
    first = guard.token
    assert not guard.renew(), "nobody has used the first yet"
    assert guard.exchange(first) and not guard.exchange(first) and guard.knew_token(first)
    assert guard.renew() and not guard.renew() and guard.token != first
    assert not guard.exchange(first) and not guard.exchange(None) and not guard.exchange("")
    assert guard.exchange(guard.token) and not guard.exchange(guard.token)


@pytest.mark.parametrize("path", PATHS)
def test_nothing_without_the_token(studio: StudioServer, path: str) -> None:
    for address in (path, f"{path}?token=", f"{path}?token={studio.token[:-1]}"):
        status, headers, text = studio.get(address)
        assert status == 403 and "set-cookie" not in headers and "alternating" not in text
    name = studio.cookie().partition("=")[0]
    assert studio.get(path, cookie=f"{name}=wrong")[0] == 403


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:{port}.evil.example", "127.0.0.2:{port}"],
)
def test_another_host_is_refused_even_with_the_cookie(studio: StudioServer, path: str, host: str) -> None:
    """DNS rebinding: the browser believes that a foreign name is this machine, and sends what it has."""
    status, headers, _ = studio.get(path, host=host.format(port=studio.port), cookie=studio.cookie())
    assert status == 403 and "set-cookie" not in headers
    assert studio.get(f"/?token={studio.token}", host=host.format(port=studio.port))[0] == 403


ORIGINS = [
    "https://evil.example",
    "null",
    "http://127.0.0.1:1",
    "http://localhost",
    "https://127.0.0.1:{port}",
]


@pytest.mark.parametrize("origin", ORIGINS)
def test_another_origin_is_refused_even_with_the_cookie(studio: StudioServer, origin: str) -> None:
    foreign = origin.format(port=studio.port)
    status, headers, _ = studio.get("/", origin=foreign, cookie=studio.cookie())
    assert status == 403
    assert not [name for name in headers if name.startswith("access-control")], "no CORS"
    with pytest.raises(InvalidStatus) as refused:
        studio.socket(origin=foreign)
    assert refused.value.response.status_code == 403


def test_a_script_of_another_port_is_refused(studio: StudioServer) -> None:
    """To a browser, other ports of this machine are the same site: the cookie is sent along."""
    wanted = {"cookie": studio.cookie(), "sec_fetch_site": "same-site", "sec_fetch_mode": "no-cors"}
    assert studio.get("/assets/studio.js", **wanted)[0] == 403


@pytest.mark.parametrize("headers", [{"cookie": ""}, {"origin": ""}, {"host": "evil.example"}])
def test_a_socket_needs_cookie_origin_and_host(studio: StudioServer, headers: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus) as refused:
        studio.socket(**headers)
    assert refused.value.response.status_code == 403


def test_the_policy_lets_the_page_load_nothing_from_elsewhere(studio: StudioServer) -> None:
    _, headers, page = studio.get("/", cookie=studio.cookie())
    policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'" and "unsafe" not in headers["content-security-policy"]
    assert (
        headers["cross-origin-resource-policy"] == "same-origin"
        and headers["referrer-policy"] == "no-referrer"
    )
    assert "http://" not in page and "https://" not in page
    other = studio.get("/", cookie=studio.cookie())[1]
    assert other["content-security-policy"] != headers["content-security-policy"], "a nonce is used once"


def test_no_path_of_the_page_reaches_a_file(studio: StudioServer) -> None:
    for path in ("/assets/..%2f__init__.py", "/assets/%2fetc%2fpasswd", "/etc/passwd", "/assets/"):
        assert studio.get(path, cookie=studio.cookie())[0] == 404
    assert studio.get("/favicon.ico")[0] == 204, "browsers ask for it without a cookie; it is empty"
    page = TalkingPage(studio)
    assert "no built-in protocol" in page.ask("library", name="../../secret")["problem"]
    assert "no file to save to" in page.ask("save", text="x", base="", path="/tmp/x")["problem"]
    page.close()
