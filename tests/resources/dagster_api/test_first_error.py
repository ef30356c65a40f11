"""Why a run failed is said in one way, whether its events come from the instance or over GraphQL."""

from __future__ import annotations

from resources.dagster_api.first_error import NOTHING, Failure, FirstError, first_error


def test_what_the_first_failed_step_told_comes_before_its_exception_and_before_the_run() -> None:
    failures = [
        Failure(None, told="the run failed"),
        Failure("decide", told="FactsUnreadable: gone", errors=("dg.Failure", "gone"), fix="start it"),
        Failure("publish", told="later"),
    ]
    assert first_error(failures) == FirstError("decide: FactsUnreadable: gone", "start it")


def test_a_step_that_told_nothing_shows_the_innermost_cause_in_one_line() -> None:
    wrapped = Failure("decide", errors=("Error occurred while executing op", "\nKeyError: 'a'\nmore"))
    assert first_error([wrapped]).text == "decide: KeyError: 'a'"
    assert first_error([Failure("decide")]).text == f"decide: {NOTHING}"


def test_a_run_without_a_failed_step_says_what_the_run_says_and_else_nothing() -> None:
    assert first_error([Failure(None, told="worker is lost")]) == FirstError("worker is lost")
    assert first_error([]) == FirstError()
