"""The audit of dependencies: what it fails for, and what it only says."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HASH = "--hash=sha256:" + "0" * 64
ADVISORY = {
    "id": "PYSEC-2026-7",
    "summary": "reads beyond its end",
    "affected": [
        {
            "package": {"name": "jinja2", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "3.1.9"}]}],
        }
    ],
}


@pytest.fixture
def advisories() -> Iterator[str]:
    """A service that knows one advisory, in OSV's form."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known = asked["package"]["name"] == "jinja2" and asked["version"] == "3.1.0"
            body = json.dumps({"vulns": [ADVISORY]} if known else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/query"
    server.shutdown()
    server.server_close()


def audit(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / ".ci" / "audit"), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=150, check=False)


def lock(folder: Path, *pins: str) -> str:
    path = folder / "some.lock"
    path.write_text("".join(f"{pin} \\\n    {HASH}\n" for pin in pins))
    return str(path)


def test_a_known_vulnerability_fails_with_its_id_and_the_fixed_version(tmp_path: Path, advisories: str) -> None:
    pins = lock(tmp_path, "jinja2==3.1.0", "stamina==25.1.0")
    done = audit(pins, "-s", "osv", "--osv-url", advisories)
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines() == ["2 packages audited", "jinja2 3.1.0: PYSEC-2026-7, fixed in 3.1.9"]


def test_nothing_known_is_no_fault(tmp_path: Path, advisories: str) -> None:
    done = audit(lock(tmp_path, "jinja2==3.1.6"), "-s", "osv", "--osv-url", advisories)
    assert (done.returncode, done.stdout) == (0, "1 packages audited\n")


def test_a_service_that_is_away_is_said_and_is_no_failure(tmp_path: Path) -> None:
    pins = lock(tmp_path, "jinja2==3.1.6", "stamina==25.1.0")
    done = audit(pins, "-s", "osv", "--osv-url", "http://127.0.0.1:9/v1/query")
    assert (done.returncode, done.stdout) == (0, "advisories could not be asked: 2 packages not audited\n")


def test_the_environment_is_the_lock() -> None:
    differ = "import runpy, pathlib; a = runpy.run_path('.ci/audit');"
    program = differ + "locked = a['read_lock'](pathlib.Path('requirements.lock')); print(a['differences'](locked));"
    spoiled = program + "print(a['differences'](locked | {'jinja2': '0.1', 'nowhere': '1'}))"
    done = subprocess.run([sys.executable, "-c", spoiled], cwd=ROOT, capture_output=True, text=True, check=True)
    now, then = done.stdout.splitlines()
    assert now == "[]"
    assert "jinja2: 0.1 is locked" in then
    assert "nowhere: 1 is locked, nothing is installed" in then
