"""The bounds that a batch works under where nobody names others (S-020, S-021, S-025, S-010)."""

from __future__ import annotations

from resources.calls.policy import CallPolicy
from resources.settings.supply import read_supply_settings
from supply_assets.stages.policy import SupplyPolicy
from supply_assets.tasks.batch_context import open_batch_context

POLICY = SupplyPolicy()


def test_s020_recall_goes_on_until_40_and_keeps_60() -> None:
    assert (POLICY.pool_target(1, 10), POLICY.pool_limit(1, 10)) == (40, 60)
    assert (POLICY.page_size, POLICY.max_pages) == (20, 5)
    assert (POLICY.expansion_keywords, POLICY.scene_keywords) == (8, 6)


def test_s020_more_are_found_where_more_are_wanted() -> None:
    assert (POLICY.pool_target(1, 200), POLICY.pool_limit(1, 200)) == (400, 600)
    assert (POLICY.pool_target(3, 10), POLICY.pool_limit(3, 10)) == (120, 180)


def test_s021_30_pages_are_read_and_two_for_each_that_is_wanted() -> None:
    assert [POLICY.details(wanted) for wanted in (1, 15, 16, 200)] == [30, 30, 32, 400]


def test_s021_the_latest_20_articles_of_20_accounts_are_asked_for() -> None:
    assert (POLICY.promising_accounts, POLICY.history_articles) == (20, 20)


def test_s025_a_task_is_topped_up_twice_at_the_most() -> None:
    assert POLICY.max_cycles == 3


def test_s020_s021_s025_a_batch_takes_these_bounds() -> None:
    with open_batch_context(read_supply_settings()) as around:
        assert around.policy == SupplyPolicy()


def test_s010_a_call_has_10_s_three_retries_and_seven_others_beside_it() -> None:
    policy = CallPolicy()
    assert (policy.timeout_s, policy.attempts, policy.backoff_s, policy.concurrency) == (10, 4, 2, 8)
