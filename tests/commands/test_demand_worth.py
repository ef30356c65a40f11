"""``pattern2plan demand worth``: which words are worth asking for, and whether that holds on unseen posts."""

from __future__ import annotations

import pytest

from resources.settings.demand import read_settings
from sandbox.facts.facts_load import load_facts
from sandbox.sample.facts_sample import WHOLE_TREE, sample_fact_base
from tests.commands.cli_runner import Cli


@pytest.fixture
def sample(cli: Cli) -> Cli:
    """A home with the sample of the demo."""
    settings = read_settings()
    settings.home.mkdir()
    load_facts(sample_fact_base().facts, settings.embedded_facts_url())
    return cli


def test_d080_d082_the_words_of_the_sample_are_listed_best_first(sample: Cli) -> None:
    found = sample("demand", "worth", "--execution-id", str(WHOLE_TREE), "--count", "5", "--json").json
    assert found["demands"][0]["terms"] == ["低价游", "旅行团", "购物店"]
    assert all(demand["joint_post_count"] >= 5 and demand["lift"] > 1 for demand in found["demands"])
    assert found["itemsets"] > sum(found["passed_over"].values()) > 0
    assert (
        sample("demand", "worth", "--execution-id", str(WHOLE_TREE), "--json").json
        == sample("demand", "worth", "--execution-id", str(WHOLE_TREE), "--json").json
    ), "the same facts give the same words"


def test_d083_both_ways_of_choosing_are_measured_on_unseen_posts(sample: Cli) -> None:
    found = sample("demand", "worth", "--execution-id", str(WHOLE_TREE), "--split-test", "--json").json
    for way in ("chosen", "of_one_post"):
        low, high = found[way]["interval"]
        assert low < found[way]["share"] < high
        assert found[way]["held"] <= found[way]["demands"] <= 30
    shown = sample("demand", "worth", "--execution-id", str(WHOLE_TREE), "--split-test")
    assert "hold on unseen posts" in shown.out


def test_d004_an_execution_that_cannot_be_used_is_named(sample: Cli) -> None:
    done = sample("demand", "worth", "--execution-id", "103")
    assert (done.code, "103" in done.err) == (2, True)
