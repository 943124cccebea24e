"""The server: a page, its assets and a socket, on loopback, for the browser that was given the token."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...tell.draw.page.render_template import asset, render_template
from ...tell.draw.svg import stylesheet
from ..workers.pool import PoolLimits, WorkerPool
from .document import Document
from .guard import HOST, Guard, nonce
from .page_session import PageSession
from .redirect import RedirectFile

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.websockets import WebSocket

#: How often the file is looked at, in seconds.
LOOK = 1.0

#: The largest message that a page may send.
MOST_BYTES = 17 * 2**20

#: Seconds that a connection may take to send a request.
PATIENCE = 10.0

#: Path -> the media type and where the asset is.
_SCRIPT, _STYLE = "text/javascript", "text/css"


class Studio:
    """What the pages of one server share."""

    def __init__(
        self,
        guard: Guard,
        document: Document,
        start: dict[str, Any],
        limits: PoolLimits | None = None,
        fragment: str = "",
    ) -> None:
        self.guard, self.document, self.start, self.fragment = guard, document, start, fragment
        self.pool = WorkerPool(limits)
        self.pages: set[PageSession] = set()
        self.stopped = False
        #: The file that led the browser here, until it has.
        self.redirect: RedirectFile | None = None

    async def watch_file(self) -> None:
        """Tell every page when another program, or another page, has changed the file."""
        while True:
            await asyncio.sleep(LOOK)
            await asyncio.to_thread(self.document.look)
            for page in list(self.pages):
                page.tell_of_file()

    def open_in_browser(self) -> None:
        """Other users see the arguments of the browser, so they are a file that only we can read."""
        self.redirect = RedirectFile(self.guard.address)
        address = self.redirect.path.as_uri()
        threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()

    def forget_redirect(self) -> None:
        if self.redirect is not None:
            self.redirect.remove()

    # ---- requests --------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        """The page; with the token in the address, first the cookie and the address without it."""
        from starlette.responses import HTMLResponse, PlainTextResponse

        refused = self.guard.refusal(request.headers)
        if refused is not None:
            return PlainTextResponse(refused, 403, self.guard.headers(""))
        token = request.query_params.get("token")
        if request.method == "GET" and self.guard.exchange(token):
            self.forget_redirect()
            answer = self._lead_on()
            answer.set_cookie(
                self.guard.cookie, self.guard.session, httponly=True, samesite="strict", path="/"
            )
            return answer
        if not self.guard.knows_cookie(request.cookies):
            return PlainTextResponse(self._no_entry(token), 403, self.guard.headers(""))
        if token is not None:
            return self._lead_on()
        fresh = nonce()
        page = render_template("studio", nonce=fresh, served=True)
        return HTMLResponse(page, headers=self.guard.headers(fresh))

    def _lead_on(self) -> Response:
        """To the page without the token. Not by a redirect: where a file or another page led here, browsers
        send no strict cookie along it."""
        from starlette.responses import HTMLResponse

        address = f"/#{self.fragment}" if self.fragment else "/"
        return HTMLResponse(render_template("redirect", address=address), headers=self.guard.headers(nonce()))

    def _no_entry(self, token: str | None) -> str:
        """Who has lost the cookie, or wants another browser, gets a new address where only they read it."""
        if not self.guard.knew_token(token):
            return "Open the address that `stormproof studio` printed: it has the token of this server."
        if self.guard.renew():
            print(f"another address, since that one has been used: {self.guard.address}", flush=True)
        return (
            "This address has been used, and serves once. Go on in the browser that used it, or open the new "
            "address that `stormproof studio` has printed in its terminal."
        )

    async def asset(self, request: Request) -> Response:
        from starlette.responses import PlainTextResponse, Response

        name = request.path_params["name"]
        refused = self.guard.refusal(request.headers)
        if refused is not None or not self.guard.knows_cookie(request.cookies):
            return PlainTextResponse(refused or "the token is missing", 403, self.guard.headers(""))
        found = page_assets().get(name)
        if found is None:
            return PlainTextResponse("there is nothing here", 404, self.guard.headers(""))
        media, text = found
        return Response(text, media_type=media, headers=self.guard.headers(""))

    async def icon(self, request: Request) -> Response:
        """Some browsers ask for one although the page says that it has none; an error would show there."""
        from starlette.responses import Response

        return Response(status_code=204, headers=self.guard.headers(""))

    async def talk(self, websocket: WebSocket) -> None:
        """The socket of one page."""
        refused = self.guard.refusal(websocket.headers, needs_origin=True)
        if refused is not None or not self.guard.knows_cookie(websocket.cookies):
            await websocket.close(1008, refused or "the token is missing")
            return
        await websocket.accept()
        session = PageSession(websocket, self.pool, self.document, self.start)
        self.pages.add(session)
        try:
            await session.greet()
            while (said := await websocket.receive())["type"] != "websocket.disconnect":
                if not await session.hear(said.get("text")):
                    self.stopped = True
                    return
        finally:
            self.pages.discard(session)
            session.close()


def page_assets() -> dict[str, tuple[str, str]]:
    """What the page loads, all of it from here."""
    here = resources.files(__package__).joinpath("static")
    read = {
        name: here.joinpath(name).read_text("utf-8") for name in ("studio.js", "studio.css", "LICENSES.txt")
    }
    style = asset("report.css") + stylesheet() + read["studio.css"]
    return {
        "stage.js": (_SCRIPT, asset("stage.js")),
        "studio.js": (_SCRIPT, read["studio.js"]),
        "studio.css": (_STYLE, style),
        "licenses.txt": ("text/plain", read["LICENSES.txt"]),
    }


def application(studio: Studio) -> Starlette:
    from starlette.applications import Starlette
    from starlette.routing import Route, WebSocketRoute

    return Starlette(
        routes=[
            Route("/", studio.page),
            Route("/favicon.ico", studio.icon),
            Route("/assets/{name}", studio.asset),
            WebSocketRoute("/socket", studio.talk),
        ],
    )


@contextlib.asynccontextmanager
async def _working(studio: Studio) -> AsyncIterator[None]:
    """The file is watched, and workers wait for questions."""
    watching = asyncio.create_task(studio.watch_file())
    try:
        await studio.pool.warm(2)
        yield
    finally:
        watching.cancel()
        await studio.pool.close()


def listen(port: int) -> socket.socket:
    """A socket on loopback that takes connections from now on; port 0 is any that is free."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen(128)
    except (OSError, OverflowError) as problem:
        found.close()
        raise UsageError(
            f"port {port} cannot be used: {problem}", hint="leave --port out for a free one"
        ) from None
    return found


def _impatient() -> type[asyncio.Protocol]:
    """The protocol of uvicorn, which by itself waits for the end of a request for ever."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class ImpatientProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            asyncio.get_running_loop().call_later(PATIENCE, self._give_up)

        def _give_up(self) -> None:
            if self.cycle is None and self.transport.get_protocol() is self:
                self.transport.close()

    return ImpatientProtocol


async def serve(studio: Studio, listening: socket.socket) -> None:
    """Until a signal, or until a page tells it to stop."""
    import uvicorn

    class Server(uvicorn.Server):
        async def on_tick(self, counter: int) -> bool:
            if studio.stopped:  # connections that do not end by themselves are nothing to report
                logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            return await super().on_tick(counter) or studio.stopped

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """`stop_by_signals` does, for the time before and after this too."""
            yield

    config = uvicorn.Config(
        application(studio),
        http=_impatient(),
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws_max_size=MOST_BYTES,
        timeout_graceful_shutdown=1,
    )
    async with _working(studio):
        await Server(config).serve(sockets=[listening])
