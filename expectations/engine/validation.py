"""Runs suites with Great Expectations and says what came of each rule, in plain values.

"Rule broken", "could not be evaluated" and "no rows" are three verdicts beside "passed" (D-071).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

import pandas as pd

from expectations.engine.rules import KEY, Rule, Suite
from resources.platform.plain_values import TEXT_LIMIT, plain

SAMPLE_ROWS = 5
SAMPLED = {
    "result_format": "SUMMARY",
    "partial_unexpected_count": SAMPLE_ROWS,
    "unexpected_index_column_names": [KEY],
}
_one_at_a_time = threading.Lock()


class Verdict(StrEnum):
    """What came of a rule or a suite, from good to bad."""

    PASSED = "passed"
    NO_ROWS = "no rows"
    BROKEN = "rule broken"
    NOT_EVALUATED = "could not be evaluated"


_SEVERITY = list(Verdict)


@dataclass(frozen=True)
class RuleResult:
    """One rule over one frame: rows looked at, rows that break it, a bounded sample of them."""

    rule_id: str
    says: str
    verdict: Verdict
    rows: int
    failing: int
    sample: list[dict[str, Any]]
    detail: str
    fix: str


@dataclass(frozen=True)
class SuiteResult:
    """All rules of a suite; its verdict is the worst of theirs."""

    suite: str
    rules: list[RuleResult]

    @property
    def verdict(self) -> Verdict:
        return max((rule.verdict for rule in self.rules), key=_SEVERITY.index, default=Verdict.NOT_EVALUATED)

    @property
    def rows(self) -> int:
        return max((rule.rows for rule in self.rules), default=0)


def run_suites(suites: Sequence[Suite], frames: Mapping[str, pd.DataFrame]) -> list[SuiteResult]:
    """Evaluate suites over their frames, all of one frame at once; never raises for what the data are.

    A suite whose frame is not among them could not be evaluated (D-071). Only where a suite stands in for all rows is
    none of the others asked, and where all rows are judged by rules, none stands in: then it has no results.
    """
    by_place = {place: SuiteResult(suite.name, _unasked(suite, suites, frames)) for place, suite in enumerate(suites)}
    for name in dict.fromkeys(suite.frame for suite in suites if suite.frame in frames):
        places = [place for place, suite in enumerate(suites) if suite.frame == name]
        rules = [(place, rule) for place in places for rule in suites[place].rules]
        results = _rule_results([rule for _, rule in rules], name, frames)
        for place in places:
            own = [result for (owner, _), result in zip(rules, results, strict=True) if owner == place]
            by_place[place] = SuiteResult(suites[place].name, own)
    return [by_place[place] for place in range(len(suites))]


def _unasked(suite: Suite, suites: Sequence[Suite], frames: Mapping[str, pd.DataFrame]) -> list[RuleResult]:
    by_rows = any(other.frame in frames for other in suites if not other.stands_for)
    by_standing_in = any(other.frame in frames for other in suites if other.stands_for)
    if (by_rows and suite.stands_for) or (by_standing_in and not by_rows):
        return []
    missing = f"the frame {suite.frame!r} is not there"
    return [_result(rule, Verdict.NOT_EVALUATED, 0, 0, [], missing) for rule in suite.rules]


def merge(group: Sequence[Suite], results: Sequence[SuiteResult]) -> SuiteResult:
    """Several frames' results as one suite; a rule counts the rows that another suite stood in for too."""
    rules = [rule for result in results for rule in result.rules]
    for suite, result in zip(group, results, strict=True):
        if suite.stands_for and result.rules and result.verdict is Verdict.PASSED:
            stood = {(rule.rule_id, rule.says): rule for rule in suite.stands_for}
            judged = [rule for other in results if other is not result for rule in other.rules]
            known = {(rule.rule_id, rule.says) for rule in judged}
            unseen = [_result(rule, Verdict.PASSED, 0, 0, [], "") for key, rule in stood.items() if key not in known]
            own = [rule for rule in result.rules if (rule.rule_id, rule.says) not in stood]
            rules = [*(_with_stood(rule, result.rows) for rule in (*judged, *unseen)), *own]
    return SuiteResult(group[0].name, rules)


