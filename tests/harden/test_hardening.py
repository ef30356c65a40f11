"""Mutants of a toy tree: what is caught, what survives, what is stale, and a run that goes on where it was cut off."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.harden import preloaded
from tests.harden.copies import digest_of, files_of
from tests.harden.hardening import Bounds, harden
from tests.harden.journal import Journal
from tests.harden.mutants import Mutant
from tests.harden.trial import Trial, Verdict

HARDEN = Path(__file__).parent
TOY = {
    "toy.py": "def double(x):\n    y = x + x\n    return y\n",
    "tests/test_toy.py": (
        "import toy\n\ndef test_d030_two():\n    assert toy.double(2) == 4\n\n"
        "def test_d031_always_fails():\n    assert False\n"
    ),
}
LINE = {"file": "toy.py", "old": "y = x + x"}
CAUGHT = Mutant(id="caught", new="y = x", rules=["D-030"], **LINE)
SURVIVOR = Mutant(id="survivor", new="y = x * x", rules=["D-030"], **LINE)
STALE = Mutant(id="stale", file="toy.py", old="z = 3", new="z = 4", rules=["D-030"])
HOPELESS = Mutant(id="hopeless", new="y = 2 * x", rules=["D-031"], **LINE)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of a module, its tests, and what serves orders; pytest comes without plugins there."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root = tmp_path / "toy"
    served = {f"tests/harden/{name}": (HARDEN / name).read_text() for name in ("__init__.py", "preloaded.py")}
    served["tests/harden/preloaded.py"] = served["tests/harden/preloaded.py"].replace(
        "importlib.import_module(name)", "continue"
    )
    for name, text in {**TOY, **served}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def test_each_mutant_has_its_verdict_and_the_tree_is_left_as_it_was(toy: Path, tmp_path: Path) -> None:
    told: list[Trial] = []
    trials = harden(toy, [CAUGHT, SURVIVOR, STALE, HOPELESS], tmp_path / "journals", told.append, Bounds(1, 60))
    assert [trial.verdict for trial in trials] == [
        Verdict.CAUGHT,
        Verdict.SURVIVED,
        Verdict.STALE,
        Verdict.NOT_BY_ITSELF,
    ]
    assert trials[0].shown == "tests/test_toy.py::test_d030_two"
    assert len(told) == 4
    assert (toy / "toy.py").read_text() == TOY["toy.py"]
    assert not list((tmp_path / "journals").iterdir()), "a run that ended is not taken over by the next"


def test_what_a_run_found_before_it_was_cut_off_is_taken_over_for_the_same_tree_alone(
    toy: Path, tmp_path: Path
) -> None:
    known = Trial("survivor", Verdict.CAUGHT, 1.0, "tests/test_toy.py::test_d030_two")
    digest = digest_of(toy, files_of(toy))
    Journal(tmp_path, digest).add(known)
    (trial,) = harden(toy, [SURVIVOR], tmp_path, lambda _: None, Bounds(1, 60))
    assert trial == known
    Journal(tmp_path, digest).add(known)
    (toy / "toy.py").write_text(TOY["toy.py"] + "\n")
    (trial,) = harden(toy, [SURVIVOR], tmp_path, lambda _: None, Bounds(1, 60))
    assert trial.verdict is Verdict.SURVIVED


def test_tests_that_do_not_end_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_long.py").write_text("import time\n\ndef test_long():\n    time.sleep(600)\n")
    output = str(tmp_path / "output")
    assert preloaded.run([str(tmp_path / "test_long.py")], output, 0.3) is None
