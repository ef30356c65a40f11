"""One walk over the whole chain from any of its five ends, and it says where the chain does not hold (S-006)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from lineage.trace import Chain, ChainEnd, chains_of_tasks, chains_through, prove
from resources.databases.supply_store.articles.plans import PlanRow, plans_of_tasks
from resources.foundation.errors import FactsUnreadable, UsageError
from resources.links.articles import read_url
from tests.small_facts import ANIMALS, CAT, FEELING, SHOPPING
from tests.supply_chain import PRICES, SupplyChain, of_post

TASK, SNAPSHOT, SCORE, PLAN = (
    "supply_task", "supply_demand_snapshot", "supply_content_score", "supply_crawler_plan",
)  # fmt: skip


def plan_of(place: SupplyChain, chain: Chain) -> PlanRow:
    [plan] = place.read(lambda connection: plans_of_tasks(connection, [chain.task_id]))
    return plan


def of_demand(place: SupplyChain, demand_content_id: int = 1) -> Chain:
    [chain] = place.trace(demand_content_id=demand_content_id)
    return chain


def task_ids(chains: list[Chain]) -> set[str]:
    return {chain.task_id for chain in chains}


def test_s006_a_whole_batch_closes_from_every_one_of_its_plans(finished: SupplyChain) -> None:
    plans = finished.tables()[PLAN]
    assert len(plans) == 4
    for plan in plans:
        [chain] = finished.trace(crawler_plan_id=plan["crawler_plan_id"])
        assert (chain.task_id, chain.broken) == (plan["task_id"], [])


def test_s006_the_five_ends_lead_to_one_chain(finished: SupplyChain) -> None:
    chain = of_demand(finished)
    article = chain.articles[0]
    ends: list[dict[str, Any]] = [
        {"crawler_plan_id": chain.plans[0]["crawler_plan_id"]},
        {"url": article.url},
        {"post_id": "p1"},
        {"demand_content_id": 1},
        {"category_id": CAT},
    ]
    for end in ends:
        found = {other.task_id: other for other in finished.trace(**end)}
        assert found[chain.task_id] == chain, end


def test_s006_a_chain_says_what_the_facts_say(finished: SupplyChain) -> None:
    chain = of_demand(finished)
    assert (chain.demand_name, chain.support, chain.absolute_support) == ("猫,治愈", 0.5, 3)
    assert (chain.batch, chain.status, chain.query) == ("581", "COMPLETED", "猫 治愈")
    assert [node.path for node in chain.evidence.categories] == ["/动物/猫咪", "/情感"]
    assert [article.rank_no for article in chain.articles] == [1, 2, 3, 4]
    assert chain.plans[0]["input_count"] == 4


@pytest.mark.parametrize(
    ("end", "demands"),
    [
        ({"post_id": "p1"}, {1, 3}),
        ({"post_id": "p5"}, {2}),
        ({"post_id": "p4"}, set()),
        ({"post_id": "P1"}, set()),
        ({"post_id": "p"}, set()),
        ({"post_id": "%"}, set()),
        ({"category_id": CAT}, {1, 3}),
        ({"category_id": SHOPPING}, {2}),
        ({"category_id": FEELING}, {1, 2, 3}),
        ({"category_id": ANIMALS}, set()),
        ({"category_id": 1}, set()),
        ({"demand_content_id": 2}, {2}),
        ({"demand_content_id": 900}, set()),
        ({"crawler_plan_id": "cp-"}, set()),
        ({"url": "https://mp.weixin.qq.com/s?__biz=MzA5&mid=1&idx=1&sn=a"}, set()),
    ],
    ids=str,
)
def test_s006_an_end_finds_its_own_chains_and_no_other(
    finished: SupplyChain, end: dict[str, Any], demands: set[int]
) -> None:
    assert {chain.evidence.demand_id for chain in finished.trace(**end)} == demands


def tracked_forms(url: str) -> list[str]:
    biz, mid, idx, sn = (part.partition("=")[2] for part in url.partition("?")[2].split("&"))
    return [
        url,
        f"  {url}\n",
        url.replace("https", "http"),
        f"{url}#rd",
        f"{url}&chksm=abcdef&scene=27#wechat_redirect",
        f"{url}&chksm=abcdef&scene=126&sessionid=0".replace("&", "&amp;"),
        f"https://mp.weixin.qq.com/s?sn={sn}&idx={idx}&mid={mid}&__biz={biz}&mpshare=1&from=timeline",
        f"https://mp.weixin.qq.com/s?__biz={biz.replace('=', '%3D')}&mid={mid}&idx={idx}&sn={sn}",
        f"https://mp.weixin.qq.com/mp/appmsg/show?__biz={biz}&appmsgid={mid}&itemidx={idx}&sn={sn}",
    ]


def test_s006_an_article_is_found_by_any_form_of_its_link(finished: SupplyChain) -> None:
    chain = of_demand(finished)
    url = chain.articles[0].url
    assert read_url(url).canonical == url
    for form in tracked_forms(url):
        assert chain.task_id in task_ids(finished.trace(url=form)), form


def test_s006_an_article_that_was_not_selected_is_in_no_chain(finished: SupplyChain) -> None:
    chain = of_demand(finished)
    selected = {article.url for article in chain.articles}
    others = {
        row["url"] for row in finished.tables()["supply_candidate_content"] if row["task_id"] == chain.task_id
    } - selected
    assert others
    for url in others:
        assert chain.task_id not in task_ids(finished.trace(url=url))


def test_s006_an_article_of_two_plans_is_in_both_chains(finished: SupplyChain) -> None:
    first, third = of_demand(finished), of_demand(finished, 3)
    shared = {article.url for article in first.articles} & {article.url for article in third.articles}
    assert shared
    assert task_ids(finished.trace(url=shared.pop())) >= {first.task_id, third.task_id}


def test_s006_a_request_ends_at_itself_and_needs_no_facts(finished: SupplyChain) -> None:
    [row] = [row for row in finished.tables()[TASK] if row["demand_id"] == 900]
    finished.facts.alter("DROP TABLE pattern_itemset_post")
    [chain] = chains_of_tasks([row["task_id"]], finished.supply)
    prove([chain], finished.demands, None)  # type: ignore[arg-type]
    assert (chain.evidence.origin, chain.has_pattern, chain.broken) == ("request", False, [])
    assert len(chain.plans) == 1


def test_s006_facts_that_cannot_be_read_say_nothing(finished: SupplyChain) -> None:
    finished.facts.alter("DROP TABLE pattern_itemset_post")
    with pytest.raises(FactsUnreadable):
        finished.trace(post_id="p1")
    assert [chain.broken for chain in chains_through(ChainEnd(demand_content_id=1), finished.supply)] == [[]]


Alter = Callable[[SupplyChain, Chain], None]


def in_json(table: str, column: str, *path: str | int, value: Any, of: str = "task_id") -> Alter:
    """Change one value inside a JSON column of the chain's first row of a table."""

    def alter(place: SupplyChain, chain: Chain) -> None:
        key = {"task_id": chain.task_id, "demand_id": chain.evidence.demand_id}[of]
        rows = [row for row in place.tables()[table] if row[of] == key]
        row = next(row for row in rows if row.get("is_selected", True))

        def change(stands: Any) -> Any:
            inner = stands
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = value
            return stands

        place.alter_json(table, column, row["id"], change)

    return alter


