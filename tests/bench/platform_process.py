"""The platform sandbox as a process of its own, so that server and client do not share an interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def platform_process(latency_ms: float, corpus: Path | None = None, articles: int = 20_000) -> Iterator[str]:
    """The address of a platform that waits ``latency_ms`` before each answer."""
    source = ["--corpus", str(corpus)] if corpus else ["--articles", str(articles)]
    code = "import sys; from commands.app import run_command; sys.exit(run_command(sys.argv[1:]))"
    options = ["--port", "0", "--json", "--latency-ms", str(latency_ms)]
    command = [sys.executable, "-c", code, "sandbox", "serve", *options, *source]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        printed = ""
        while not printed.rstrip().endswith("}"):
            printed += process.stdout.readline()
        yield json.loads(printed)["url"]
    finally:
        process.terminate()
        process.wait(timeout=30)
