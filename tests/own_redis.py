"""A broker of a test's own: nothing of it is left, and nobody else's keys are touched."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


def require_redis() -> None:
    """Skip the test by name where Redis is not installed; fail it in CI."""
    if shutil.which("redis-server") is not None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail("redis-server is missing in CI")
    pytest.skip("redis-server is not installed")


@contextmanager
def own_redis() -> Iterator[str]:
    """The address of a server that keeps nothing on disk; ended with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--loglevel", "warning"]
    process = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
    try:
        _wait(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait(port: int) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("Redis did not come up")
