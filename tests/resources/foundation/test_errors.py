"""Errors for people: one line, the fix beside it, an exit code."""

from __future__ import annotations

import pytest

from resources.foundation import errors


@pytest.mark.parametrize(
    ("kind", "exit_code"),
    [
        (errors.Pattern2PlanError, 1),
        (errors.OutputFailed, 1),
        (errors.PackRefused, 1),
        (errors.UsageError, 2),
        (errors.SettingsError, 2),
        (errors.ExecutionNotUsable, 2),
        (errors.OutputRefused, 2),
        (errors.ServiceUnreachable, 3),
        (errors.FactsUnreadable, 3),
        (errors.StoreUnwritable, 3),
        (errors.ModelUnreachable, 3),
    ],
)
def test_each_error_is_one_line_with_its_exit_code(kind: type[errors.Pattern2PlanError], exit_code: int) -> None:
    error = kind("what\n went\twrong", "do\nthis")

    assert str(error) == "what went wrong -> do this"
    assert str(kind("what")) == "what"
    assert error.exit_code == exit_code


def test_one_line_takes_the_first_that_says_something() -> None:
    assert errors.one_line(ValueError("\n \n first \n second")) == "first"
    assert errors.one_line(ValueError("")) == "ValueError"
    assert errors.one_line(ValueError("x" * 999), 10) == "x" * 9 + "…"
