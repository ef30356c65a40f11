"""Ids that repeat from run to run: an id source for tests."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class CountingIds:
    """``prefix-1``, ``prefix-2``, …"""

    prefix: str = "id"
    issued: int = field(default=0, init=False)

    def new(self) -> str:
        self.issued += 1
        return f"{self.prefix}-{self.issued}"
