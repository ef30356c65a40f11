"""Suites of ``content_scores``: the ranking adds up, and every selected article closes (S-006, S-023 … S-025).

All three block: nothing is planned of a ranking that does not close.
"""

from __future__ import annotations

from expectations.engine.rules import one_of, rows_exist, same
from expectations.supply.pool import RUN_AGAIN
from expectations.supply.rules import agreeing, among, between, clocks_agree, shaped, suite
from expectations.supply.scores_frames import PARTS, RANKED_TASKS, SCORES
from expectations.supply.task_standing import ACCOUNTED

TOTAL_TOLERANCE = 0.02
WEIGHTS_TOLERANCE = 1e-6
PER_ACCOUNT = 3
_COUNTED = "scores were written or deleted outside the ranking's transaction: run the task again with --force"
_RANK = "the ranking was altered: compare with `pattern2plan supply replay`, then run the task again with --force"
_SCORE = "the score is not what its formula gives: compare with `pattern2plan supply replay`"
_END = (
    "the article may not be planned: reject the candidate with `pattern2plan review`, so that the task is ranked again"
)
_EVIDENCE = "the score carries other evidence than its task: run `pattern2plan trace`, then the task with --force"
_FOREIGN = "the score belongs to no candidate of its task: run the task again with --force"

SCORE_SUITES = (
    suite(
        "complete",
        RANKED_TASKS,
        "Each candidate of a ranked task has a score, and the ranking counts what stands.",
        rows_exist("S-023"),
        one_of("S-005", "standing", ACCOUNTED, RUN_AGAIN),
        agreeing("S-023", "scores", "candidates", _COUNTED),
        agreeing("S-042", "candidates", "pool_said", _COUNTED),
        agreeing("S-042", "selected", "selected_said", _COUNTED),
        agreeing("S-025", "missing", "missing_said", _COUNTED),
        blocking=True,
    ),
    suite(
        "shape",
        RANKED_TASKS,
        "Ranks run from 1 without a gap in falling order of totals, within the quota of an account.",
        rows_exist("S-023"),
        same("S-024", "ranks", "dense_ranks", _RANK),
        between("S-024", "totals_out_of_order", 0, 0, _RANK),
        between("S-024", "most_of_one_account", 0, PER_ACCOUNT, _RANK),
        between("S-025", "beyond_expected", 0, 0, _RANK),
        between("S-023", "score_versions", 1, 1, _RANK),
        blocking=True,
    ),
    suite(
        "shape",
        SCORES,
        "Every part and the total are 0 to 100, and the total is what its parts and weights give.",
        rows_exist("S-023"),
        between("S-023", (*PARTS.values(), "diversity_penalty", "total_score"), 0, 100, _SCORE),
        between("S-023", "total_off", 0, TOTAL_TOLERANCE, _SCORE),
        between("S-023", "weights_sum", 1 - WEIGHTS_TOLERANCE, 1 + WEIGHTS_TOLERANCE, _SCORE),
        between("S-023", "parts_explained", len(PARTS), len(PARTS), _SCORE),
        among("S-041", "detail_kind", ["object"], _SCORE),
        among("S-023", "filter_status", ["PASS", "REJECT"], _RANK),
        among("S-023", ("reason_said", "rank_kept"), [True], _RANK),
        shaped("S-023", "score_version", r"^[^∅\s]", _RANK),
        clocks_agree(),
        blocking=True,
    ),
    suite(
        "closure",
        SCORES,
        "Each score has a candidate of its task; each selected one is alive, was read, passed, and is proven.",
        rows_exist("S-023"),
        agreeing("S-023", "candidate_task", "task", _FOREIGN),
        among("S-023", "filter_of_selected", ["PASS"], _END),
        among("S-030", "candidate_of_selected", ["living"], _END),
        among("S-021", "page_of_selected", ["read"], _END),
        among("S-020", "link_of_selected", ["lasting"], _END),
        agreeing("S-006", "selected_evidence", "task_evidence", _EVIDENCE),
        blocking=True,
    ),
)
