"""Serves the platform on real sockets: in a thread for tests and the demo, until a signal for the command.

Belongs here: sockets, the server's life, the way a connection is dropped. Does not belong here: what is served.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from resources.foundation.errors import AddressNotUsable, ServiceUnreachable, one_line
from sandbox.platform.serving.endpoints import TRANSPORT

LOOPBACK = "127.0.0.1"
_BACKLOG = 512
_START_LIMIT_S = 30
_KEEP_ALIVE_S = 60


class _DroppableHttp(HttpToolsProtocol):
    """HTTP that hands its connection to the application, which may cut it."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"][TRANSPORT] = self.transport


class _Server(uvicorn.Server):
    """A server that says when it is ready, and leaves signals to its owner."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@dataclass(frozen=True)
class RunningPlatform:
    """A platform that answers at ``url`` (no trailing slash)."""

    host: str
    port: int

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


@contextmanager
def serve(app: Starlette, *, host: str = LOOPBACK, port: int = 0) -> Iterator[RunningPlatform]:
    """Serve ``app`` in a thread while the block runs; port 0 takes a free one.

    Raises:
        AddressNotUsable: the address is taken or not this machine's.
        ServiceUnreachable: the server did not come up.
    """
    listening = _listen(host, port)
    config = uvicorn.Config(
        app,
        http=_DroppableHttp,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), name="platform-sandbox", daemon=True)
    thread.start()
    try:
        if not server.ready.wait(_START_LIMIT_S):
            raise ServiceUnreachable("the platform sandbox did not come up")
        yield RunningPlatform(host, listening.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise AddressNotUsable(f"host {host} cannot be listened on: {one_line(error)}") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise AddressNotUsable(
            f"{host}:{port} cannot be listened on: {one_line(error)}", "give another --port"
        ) from error
    return listening
