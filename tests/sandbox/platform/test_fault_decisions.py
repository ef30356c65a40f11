"""Whether a fault strikes follows from seed, rule and request, and the configuration names what is wrong in it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.platform.serving.faults import (
    FaultConfig,
    FaultDecider,
    FaultName,
    FaultRule,
    FaultsInvalid,
    Target,
    asked_fault,
    parse_faults,
    read_faults,
)


def config(*rules: dict[str, Any], seed: int = 0) -> FaultConfig:
    return FaultConfig.model_validate({"seed": seed, "rules": rules})


def struck(decider: FaultDecider, requests: list[str], target: Target = Target.SEARCH) -> dict[str, str | None]:
    injected = {request: decider.decide(target, "listing", request) for request in requests}
    return {request: found.failure.fault if found.failure else None for request, found in injected.items()}


@given(seed=st.integers(0, 10_000), shuffle=st.randoms())
def test_s014_decisions_do_not_depend_on_the_order_of_requests(seed: int, shuffle: random.Random) -> None:
    rules = config({"fault": "server_error", "rate": 0.5}, {"fault": "drop_before", "rate": 0.3}, seed=seed)
    requests = [str(number) for number in range(30)]
    mixed = shuffle.sample(requests, len(requests))

    assert struck(FaultDecider(rules), requests) == struck(FaultDecider(rules), mixed)


@given(seed=st.integers(0, 10_000), rate=st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_s014_about_the_wanted_share_of_requests_is_struck(seed: int, rate: float) -> None:
    hits = struck(FaultDecider(config({"fault": "hang", "rate": rate}, seed=seed)), [str(n) for n in range(400)])

    share = sum(hit is not None for hit in hits.values()) / 400
    assert abs(share - rate) < 0.13
    assert share == rate or rate not in (0.0, 1.0)


def test_s014_a_repeated_request_is_decided_anew() -> None:
    decider = FaultDecider(config({"fault": "server_error", "rate": 0.5}))

    outcomes = {struck(decider, ["same"])["same"] for _ in range(40)}
    assert outcomes == {None, "server_error"}


def test_s014_one_blow_a_request_and_each_of_several_rules_gets_its_turn() -> None:
    decider = FaultDecider(config({"fault": "hang"}, {"fault": "server_error"}, {"fault": "drop_after"}))

    assert set(struck(decider, [str(n) for n in range(60)]).values()) == {"hang", "server_error", "drop_after"}


def test_s014_waits_add_up_and_alterations_come_together() -> None:
    rules = config(
        {"fault": "latency", "value": 20}, {"fault": "latency", "value": 30}, {"fault": "duplicates"},
        {"fault": "missing_counts"}, {"fault": "server_error"},
    )  # fmt: skip

    injected = FaultDecider(rules).decide(Target.SEARCH, "listing", "request")

    assert injected.wait_s == pytest.approx(0.05)
    assert set(injected.alterations) == {FaultName.DUPLICATES, FaultName.MISSING_COUNTS}
    assert injected.failure is not None


def test_gw7_all_pages_of_a_listing_are_endless_or_none() -> None:
    decider = FaultDecider(config({"fault": "endless_pages", "rate": 0.5}))
    listings = {
        str(listing): {bool(decider.decide(Target.SEARCH, str(listing), str(page)).alterations) for page in range(5)}
        for listing in range(30)
    }

    assert all(len(outcomes) == 1 for outcomes in listings.values())
    assert {outcome for outcomes in listings.values() for outcome in outcomes} == {True, False}


def test_s014_a_rule_for_everything_strikes_only_where_it_can() -> None:
    rules = config({"target": "*", "fault": "deleted_article"}, {"target": "weixin_search", "fault": "hang"})

    assert struck(FaultDecider(rules), ["a"], Target.ARTICLE_DETAIL) == {"a": "deleted_article"}
    assert struck(FaultDecider(rules), ["a"], Target.SEARCH) == {"a": "hang"}
    assert struck(FaultDecider(rules), ["a"], Target.PLAN_CREATE) == {"a": None}


def test_s014_what_a_request_asks_for_strikes_beside_latency_alone() -> None:
    decider = FaultDecider(config({"fault": "server_error"}, {"fault": "latency", "value": 10}))

    injected = decider.decide(Target.SEARCH, "l", "r", FaultRule(fault=FaultName.HANG, value=1))

    assert injected.failure is not None
    assert injected.failure.fault is FaultName.HANG
    assert injected.wait_s == pytest.approx(0.01)


@pytest.mark.parametrize(
    "text, named",
    [
        (b'{"rules": [{"fault": "bogus"}]}', "rules.0.fault"),
        (b'{"rules": [{"fault": "hang", "rate": 1.5}]}', "rules.0.rate"),
        (b'{"rules": [{"fault": "hang", "target": "nowhere"}]}', "target"),
        (b'{"rules": [{"fault": "hang", "rates": 1}]}', "rules.0.rates"),
        (b'{"rules": [{"fault": "hang", "value": -1}]}', "negative"),
        (b'{"rules": [{"fault": "latency", "value": 1e9}]}', "too large"),
        (b'{"rules": [{"fault": "server_error", "value": 404}]}', "500"),
        (b'{"rules": [{"fault": "ignore_operation_id", "target": "plan_find"}]}', "plan_find"),
        (b'{"rules": [{"fault": "hang", "value": NaN}]}', "NaN"),
        (b'{"seed": 1, "seed": 2}', "seed"),
        (b"[1]", "faults"),
        (b"\xff", "JSON"),
    ],
)
def test_s014_a_bad_configuration_is_refused_by_name(text: bytes, named: str) -> None:
    with pytest.raises(FaultsInvalid) as refused:
        parse_faults(text)

    assert named in str(refused.value)


def test_s014_a_missing_file_of_faults_is_named(tmp_path: Path) -> None:
    with pytest.raises(FaultsInvalid, match=r"nothing\.json"):
        read_faults(tmp_path / "nothing.json")


@pytest.mark.parametrize("text", ["bogus", "hang:x", "hang:-1", "deleted_article", "server_error:200", ":5"])
def test_s014_a_bad_fault_in_a_query_is_refused(text: str) -> None:
    with pytest.raises(FaultsInvalid):
        asked_fault(text, Target.SEARCH)
