"""A whole task over accounts that a collation takes for one: the same scores on each kind of database (MY3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import URL

from resources.databases.supply_store.articles.candidates import read_candidates
from resources.databases.supply_store.articles.profiles import read_profiles
from resources.databases.supply_store.articles.scores import read_scores
from resources.databases.supply_store.engine import SupplyStore
from resources.databases.supply_store.states import Stage
from sandbox.platform.app import build_app
from sandbox.platform.corpus.articles import ListedCorpus, long_link
from sandbox.platform.serving.serve import serve
from tests.cat_corpus import cat_corpus
from tests.real_servers import MARIADB, temporary_database
from tests.supply_chain import SupplyChain, embedded_chain, environment, make_tables, request

ALIKE = ("MzAxAAA=", "mzaxaaa=")


def alike_corpus() -> ListedCorpus:
    """The cats, two of their accounts known by ``biz`` alone, which differ in case."""
    plain = cat_corpus()
    renamed = dict(zip((account.biz for account in plain.accounts), ALIKE, strict=False))
    accounts = [
        account._replace(account_id="", biz=renamed[account.biz]) if account.biz in renamed else account
        for account in plain.accounts
    ]
    articles = []
    for article in plain.articles:
        biz = renamed.get(article.biz, article.biz)
        link = long_link(biz, article.mid, article.idx, article.sn)
        changed = {} if biz == article.biz else {"biz": biz, "link": link, "page_link": link}
        articles.append(article._replace(**changed))
    return ListedCorpus(articles, accounts)


def ranking(chain: SupplyChain) -> tuple[list[Any], list[str]]:
    """What a task came to, by link, and the accounts that it knows."""
    (task,) = chain.ask(request(expected_count=8)).tasks
    chain.run([task], through=Stage.RANK)
    with chain.supply.reading() as connection:
        links = {row.id: (row.url, row.account_id) for row in read_candidates(connection, [task.task_id])}
        accounts = sorted(row.account_id for row in read_profiles(connection, [task.task_id]))
        scores = [
            (*links[row.candidate_id], row.total_score, row.account_score, row.diversity_penalty, row.is_selected)
            for row in read_scores(connection, [task.task_id])
        ]
    return sorted(scores), accounts


@pytest.mark.real_server
def test_my3_a_task_over_accounts_alike_but_for_case_is_scored_the_same_on_each_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(build_app(alike_corpus())) as platform, embedded_chain(tmp_path / "home") as embedded:
        for name, value in environment(tmp_path / "home", platform.url).items():
            monkeypatch.setenv(name, value)
        on_sqlite = ranking(embedded)
        with temporary_database(MARIADB) as url:
            make_tables(url)
            monkeypatch.setenv("SUPPLY_STORE_MYSQL_DSN", url.render_as_string(hide_password=False))
            served: URL = url
            on_mariadb = ranking(replace(embedded, supply=SupplyStore(served)))
    assert on_sqlite == on_mariadb
    assert {f"biz:{biz}" for biz in ALIKE} <= set(on_sqlite[1])