def whole_json(table: str, column: str, value: Any, of: str = "task_id") -> Alter:
    def alter(place: SupplyChain, chain: Chain) -> None:
        key = {"task_id": chain.task_id, "demand_id": chain.evidence.demand_id}[of]
        row = next(row for row in place.tables()[table] if row[of] == key and row.get("is_selected", True))
        place.alter_json(table, column, row["id"], lambda _: value)

    return alter


def in_row(change: Callable[[dict[str, Any]], Any]) -> Alter:
    return lambda place, chain: place.alter_row(chain.evidence.demand_id, change)


def in_facts(statement: str) -> Alter:
    return lambda place, _: place.facts.alter(statement)


def in_supply(statement: str) -> Alter:
    def alter(place: SupplyChain, chain: Chain) -> None:
        place.supply.write(lambda connection: connection.execute(text(statement), {"task": chain.task_id}))

    return alter


EVIDENCE = "source_evidence"
OTHER_EVIDENCE = "carries other evidence than the task"
TAMPERED: dict[str, tuple[Alter, str]] = {
    "task: support post": (in_json(TASK, "ext", EVIDENCE, "matched_post_ids", 0, value="p9"), "than the task"),
    "task: itemset": (in_json(TASK, "ext", EVIDENCE, "itemset_ids", value=[1002]), "than the task"),
    "task: category path": (in_json(TASK, "ext", EVIDENCE, "categories", 0, "path", value="/x"), "than the task"),
    "task: category id": (in_json(TASK, "ext", EVIDENCE, "categories", 0, "id", value=12), "than the task"),
    "task: text for a number": (
        in_json(TASK, "ext", EVIDENCE, "pattern_execution_id", value="581"),
        "the task carries other evidence than the snapshot",
    ),
    "task: a key too many": (in_json(TASK, "ext", EVIDENCE, "note", value=1), "the task carries other evidence"),
    "task: nothing": (in_json(TASK, "ext", EVIDENCE, value=None), "the task carries other evidence"),
    "task: a list": (in_json(TASK, "ext", EVIDENCE, value=[1]), "the task carries other evidence"),
    "task: another origin": (in_json(TASK, "ext", EVIDENCE, "origin", value="request"), "than the task"),
    "snapshot: evidence": (
        in_json(SNAPSHOT, "source_payload", EVIDENCE, "source_post_id", value="p2", of="demand_id"),
        "the snapshot carries other evidence than the task",
    ),
    "snapshot: name of the row": (
        in_json(SNAPSHOT, "source_payload", "demand", "name", value="狗", of="demand_id"),
        "is not what the snapshot froze",
    ),
    "snapshot: pack of the row": (
        in_json(
            SNAPSHOT, "source_payload", "demand", "ext_data", "evidence_pack", "support", value=0.9, of="demand_id"
        ),
        "is not what the snapshot froze",
    ),
    "snapshot: no object": (whole_json(SNAPSHOT, "source_payload", [], of="demand_id"), "the snapshot carries other"),
    "score: evidence": (
        in_json(SCORE, "score_detail", EVIDENCE, "mining_config_id", value=9),
        "the score of candidate",
    ),
    "score: none": (in_json(SCORE, "score_detail", EVIDENCE, value=None), "the score of candidate"),
    "score: no object": (whole_json(SCORE, "score_detail", 7), "the score of candidate"),
    "score: one more selected": (
        in_supply(
            "UPDATE supply_content_score SET is_selected = 1 WHERE id = (SELECT MIN(id) FROM supply_content_score"
            " WHERE task_id = :task AND is_selected = 0)"
        ),
        "which is selected",
    ),
    "score: one less selected": (
        in_supply("UPDATE supply_content_score SET is_selected = 0 WHERE task_id = :task AND rank_no = 1"),
        "which is not selected",
    ),
    "candidate: another link": (
        in_supply("UPDATE supply_candidate_content SET url = 'https://example.com/x' WHERE task_id = :task"),
        "which is not selected",
    ),
    "plan: evidence": (
        in_json(PLAN, "request_payload", EVIDENCE, "itemset_ids", value=[]),
        OTHER_EVIDENCE,
    ),
    "plan: no evidence": (in_json(PLAN, "request_payload", EVIDENCE, value={}), OTHER_EVIDENCE),
    "plan: another article": (
        in_json(PLAN, "request_payload", "contents", 0, "url", value="https://example.com/x"),
        "holds https://example.com/x, which is not selected",
    ),
    "plan: no article": (in_json(PLAN, "request_payload", "contents", value=[]), "lacks https://mp.weixin.qq.com/"),
    "plan: no list": (in_json(PLAN, "request_payload", "contents", value=7), "lacks https://mp.weixin.qq.com/"),
    "plan: no object": (whole_json(PLAN, "request_payload", None), OTHER_EVIDENCE),
    "row: name": (in_row(lambda row: row.update(name="猫")), "is not what the snapshot froze"),
    "row: score": (in_row(lambda row: row.update(score=0.1)), "is not what the snapshot froze"),
    "row: reason": (in_row(lambda row: row.update(reason="别的")), "is not what the snapshot froze"),
    "row: support": (
        in_row(lambda row: row["ext_data"]["evidence_pack"].update(support=0.9)),
        "D-034 pack_differs: support",
    ),
    "row: pack id": (
        in_row(lambda row: row["ext_data"]["evidence_pack"].update(demand_content_id=2)),
        OTHER_EVIDENCE,
    ),
    "row: no pack": (in_row(lambda row: row["ext_data"].pop("evidence_pack")), "evidence_pack"),
    "row: no JSON": (in_row(lambda row: row.update(ext_data="{")), "ext_data"),
    "fact: support": (in_facts("UPDATE pattern_itemset SET support = 0.25 WHERE id = 1001"), "D-034"),
    "fact: post": (in_facts("DELETE FROM pattern_itemset_post WHERE itemset_id = 1001 AND post_id = 'p3'"), "D-036"),
    "fact: category": (in_facts("UPDATE pattern_mining_category SET path = '/x' WHERE id = 11"), "D-035"),
    "fact: element": (in_facts("DELETE FROM pattern_mining_element WHERE post_id = 'p1'"), "D-038"),
    "fact: itemset": (in_facts("DELETE FROM pattern_itemset WHERE id = 1001"), "D-031"),
    "fact: execution": (in_facts("UPDATE pattern_mining_execution SET status = 'failed'"), "D-030"),
}
"""Every record that carries the chain, altered; what the walk says of it."""


