"""Python with the libraries loaded and nothing of the product: each order is one run of pytest, in a fork.

Started by ``nursery`` in a copied tree. An order is a line of JSON on standard input, its exit code one on standard
output: loading the libraries takes longer than most tests.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Sequence

import pytest

LIBRARIES = (
    "hypothesis",
    "dagster",
    "pandas",
    "sqlalchemy.dialects.mysql",
    "sqlalchemy.dialects.postgresql",
    "alembic.command",
    "pydantic_settings",
    "psycopg",
    "pymysql",
    "httpx2",
    "starlette.testclient",
    "uvicorn",
    "selectolax.lexbor",
    "structlog",
    "typer.testing",
    "rich.console",
    "rapidfuzz.process",
    "jieba",
    "pyarrow.parquet",
)
LOOK_S = 0.02


def main() -> None:
    """Serve orders until there are no more, or until it is told to end: then nothing of it is left running."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for name in LIBRARIES:
        importlib.import_module(name)
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(run(order["arguments"], order["output"], order["limit_s"])), flush=True)


def run(arguments: Sequence[str], output: str, limit_s: float) -> int | None:
    """Exit code of pytest, ``None`` where it did not end; its output goes into a file."""
    child = os.fork()
    if child == 0:
        _be_pytest(arguments, output)
    ends_at = time.monotonic() + limit_s
    ended = 0
    try:
        while time.monotonic() < ends_at:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            time.sleep(LOOK_S)
        return None
    finally:
        if not ended:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _be_pytest(arguments: Sequence[str], output: str) -> None:
    """Never returns: whatever happens, the fork does not go on with the orders."""
    code = 3
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(written, 1)
        os.dup2(written, 2)
        code = int(pytest.main(list(arguments)))
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
