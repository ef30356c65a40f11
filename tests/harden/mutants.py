"""Mutants as they stand in ``mutants/*.toml``: a line of the product, and the fault that takes its place.

A line is named by its text without indentation and stands exactly once in its file; the fault keeps the indentation.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "mutants"


class StaleMutant(Exception):
    """The line that a mutant replaces is not there, or not once: the product has moved on and the mutant has not."""


class MutantRefused(Exception):
    """An entry is no mutant; the message names it."""


@dataclass(frozen=True)
class Mutant:
    """One fault, and what should notice it: the tests that cite one of its rules.

    ``tests`` narrows these to the ones under some paths, or names tests by their ids (``path::function``).
    """

    id: str
    file: str
    old: str
    new: str
    rules: list[str] = field(default_factory=list)
    guards: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)

    def placed_in(self, root: Path) -> str:
        """The text of its file under ``root`` with the fault in it.

        Raises:
            StaleMutant: the line does not stand there exactly once.
        """
        path = root / self.file
        if not path.is_file():
            raise StaleMutant(f"{self.id}: there is no file {self.file}")
        lines = path.read_text().splitlines(keepends=True)
        places = [place for place, line in enumerate(lines) if line.strip() == self.old]
        if len(places) != 1:
            raise StaleMutant(f"{self.id}: the line stands {len(places)} times in {self.file}: {self.old}")
        lines[places[0]] = lines[places[0]].replace(self.old, self.new)
        return "".join(lines)


def read_mutants(folder: Path = FOLDER) -> list[Mutant]:
    """All mutants, by file and place in it.

    Raises:
        MutantRefused: an entry lacks a field or has one too many, changes nothing, breaks no rule, or has the id
            of another one.
    """
    entries = [entry for path in sorted(folder.glob("*.toml")) for entry in tomllib.loads(path.read_text())["mutant"]]
    mutants = [_mutant(entry) for entry in entries]
    twice = [name for name, count in Counter(mutant.id for mutant in mutants).items() if count > 1]
    if twice:
        raise MutantRefused(f"{', '.join(twice)}: an id stands for one mutant")
    return mutants


def _mutant(entry: dict[str, Any]) -> Mutant:
    name = entry.get("id", "a mutant without id")
    known = {one.name for one in fields(Mutant)}
    if set(entry) - known or not {"id", "file", "old", "new"} <= set(entry):
        raise MutantRefused(f"{name}: the fields are {sorted(known)}")
    mutant = Mutant(**entry)
    if mutant.old == mutant.new or mutant.old != mutant.old.strip() or "\n" in mutant.old + mutant.new:
        raise MutantRefused(f"{name}: old and new are two different lines without indentation")
    if not mutant.rules:
        raise MutantRefused(f"{name}: name the rules that it breaks")
    return mutant
