"""``pattern2plan trace``: the chain on a terminal and as JSON, and an exit code that says whether it holds (S-006)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lineage.trace import Chain
from tests.cat_corpus import MARKED_UP, cat_platform
from tests.commands.cli_runner import Cli
from tests.commands.loading import packages_after
from tests.supply_chain import HOME, SupplyChain, embedded_chain, finish_batch


@pytest.fixture(scope="module")
def finished_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole batch that was carried to its plans; the platform is gone again."""
    home = tmp_path_factory.mktemp("finished") / HOME
    with cat_platform() as address:
        finish_batch(home, address)
    return home


@pytest.fixture
def finished(finished_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SupplyChain]:
    """A copy of it, where the command looks for it."""
    monkeypatch.delenv("SUPPLY_PLATFORM_URL", raising=False)
    shutil.copytree(finished_home, tmp_path / HOME)
    with embedded_chain(tmp_path / HOME) as place:
        yield place


@pytest.fixture
def chain(finished: SupplyChain) -> Chain:
    """The chain of the first demand."""
    [found] = finished.trace(demand_content_id=1)
    return found


def ends_of(chain: Chain) -> list[tuple[str, str]]:
    return [
        ("--crawler-plan-id", chain.plans[0]["crawler_plan_id"]),
        ("--url", f"{chain.articles[0].url}&chksm=1&scene=27#rd".replace("&", "&amp;")),
        ("--post-id", "p1"),
        ("--demand-content-id", "1"),
        ("--category-id", "11"),
    ]


def test_s006_every_end_answers_with_the_whole_chain_as_json(cli: Cli, chain: Chain) -> None:
    for end in ends_of(chain):
        done = cli("trace", *end, "--json")
        assert done.code == 0, end
        [found] = [entry for entry in done.json["chains"] if entry["task_id"] == chain.task_id]
        assert (found["closed"], found["broken"]) == (True, [])
        assert found["evidence"]["matched_post_ids"] == ["p1", "p2", "p3"]
        assert [article["url"] for article in found["articles"]] == [article.url for article in chain.articles]
        assert found["plans"][0]["crawler_plan_id"] == chain.plans[0]["crawler_plan_id"]
        assert "frozen" not in found


def test_s006_a_person_sees_the_chain_from_plan_to_category_and_back(cli: Cli, chain: Chain) -> None:
    plan_id, article = chain.plans[0]["crawler_plan_id"], chain.articles[0]
    shown = [
        f"plan {plan_id}", article.title, article.url, "chain closes", "demand_content 1 · 猫,治愈",
        "itemset 1001 · execution 581 · mining config 2081 · support 0.5 in 3 posts", "category 11 · /动物/猫咪",
        "source post p1", "post p2",
    ]  # fmt: skip
    down, up = cli("trace", "--crawler-plan-id", plan_id), cli("trace", "--demand-content-id", "1")
    for done in (down, up):
        assert done.code == 0
        missing = [line for line in shown if line not in done.out]
        assert not missing, done.out
    assert down.out.startswith(f"plan {plan_id}")
    assert up.out.startswith("itemset 1001")


def test_s006_a_title_is_shown_as_it_is_written(cli: Cli, finished: SupplyChain, chain: Chain) -> None:
    with finished.supply.engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE supply_candidate_content SET title = ? WHERE id = ?", (MARKED_UP, chain.articles[0].candidate_id)
        )
        connection.exec_driver_sql("UPDATE supply_crawler_plan SET crawler_plan_id = '[/cp]' WHERE id = 1")
    done = cli("trace", "--crawler-plan-id", "[/cp]")
    assert "plan [/cp] ·" in done.out
    done = cli("trace", "--demand-content-id", "1")
    assert (done.code, MARKED_UP in done.out) == (0, True)


@pytest.mark.parametrize("mode", [(), ("--json",)])
@pytest.mark.parametrize(
    "alteration",
    [
        "UPDATE pattern_itemset SET support = 0.25 WHERE id = 1001",
        "UPDATE demand_content SET name = '猫' WHERE id = 1",
        "UPDATE supply_task SET ext = json_set(ext, '$.source_evidence.source_post_id', 'p2') WHERE demand_id = 1",
        "UPDATE supply_demand_snapshot SET source_payload = '{}' WHERE demand_id = 1",
        "UPDATE supply_content_score SET score_detail = '{}' WHERE is_selected = 1",
        "UPDATE supply_crawler_plan SET request_payload = json_set(request_payload, '$.contents[0].url', 'x')",
    ],
    ids=lambda statement: statement.split()[1],
)
def test_s006_a_record_that_was_altered_is_shown_as_broken_and_is_exit_code_1(
    cli: Cli, finished: SupplyChain, chain: Chain, alteration: str, mode: tuple[str, ...]
) -> None:
    if "pattern_" in alteration:
        finished.facts.alter(alteration)
    else:
        store = finished.demands if "demand_content " in alteration else finished.supply
        with store.engine.begin() as connection:
            connection.exec_driver_sql(alteration)
    done = cli("trace", "--crawler-plan-id", chain.plans[0]["crawler_plan_id"], *mode)
    assert done.code == 1
    if mode:
        assert (done.json["chains"][0]["closed"], bool(done.json["chains"][0]["broken"])) == (False, True)
    else:
        assert "BROKEN: " in done.out


def test_s006_nothing_found_is_said_and_is_exit_code_1(cli: Cli, finished: SupplyChain) -> None:
    plain, structured = cli("trace", "--post-id", "p4"), cli("trace", "--post-id", "p4", "--json")
    assert (plain.code, plain.out) == (1, "no chain goes through this end\n")
    assert (structured.code, structured.json) == (1, {"chains": [], "more": False})


def test_s006_a_request_is_walked_without_any_facts(cli: Cli, finished: SupplyChain, tmp_path: Path) -> None:
    [row] = [row for row in finished.tables()["supply_task"] if row["demand_id"] == 900]
    plans = {plan["task_id"]: plan["crawler_plan_id"] for plan in finished.tables()["supply_crawler_plan"]}
    (tmp_path / HOME / "facts.db").unlink()
    done = cli("trace", "--crawler-plan-id", plans[row["task_id"]])
    assert done.code == 0
    assert "request 900: asked from outside, no pattern stands behind it" in done.out
    missing = cli("trace", "--demand-content-id", "1")
    assert (missing.code, missing.error.startswith("FactsUnreadable: ")) == (3, True)


USAGE = [
    (),
    ("--post-id", "p1", "--category-id", "11"),
    ("--url", ""),
    ("--url", "not a link"),
    ("--post-id", "\udcff"),
    ("--category-id", "0"),
    ("--category-id", "x"),
    ("--category-id", str(2**70)),
    ("--demand-content-id", "-1"),
]


@pytest.mark.parametrize("arguments", USAGE, ids=lambda arguments: ascii(" ".join(arguments))[:40])
def test_s006_an_end_that_names_nothing_is_one_line(
    cli: Cli, finished: SupplyChain, arguments: tuple[str, ...]
) -> None:
    done = cli("trace", *arguments)
    assert (done.code, done.error.startswith("UsageError: ")) == (2, True), done.err


def test_a_chain_is_walked_and_proved_without_anything_heavy(chain: Chain) -> None:
    imported = packages_after("trace", "--crawler-plan-id", chain.plans[0]["crawler_plan_id"])
    assert imported & {"dagster", "jieba", "numpy", "pandas", "scipy"} == set()
