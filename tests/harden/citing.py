"""Which tests cite a rule: by ``d036`` in their names, or ``D-036`` in their docstrings. Read, not collected."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.harden.mutants import Mutant

_IN_NAME = re.compile(r"(?<![0-9a-z])([ds])(\d{3}[ab]?)(?![0-9a-z])")
_IN_TEXT = re.compile(r"\b([DS])-(\d{3}[ab]?)\b")


@dataclass(frozen=True)
class CitingTest:
    """A test function: its id for pytest, without parameters, and the rules that it cites."""

    id: str
    rules: frozenset[str]


def read_tests(root: Path) -> list[CitingTest]:
    """The test functions under ``root/tests``, by file and place."""
    files = sorted((root / "tests").rglob("test_*.py"))
    return [test for path in files for test in _of_file(path, str(path.relative_to(root)))]


def select_tests(mutant: Mutant, known: Iterable[CitingTest]) -> list[str]:
    """Ids of the tests that should notice a mutant."""
    named = [entry for entry in mutant.tests if "::" in entry]
    places = tuple(entry for entry in mutant.tests if "::" not in entry)
    if named and not places:
        return [test.id for test in known if test.id in named]
    return [
        test.id
        for test in known
        if test.id in named or (test.id.startswith(places or ("",)) and not test.rules.isdisjoint(mutant.rules))
    ]


def _of_file(path: Path, name: str) -> Iterator[CitingTest]:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield CitingTest(f"{name}::{node.name}", _cited(node.name, ast.get_docstring(node) or ""))


def _cited(name: str, docstring: str) -> frozenset[str]:
    cited = [*_IN_NAME.findall(name), *_IN_TEXT.findall(docstring)]
    return frozenset(f"{letter.upper()}-{number}" for letter, number in cited)
