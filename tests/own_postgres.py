"""A PostgreSQL server of a test's own, which may be killed without hurting anybody else's."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL

ACCOUNT = "postgres"


@dataclass(frozen=True)
class OwnPostgres:
    """A cluster in a folder; trusts everybody on loopback."""

    folder: Path
    port: int

    @property
    def url(self) -> URL:
        return URL.create("postgresql+psycopg", username=ACCOUNT, host="127.0.0.1", port=self.port, database="postgres")

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        _run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def kill(self) -> None:
        """As a crash: no goodbye to anybody, recovery at the next start."""
        _run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """A new cluster, gone with the block."""
    folder = Path(tempfile.mkdtemp(prefix="p2p_pg_"))
    shutil.chown(folder, ACCOUNT)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    server = OwnPostgres(folder, port)
    _run("initdb", "-D", str(folder / "data"), "--auth=trust", "--encoding=UTF8", "--no-sync")
    server.start()
    try:
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def _run(program: str, *arguments: str) -> None:
    binary = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))[-1]
    as_account = ["runuser", "-u", ACCOUNT, "--"] if os.geteuid() == 0 else []
    subprocess.run([*as_account, str(binary), *arguments], check=True, capture_output=True, cwd="/")