@pytest.mark.parametrize("carrier", TAMPERED)
def test_s006_a_record_that_was_altered_shows_wherever_the_walk_starts(finished: SupplyChain, carrier: str) -> None:
    chain = of_demand(finished)
    alter, named = TAMPERED[carrier]
    alter(finished, chain)
    [walked] = finished.trace(crawler_plan_id=chain.plans[0]["crawler_plan_id"])
    assert walked.task_id == chain.task_id
    assert not walked.closed
    assert any(named in reason for reason in walked.broken), walked.broken
    if not carrier.startswith("fact"):
        assert of_demand(finished, 2).closed, "another chain is none the worse"


def test_s006_a_row_that_is_gone_shows(finished: SupplyChain) -> None:
    chain = of_demand(finished)
    with finished.demands.engine.begin() as connection:
        connection.execute(text("DELETE FROM demand_content WHERE id = 1"))
    [walked] = finished.trace(crawler_plan_id=chain.plans[0]["crawler_plan_id"])
    assert walked.broken == ["demand_content 1 is not there any more"]
    assert walked.demand_name is None


def test_s006_no_carrier_that_can_be_read_is_no_chain_that_closes(finished: SupplyChain) -> None:
    chain = of_demand(finished)
    for table, column, of in ((TASK, "ext", "task_id"), (SNAPSHOT, "source_payload", "demand_id")):
        whole_json(table, column, {}, of)(finished, chain)
    in_json(PLAN, "request_payload", EVIDENCE, value=None)(finished, chain)
    for row in finished.tables()[SCORE]:
        finished.alter_json(SCORE, "score_detail", row["id"], lambda _: {})
    [walked] = finished.trace(crawler_plan_id=chain.plans[0]["crawler_plan_id"])
    assert walked.broken == ["no record of the task carries evidence that can be read"]


