"""The one adapter from suites to Dagster asset checks: one check a suite, partitioned, with rule ids and samples.

A partition without any row is shown as a warning ("no rows"), so that an execution without facts ends, and is never
green; a broken rule and a rule that could not be evaluated are errors, and say which of the two they are (D-071).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence

import dagster as dg
import pandas as pd

from expectations.engine.rules import Suite
from expectations.engine.validation import RuleResult, SuiteResult, Verdict, merge, run_suites
from resources.foundation import strict_json

SHOWN_RULES = 60


def check_specs(
    asset: str,
    suites: Mapping[str, tuple[Suite, ...]],
    partitions_def: dg.PartitionsDefinition[str],
    reads: Sequence[str] = (),
) -> list[dg.AssetCheckSpec]:
    """One spec a suite on the asset; blocking where the suite guards a write (D-070).

    ``reads`` names other assets whose frames the check takes in.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.PreviewWarning)
        return [
            dg.AssetCheckSpec(
                name=name,
                asset=asset,
                blocking=any(suite.blocking for suite in group),
                description=group[0].description,
                partitions_def=partitions_def,
                additional_deps=[name for name in reads if name != asset],
                metadata={"rule_ids": sorted({rule.rule_id for suite in group for rule in suite.rules})},
            )
            for name, group in suites.items()
        ]


def check_results(
    asset: str, suites: Mapping[str, tuple[Suite, ...]], frames: Mapping[str, pd.DataFrame]
) -> Iterable[dg.AssetCheckResult]:
    """Run the suites over the frames and yield one result each."""
    results = iter(run_suites([suite for group in suites.values() for suite in group], frames))
    for group in suites.values():
        yield to_check_result(asset, merge(group, [next(results) for _ in group]))


def to_check_result(asset: str, result: SuiteResult) -> dg.AssetCheckResult:
    """A suite's result as Dagster shows it."""
    verdict = result.verdict
    severity = dg.AssetCheckSeverity.WARN if verdict is Verdict.NO_ROWS else dg.AssetCheckSeverity.ERROR
    failed = [rule for rule in result.rules if rule.verdict is not Verdict.PASSED]
    return dg.AssetCheckResult(
        asset_key=asset,
        check_name=result.suite,
        passed=verdict is Verdict.PASSED,
        severity=severity,
        description=_description(result, failed),
        metadata={
            "verdict": str(verdict),
            "rows": result.rows,
            "rules": len(result.rules),
            "rules_failed": len(failed),
            "rule_ids_failed": ", ".join(sorted({rule.rule_id for rule in failed})),
            "results": _table([] if verdict is Verdict.NO_ROWS else failed or result.rules),
        },
    )


def _description(result: SuiteResult, failed: list[RuleResult]) -> str:
    if not failed:
        return f"{len(result.rules)} rules hold over {result.rows} rows"
    if result.verdict is Verdict.NO_ROWS:
        return "no rows: nothing stands in this partition, so nothing was shown to hold"
    first = failed[0]
    return f"{first.rule_id}: {first.says}: {first.verdict} ({first.failing} of {first.rows} rows). {first.fix}"


def _table(rules: list[RuleResult]) -> dg.TableMetadataValue:
    records = [
        dg.TableRecord(
            {
                "rule_id": rule.rule_id,
                "rule": rule.says,
                "verdict": str(rule.verdict),
                "rows": rule.rows,
                "failing": rule.failing,
                "sample": strict_json.dumps(rule.sample) if rule.sample else rule.detail,
                "what_to_do": "" if rule.verdict is Verdict.PASSED else rule.fix,
            }
        )
        for rule in rules[:SHOWN_RULES]
    ]
    return dg.MetadataValue.table(records, schema=_SCHEMA)


_SCHEMA = dg.TableSchema(
    columns=[
        dg.TableColumn("rule_id", "string"),
        dg.TableColumn("rule", "string"),
        dg.TableColumn("verdict", "string"),
        dg.TableColumn("rows", "int"),
        dg.TableColumn("failing", "int"),
        dg.TableColumn("sample", "string"),
        dg.TableColumn("what_to_do", "string"),
    ]
)
