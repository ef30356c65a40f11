"""The mutants fit the product of today: each stands in its place, and every rule and guard has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harden.citing import read_tests, select_tests
from tests.harden.demanded import RULES, guards_of
from tests.harden.mutants import MutantRefused, StaleMutant, read_mutants

ROOT = Path(__file__).resolve().parents[2]
FEWEST = 60


def test_each_mutant_stands_in_its_place_once_and_leaves_code_that_can_be_read() -> None:
    stale = []
    for mutant in read_mutants():
        try:
            compile(mutant.placed_in(ROOT), mutant.file, "exec")
        except (StaleMutant, SyntaxError) as fault:
            stale.append(f"{mutant.id}: {fault}")
    assert not stale, "mend these in tests/harden/mutants:\n" + "\n".join(stale)


def test_every_rule_and_every_guard_has_a_mutant() -> None:
    mutants = read_mutants()
    assert len(mutants) >= FEWEST
    assert set(RULES) <= {rule for mutant in mutants for rule in mutant.rules}
    guards = guards_of(ROOT)
    assert len(guards) >= 12, "the table of guards was not found in docs/architecture.md"
    assert set(guards) == {guard for mutant in mutants for guard in mutant.guards}


def test_every_mutant_has_tests_and_the_tests_that_it_names_are_there() -> None:
    known = read_tests(ROOT)
    ids = {test.id for test in known}
    for mutant in read_mutants():
        assert select_tests(mutant, known), f"{mutant.id}: no test cites {mutant.rules}"
        gone = {entry for entry in mutant.tests if "::" in entry} - ids
        gone |= {entry for entry in mutant.tests if "::" not in entry and not (ROOT / entry).exists()}
        assert not gone, f"{mutant.id}: {gone}"


ENTRY = 'id = "x"\nfile = "a.py"\nold = "x = 1"\nnew = "x = 2"\nrules = ["D-030"]'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("\n".join(["[[mutant]]", ENTRY, "[[mutant]]", ENTRY]), "x: an id stands for one mutant"),
        (f"[[mutant]]\n{ENTRY}\nline = 3", "x: the fields are"),
        ("[[mutant]]\n" + ENTRY.replace("x = 2", "x = 1"), "two different lines"),
        ("[[mutant]]\n" + ENTRY.replace('["D-030"]', "[]"), "name the rules"),
    ],
)
def test_an_entry_that_is_no_mutant_is_named(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "some.toml").write_text(text)
    with pytest.raises(MutantRefused, match=why):
        read_mutants(tmp_path)
