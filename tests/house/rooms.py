"""The house as one list: each room a line, from the roof to the ground; an import goes down only.

A contract type of import-linter, since its own layers know either loose modules or packages: here a room is a package
without the rooms inside it. ``python -m tests.house.rooms`` lists the rooms with their numbers of files and lines.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

ROOT = Path(__file__).resolve().parents[2]


class RoomsContract(Contract):
    """``rooms``: one line a room, the upper first; rooms that may not know each other stand beside, ``a | b``."""

    type_name = "rooms"

    rooms = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Kept when every module is in a room and none imports from a room that is not below its own."""
        levels = read_levels(self.rooms)
        houses = {room.split(".", maxsplit=1)[0] for room in levels}
        inside = {module for module in graph.modules if module.split(".", maxsplit=1)[0] in houses}
        homeless = sorted(
            module for module in inside if room_of(module, levels) is None and not _holds_rooms(module, levels)
        )
        upward = [
            f"{importer} -> {imported}"
            for importer in sorted(inside)
            for imported in sorted(graph.find_modules_directly_imported_by(importer) & inside)
            if not _goes_down(room_of(importer, levels), room_of(imported, levels), levels)
        ]
        return ContractCheck(kept=not homeless and not upward, metadata={"homeless": homeless, "upward": upward})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for module in check.metadata["homeless"]:
            output.print_error(f"{module} is in no room", bold=True)
        for arrow in check.metadata["upward"]:
            output.print_error(f"{arrow} does not go down", bold=True)


def read_levels(lines: Iterable[str]) -> dict[str, int]:
    """Room to its floor, 0 for the roof."""
    return {room.strip(): floor for floor, line in enumerate(lines) for room in line.split("|")}


def room_of(module: str, levels: Mapping[str, int]) -> str | None:
    """The innermost listed package that holds the module, or the module itself where it is listed."""
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((name for name in names if name in levels), None)


def _goes_down(importer: str | None, imported: str | None, levels: Mapping[str, int]) -> bool:
    if importer is None or imported is None or importer == imported:
        return True
    return levels[importer] < levels[imported]


def _holds_rooms(module: str, levels: Mapping[str, int]) -> bool:
    """A package of rooms; a loose module beside them is listed by itself or has no room."""
    return any(room.startswith(f"{module}.") for room in levels)


def main() -> None:
    """Print the rooms, from the roof to the ground."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    levels = read_levels(next(contract["rooms"] for contract in contracts if contract["type"] == "rooms"))
    files: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for house in sorted({room.split(".", maxsplit=1)[0] for room in levels}):
        for path in (ROOT / house).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            room = room_of(module, levels) or module
            files[room] += path.name != "__init__.py"
            lines[room] += len(path.read_text().splitlines())
    for room in sorted(levels, key=lambda name: levels[name]):
        print(f"{files[room]:4} files {lines[room]:6} lines  {room}")
    print(f"{files.total():4} files {lines.total():6} lines")


if __name__ == "__main__":
    main()
