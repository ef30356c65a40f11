"""A scripted OpenAI-compatible endpoint for tests: real HTTP on 127.0.0.1, answers in the order given.

``with ScriptedModel([says("hello")]) as model: … model.base_url … model.requests``. When the script is used up,
``then`` is played for ever; without ``then`` the endpoint answers 400, which no client retries.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Scripted:
    """One HTTP answer. ``meanwhile`` runs while the client waits; ``drop`` closes the connection instead."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    delay_s: float = 0
    drop: bool = False
    meanwhile: Callable[[], None] | None = None

    def after(self, seconds: float) -> Scripted:
        return replace(self, delay_s=seconds)

    def during(self, action: Callable[[], None]) -> Scripted:
        return replace(self, meanwhile=action)


def says(text: str | None, *, finish: str = "stop", usage: dict[str, int] | None = None) -> Scripted:
    """A final answer in words."""
    return _completion({"role": "assistant", "content": text}, finish, usage)


def calls(
    *tool_calls: tuple[str, Any] | tuple[str, Any, str],
    finish: str = "tool_calls",
    usage: dict[str, int] | None = None,
) -> Scripted:
    """Tool calls: ``(name, arguments[, id])``; arguments that are not text are sent as JSON."""
    made = []
    for place, call in enumerate(tool_calls):
        name, arguments = call[0], call[1]
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        call_id = call[2] if len(call) == 3 else f"call_{time.monotonic_ns()}_{place}"
        made.append({"id": call_id, "type": "function", "function": {"name": name, "arguments": text}})
    return _completion({"role": "assistant", "content": None, "tool_calls": made}, finish, usage)


def fails(status: int, *, retry_after: str | None = None, message: str = "no") -> Scripted:
    """An error status in the protocol's form."""
    headers = {"Content-Type": "application/json"}
    if retry_after is not None:
        headers["Retry-After"] = retry_after
    return Scripted(status, json.dumps({"error": {"message": message, "type": "error"}}).encode(), headers)


def raw(body: bytes, *, content_type: str = "application/json", status: int = 200) -> Scripted:
    """Any bytes."""
    return Scripted(status, body, {"Content-Type": content_type})


def html() -> Scripted:
    """What a captive portal or a wrong address answers."""
    return raw(b"<!doctype html><title>Welcome</title>", content_type="text/html")


def drops() -> Scripted:
    """The connection is closed without an answer."""
    return Scripted(drop=True)


def _completion(message: dict[str, Any], finish: str, usage: dict[str, int] | None) -> Scripted:
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage is not None:
        body["usage"] = {**usage, "total_tokens": sum(usage.values())}
    return Scripted(body=json.dumps(body).encode())


class ScriptedModel:
    """The endpoint; ``requests`` holds the decoded body of every request, ``headers`` its headers."""

    def __init__(self, script: Sequence[Scripted] = (), *, then: Scripted | None = None) -> None:
        self._script = list(script)
        self._then = then or fails(400, message="the script is used up")
        self._lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def messages(self, request: int) -> list[dict[str, Any]]:
        return list(self.requests[request]["messages"])

    def tool_answers(self, request: int) -> list[dict[str, Any]]:
        """The decoded JSON answers of tools that a request carries, in order."""
        return [json.loads(m["content"]) for m in self.messages(request) if m["role"] == "tool"]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _next(self, body: dict[str, Any], headers: dict[str, str]) -> Scripted:
        with self._lock:
            self.requests.append(body)
            self.headers.append(headers)
            return self._script.pop(0) if self._script else self._then

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                answer = model._next(json.loads(self.rfile.read(length)), dict(self.headers.items()))
                if answer.meanwhile is not None:
                    answer.meanwhile()
                time.sleep(answer.delay_s)
                if answer.drop:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                self._send(answer)

            def _send(self, answer: Scripted) -> None:
                try:
                    self.send_response(answer.status)
                    for name, value in {**answer.headers, "Content-Length": str(len(answer.body))}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(answer.body)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler
