"""``pattern2plan metrics``: numbers for Prometheus, once to a file or standard output, or served until told to end."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from prometheus_client import generate_latest, start_http_server

from lineage.metrics.collector import registry
from resources.console.output import err, out
from resources.console.program import stop_signal
from resources.databases.connections import open_facts, open_store, open_supply_store
from resources.foundation.atomic_files import write_atomically
from resources.foundation.errors import AddressNotUsable, ServiceUnreachable, UsageError
from resources.foundation.folders import require_parent
from resources.settings.demand import read_settings
from resources.settings.supply import read_supply_settings

LOOPBACK, PORT = "127.0.0.1", 9464

metrics_app = typer.Typer(help="Numbers for Prometheus.", invoke_without_command=True)


@metrics_app.callback()
def print_metrics(
    context: typer.Context,
    textfile: Annotated[
        Path | None, typer.Option(help="Write them here, whole or not at all; for node_exporter's textfile collector.")
    ] = None,
) -> None:
    """Read the three databases and print their numbers; one that is away is `pattern2plan_up` 0 and no error."""
    if context.invoked_subcommand is not None:
        if textfile is not None:
            raise UsageError("--textfile is not for `metrics serve`", "leave it away")
        return
    if textfile is not None and textfile.suffix != ".prom":
        raise UsageError(f"--textfile: {textfile.name} does not end in .prom", "node_exporter reads no other files")
    if textfile is not None:
        require_parent(textfile)
    _require_settings()
    numbers = generate_latest(registry())
    if textfile is None:
        sys.stdout.write(numbers.decode())
    else:
        write_atomically(textfile, numbers)


@metrics_app.command("serve")
def serve_metrics(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = PORT,
) -> None:
    """Answer GET /metrics with fresh numbers until SIGINT or SIGTERM."""
    _require_settings()
    stop = stop_signal()
    try:
        server, thread = start_http_server(port, host, registry())
    except OSError as error:
        raise AddressNotUsable(
            f"{host}:{port} cannot be listened on: {error.strerror}", "name another --port"
        ) from None
    shown = f"[{host}]" if ":" in host else host
    out.print(f"http://{shown}:{server.server_port}/metrics")
    out.file.flush()
    stop.wait()
    server.shutdown()
    server.server_close()
    thread.join()
    err.print("ended")


def _require_settings() -> None:
    """Settings that are wrong are said at once; only a database that is away is a number."""
    settings, supply_settings = read_settings(), read_supply_settings()
    for make in (
        lambda: open_facts(settings),
        lambda: open_store(settings),
        lambda: open_supply_store(supply_settings),
    ):
        with suppress(ServiceUnreachable):
            make()
