"""What must have a mutant: each rule of the closure and of the supply chain, each row of "What guards what"."""

from __future__ import annotations

import re
from pathlib import Path

CLOSURE = (*(f"D-{number:03}" for number in range(30, 45)), "D-043a", "D-043b")
PACK = tuple(f"D-{number:03}" for number in range(50, 54))
TASKS = tuple(f"S-{number:03}" for number in range(3, 7))
GATEWAY = (*(f"S-{number:03}" for number in range(10, 15)), "S-013a")
STAGES = tuple(f"S-{number:03}" for number in range(20, 31))
STORE = tuple(f"S-{number:03}" for number in range(40, 43))
RULES = (*CLOSURE, *PACK, *TASKS, *GATEWAY, *STAGES, *STORE)
"""D-030 … D-053 and S-003 … S-042; the numbers between them stand for nothing."""

_SECTION = re.compile(r"^## What guards what\n(.*?)^## ", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (.+?) \| .+ \|$", re.MULTILINE)


def guards_of(root: Path) -> list[str]:
    """The guards that the architecture page lists, in its words."""
    section = _SECTION.search((root / "docs" / "architecture.md").read_text())
    rows = _ROW.findall(section[1]) if section else []
    return [guard for guard in rows if guard != "guard"]
