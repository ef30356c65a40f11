"""Suites of ``candidate_pool``, ``account_profiles`` and ``content_features``: the platform's word (S-020 … S-022)."""

from __future__ import annotations

from expectations.engine.rules import one_of, rows_exist
from expectations.supply.pool_frames import (
    ACCOUNT_SCORES,
    CANDIDATES,
    COUNTS,
    FEATURES,
    PAGE_SCORES,
    POOLS,
    PROFILED_TASKS,
    PROFILES,
    READ_TASKS,
)
from expectations.supply.rules import agreeing, among, between, clocks_agree, shaped, suite
from expectations.supply.task_standing import ACCOUNTED

DAY_S = 86_400
RUN_AGAIN = "run the batch again: it goes on where the task stopped; its events say why it stopped"
_SEARCH = "see the TOOL_RESULT events of the task's searches, then widen its query or run it again with --force"
_COUNTED = "rows were written or deleted outside their stage's transaction: run the task again with --force"
_READ = "the value was not read as S-022 says: see raw_statistics of the row, then run the task again with --force"
_LINK = "the link is not in its canonical form: run the task again with --force"
_ANSWER = "the row does not say who answered what: run the task again with --force"
_SCORE = "the score was not made by its formula: run the task again with --force"
_FOREIGN = "the row belongs to no candidate of its task: delete it, or run the task again with --force"

CANDIDATE_SUITES = (
    suite(
        "complete",
        POOLS,
        "Each task has the candidates that its recall counted, or says why it has none.",
        rows_exist("S-020"),
        one_of("S-005", "standing", ACCOUNTED, RUN_AGAIN),
        among("S-020", "pool", ["candidates", "every search ended without one"], _SEARCH),
        agreeing("S-042", "candidates", "recall_said", _COUNTED),
    ),
    suite(
        "shape",
        CANDIDATES,
        "Titles, links, hashes, counts and times of candidates are in the one form that each is read into.",
        rows_exist("S-020"),
        shaped("S-020", "title", r"\S", _READ),
        shaped("S-020", "url", r"^(?:https://|http://(?!mp\.weixin\.qq\.com))[^\s/]+/", _LINK),
        shaped("S-020", "dedup_hash", r"^[0-9a-f]{64}$", _LINK),
        among("S-040", "platform", ["weixin"], _READ),
        among("S-030", "quality_flag", ["UNKNOWN", "REJECT", "HELD", "ACCEPTED", "REJECTED"], _READ),
        among("S-011", "deleted_flag", ["REJECT"], "a deleted article is not refused: run the task again"),
        between("S-020", "recall_round", 1, 3, _READ),
        between("S-020", "recall_page", 1, None, _READ),
        between("S-022", COUNTS, 0, None, _READ),
        between("S-022", "publish_ahead_s", None, DAY_S, _READ),
        clocks_agree(),
        among("S-041", ("payload_kind", "statistics_kind"), ["object"], _ANSWER),
    ),
    suite(
        "closure",
        CANDIDATES,
        "Each candidate was found by a recall of its task, is known by its own link, and says why it is out.",
        rows_exist("S-020"),
        among("S-005", "task_recalled", [True], _FOREIGN),
        agreeing("S-020", "dedup_hash", "identity", _LINK),
        shaped("S-013a", "provider", r"^[^∅]", _ANSWER),
        among("S-030", "reason_said", [True], "say why the candidate is out: `pattern2plan review`"),
    ),
)
PROFILE_SUITES = (
    suite(
        "complete",
        PROFILED_TASKS,
        "Each account that a candidate names has a row, and each history that was asked for has an answer.",
        rows_exist("S-021"),
        one_of("S-005", "standing", ACCOUNTED, RUN_AGAIN),
        between("S-021", "unprofiled", 0, 0, "candidates name an account without a row: run the task with --force"),
        agreeing("S-013a", "asked", "answered", _ANSWER),
    ),
    suite(
        "shape",
        PROFILES,
        "Scores of accounts are 0 to 100 or not known; found, absent and unknown are told apart.",
        rows_exist("S-021"),
        shaped("S-021", "account_id", r"\S", _FOREIGN),
        between("S-021", ACCOUNT_SCORES, 0, 100, _SCORE),
        between("S-022", ("recent_article_count", "median_view_count", "median_like_count"), 0, None, _READ),
        among("S-021", "update_frequency", ["daily", "weekly", "irregular"], _SCORE),
        between("S-021", "verify_status", 0, None, _READ),
        among("S-013a", "state", ["found", "absent", "unknown"], _ANSWER),
        among("S-041", ("payload_kind", "history_kind"), ["object"], _ANSWER),
        among("S-041", "tags_kind", ["array"], _SCORE),
        clocks_agree(),
    ),
    suite(
        "closure",
        PROFILES,
        "Each account published a candidate of the same task, or was found by another name later.",
        rows_exist("S-021"),
        among("S-021", "published", ["a candidate", "asked again"], _FOREIGN),
    ),
)
FEATURE_SUITES = (
    suite(
        "complete",
        READ_TASKS,
        "Each task has the pages that its stage counted, and each page that was asked for has an answer.",
        rows_exist("S-021"),
        one_of("S-005", "standing", ACCOUNTED, RUN_AGAIN),
        agreeing("S-042", "pages_read", "pages_said", _COUNTED),
        agreeing("S-013a", "asked", "answered", _ANSWER),
    ),
    suite(
        "shape",
        FEATURES,
        "Scores of pages are 0 to 100, counts are not negative, and what they were made of stands beside them.",
        rows_exist("S-021"),
        between("S-021", PAGE_SCORES, 0, 100, _SCORE),
        between("S-041", "sentiment_score", -100, 100, _SCORE),
        between("S-021", ("content_length", "image_count", "video_count"), 0, None, _SCORE),
        among("S-041", "reasons_kind", ["array"], _SCORE),
        among("S-041", "coverage_kind", ["object"], _SCORE),
        among("S-041", "payload_kind", ["object"], _ANSWER),
        clocks_agree(),
    ),
    suite(
        "closure",
        FEATURES,
        "Each page is a candidate's of the same task, and what the platform answered is kept for a replay.",
        rows_exist("S-021"),
        agreeing("S-021", "candidate_task", "task", _FOREIGN),
        among("S-027", "detail_kind", ["object"], _ANSWER),
    ),
)
