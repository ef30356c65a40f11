"""``pattern2plan review serve``: the review desk in a browser."""

from __future__ import annotations

import socket
from contextlib import closing, suppress
from typing import Annotated

import typer

from resources.console.output import err
from resources.databases.connections import open_supply_store
from resources.foundation.clock import SystemClock
from resources.foundation.errors import AddressNotUsable, one_line
from resources.foundation.folder_names import REPORTS
from resources.settings.demand import read_settings
from resources.settings.desk import HOSTS, read_desk_settings
from resources.settings.supply import read_supply_settings

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve_desk(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = LOOPBACK[0],
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8400,
) -> None:
    """Decide on a web page; PATTERN2PLAN_DESK_TOKEN or a proxy's user header lets people in."""
    import uvicorn

    from desk.app import build_desk
    from desk.server import DeskServer

    settings = read_desk_settings()
    if host not in LOOPBACK:
        err.print(f"listening beyond this machine: put a proxy with TLS before it, and name its host in {HOSTS}")
    with closing(open_supply_store(read_supply_settings())) as store, _listen(host, port) as listening:
        config = uvicorn.Config(
            build_desk(store, settings, SystemClock(), read_settings().home / REPORTS),
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
        )
        err.print(f"review desk: http://{f'[{host}]' if ':' in host else host}:{port}", markup=False)
        with suppress(KeyboardInterrupt):
            DeskServer(config).run([listening])


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, before anything is said of an address that may be taken."""
    try:
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        raise AddressNotUsable(
            f"{host}:{port} cannot be listened on: {one_line(error)}", "give another --port"
        ) from error