def test_s006_a_plan_by_account_holds_the_accounts_of_what_was_selected(finished: SupplyChain) -> None:
    chain = of_demand(finished, 3)
    plan = plan_of(finished, chain)
    assert (plan.plan_type, chain.broken) == ("BY_ACCOUNT", [])
    in_json(PLAN, "request_payload", "accounts", 0, "account_id", value="gh_other")(finished, chain)
    assert "holds gh_other, which is not selected" in of_demand(finished, 3).broken[0]


@pytest.mark.parametrize(
    "ends",
    [
        {},
        {"post_id": "p1", "category_id": 11},
        {"url": ""},
        {"url": "not a link"},
        {"url": "ftp://mp.weixin.qq.com/s/abc"},
        {"url": "https://mp.weixin.qq.com/s\ud83d"},
        {"post_id": "p\udcff"},
        {"post_id": "p\x001"},
        {"crawler_plan_id": "\udcff"},
        {"category_id": 0},
        {"category_id": -1},
        {"category_id": 2**63},
        {"demand_content_id": 2**70},
    ],
    ids=ascii,
)
def test_s006_an_end_that_names_nothing_is_refused(finished: SupplyChain, ends: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="--"):
        finished.trace(**ends)


@pytest.mark.real_server
@pytest.mark.usefixtures("cats")
def test_s006_the_whole_chain_closes_from_every_end_on_mariadb(mariadb_chain: SupplyChain) -> None:
    place = mariadb_chain
    place.publish(of_post("p1"), PRICES)
    tasks = place.take_in(expected_count=3).tasks
    assert place.run(tasks).counts == {"completed": 2}
    chain = of_demand(place, tasks[0].demand_id)
    assert chain.broken == []
    ends: list[dict[str, Any]] = [
        {"crawler_plan_id": chain.plans[0]["crawler_plan_id"]},
        {"url": chain.articles[0].url},
        {"post_id": "p1"},
        {"category_id": CAT},
    ]
    for end in ends:
        assert chain in place.trace(**end), end
    assert len(place.trace(category_id=FEELING)) == 2
    in_json(PLAN, "request_payload", EVIDENCE, "itemset_ids", value=[])(place, chain)
    assert of_demand(place, tasks[0].demand_id).broken != []
