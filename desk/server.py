"""The desk's web server: it ends in order at SIGTERM, and at SIGINT where that is not ignored."""

from __future__ import annotations

import signal
from types import FrameType

import uvicorn

from resources.foundation.interrupts import are_ignored


class DeskServer(uvicorn.Server):
    """Uvicorn listens to SIGINT even where whoever started it had it ignored."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ignores_interrupts = are_ignored()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came."""
        if sig != signal.SIGINT or not self._ignores_interrupts:
            super().handle_exit(sig, frame)