def _with_stood(rule: RuleResult, rows: int) -> RuleResult:
    return replace(rule, rows=rule.rows + rows, detail=rule.detail or f"{rows} by digest")


def _rule_results(rules: list[Rule], name: str, frames: Mapping[str, pd.DataFrame]) -> list[RuleResult]:
    frame = frames[name]
    if frame.empty:
        # An empty frame beside a full one is a fault; only a partition without any row has nothing to show.
        verdict = Verdict.NO_ROWS if all(other.empty for other in frames.values()) else Verdict.BROKEN
        return [_result(rule, verdict, 0, 0, [], f"the frame {name!r} is empty") for rule in rules]
    with _one_at_a_time:
        return _evaluate(rules, _with_nulls_as_values(frame, rules))


def _with_nulls_as_values(frame: pd.DataFrame, rules: list[Rule]) -> pd.DataFrame:
    taken_for = {rule.arguments["column"]: rule.null_becomes for rule in rules if rule.null_becomes is not None}
    filled = {
        column: frame[column].astype(object).where(frame[column].notna(), value)
        for column, value in taken_for.items()
        if column in frame.columns and frame[column].hasnans
    }
    return frame.assign(**filled)


def _evaluate(rules: list[Rule], frame: pd.DataFrame) -> list[RuleResult]:
    """All rules by yes or no first; only those that say no are looked at again for counts and a sample."""
    answers = _validate(rules, frame, {"result_format": "BOOLEAN_ONLY"})
    failed = [place for place, answer in enumerate(answers) if answer is None or not answer.success]
    details = _validate([rules[place] for place in failed], frame, SAMPLED) if failed else []
    detailed = dict(zip(failed, details, strict=True))
    return [
        _read(rule, detailed.get(place, answer), len(frame))
        for place, (rule, answer) in enumerate(zip(rules, answers, strict=True))
    ]


def _validate(rules: list[Rule], frame: pd.DataFrame, result_format: dict[str, Any]) -> list[Any]:
    """What Great Expectations says to each rule, in their order; ``None`` where it says nothing."""
    import great_expectations as gx
    import great_expectations.expectations as gxe

    expectations = [
        getattr(gxe, rule.expectation)(**rule.arguments, meta={"place": place}) for place, rule in enumerate(rules)
    ]
    batch = _batch_definition().get_batch(batch_parameters={"dataframe": frame})
    suite = gx.ExpectationSuite(name="rules", expectations=expectations)
    validated = batch.validate(suite, result_format=result_format)
    by_place = {result.expectation_config.meta["place"]: result for result in validated.results}
    return [by_place.get(place) for place in range(len(rules))]


@lru_cache(maxsize=1)
def _batch_definition() -> Any:
    """One context a process: contexts pile up when one is made per check (field report CK12)."""
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    asset = context.data_sources.add_pandas("frames").add_dataframe_asset("frame")
    return asset.add_batch_definition_whole_dataframe("whole")


def _read(rule: Rule, result: Any, rows: int) -> RuleResult:
    if result is None:
        return _result(rule, Verdict.NOT_EVALUATED, rows, 0, [], "Great Expectations returned no result")
    if result.success:
        return _result(rule, Verdict.PASSED, rows, 0, [], "")
    trouble = _exception_text(result.exception_info)
    if trouble:
        return _result(rule, Verdict.NOT_EVALUATED, rows, 0, [], trouble)
    sample = [
        {str(key): plain(value) for key, value in row.items()}
        for row in (result.result.get("partial_unexpected_index_list") or [])[:SAMPLE_ROWS]
    ]
    return _result(rule, Verdict.BROKEN, rows, int(result.result.get("unexpected_count") or 0), sample, "")


def _exception_text(info: Mapping[str, Any]) -> str:
    nested = [info] if "exception_message" in info else list(info.values())
    messages = [str(entry["exception_message"]) for entry in nested if entry.get("exception_message")]
    return messages[0].splitlines()[0][:TEXT_LIMIT] if messages else ""


def _result(
    rule: Rule, verdict: Verdict, rows: int, failing: int, sample: list[dict[str, Any]], detail: str
) -> RuleResult:
    return RuleResult(rule.rule_id, rule.says, verdict, rows, failing, sample, detail, rule.fix)
