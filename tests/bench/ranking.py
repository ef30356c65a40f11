"""Ranking against graded queries beside known baselines, and 100,000 candidates ranked in one call."""

from __future__ import annotations

import json
import math
import random
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import bm25s
import jieba
import numpy as np

from resources.links.articles import read_url
from supply_assets.normalisation.counts import read_count
from supply_assets.normalisation.texts import display
from supply_assets.normalisation.times import read_time
from supply_assets.scoring.ranking.rank import rank_pool
from supply_assets.scoring.ranking.relevance import relevance
from supply_assets.scoring.records import PoolArticle, Wanted

CANDIDATES = 100_000
DEPTH = 10
OF_BM25 = 50
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _words(spaced: str) -> list[str]:
    return spaced.split()


_SUBJECTS = _words("高血压 糖尿病 医保 养老金 诈骗 食品安全 骨质疏松 失眠 流感疫苗 广场舞 智能手机 台风 垃圾分类")
_SAYINGS = _words("注意事项 科普 怎么办 做法 误区 指南 政策解读 提醒 故事 盘点 真相 案例 问答 清单 新规 常识")
_PLACES = _words("北京 上海 深圳 成都 武汉 西安 杭州 南京 长沙 沈阳 昆明 青岛 合肥 郑州 苏州 厦门 大连 贵阳")
_TAILS = _words("医生这样说 很多人都做错了 专家详细解读 一文读懂 记得告诉爸妈 今天讲清楚 收藏备用")

Order = Callable[[int], Sequence[int]]
Grades = np.ndarray[Any, np.dtype[np.float64]]


class Graded(NamedTuple):
    """A corpus as raw rows and as a pool, and the queries over it with the grade of every place."""

    rows: list[dict[str, Any]]
    articles: list[PoolArticle]
    queries: list[Wanted]
    grades: list[Grades]


def measure_quality(real_data: Path) -> dict[str, Any]:
    """Mean NDCG@10 (gain 2^grade - 1) of each way to rank the corpus: over all, odd and even queries."""
    corpus = graded(real_data)
    plain, wider = bm25_ways(corpus)
    views = np.array([row["view_count"] or 0 for row in corpus.rows], dtype=float)
    ways: dict[str, Order] = {
        "bm25": plain,
        "bm25_with_expansion": wider,
        "popularity": lambda query: np.argsort(-views, kind="stable").tolist(),
        "popularity_of_50_best_of_bm25_with_expansion": lambda query: sorted(
            wider(query)[:OF_BM25], key=lambda at: -views[at]
        ),
        "relevance": relevance_way(corpus),
        "total": total_way(corpus),
    }
    return {name: summary(corpus, way) for name, way in ways.items()}


def measure_scale(candidates: int = CANDIDATES) -> dict[str, Any]:
    """Seconds of normalising and of ranking ``candidates`` made-up articles, and the memory they add at the most."""
    raw = list(_made_up(candidates))
    before = _peak_mib()
    started = time.perf_counter()
    articles = [_article(place, row) for place, row in enumerate(raw)]
    normalised = time.perf_counter()
    ranking = rank_pool(Wanted(("高血压", "饮食"), ("血压", "盐"), expected_count=50), articles)
    ended = time.perf_counter()
    return {
        "candidates": candidates,
        "normalised_s": normalised - started,
        "ranked_s": ended - normalised,
        "peak_mib": _peak_mib(),
        "added_mib": _peak_mib() - before,
        "duplicates": ranking.duplicates,
        "by_filter": ranking.by_filter,
        "selected": ranking.selected,
    }


def graded(real_data: Path) -> Graded:
    """The articles with counts and the graded queries of the public data."""
    rows = [json.loads(line) for line in (real_data / "wechat/articles_with_counts.jsonl").open(encoding="utf-8")]
    judged = [json.loads(line) for line in (real_data / "wechat/judgements.jsonl").open(encoding="utf-8")]
    return Graded(
        rows,
        [_article(place, row) for place, row in enumerate(rows)],
        [Wanted(tuple(one["query"].split()), tuple(one["query_expansion"])) for one in judged],
        [np.array([one["relevant"].get(row["url"], 0) for row in rows], dtype=float) for one in judged],
    )


def summary(corpus: Graded, order: Order) -> dict[str, float]:
    """Mean NDCG of an order, over all queries and over each of two folds."""
    figures = [ndcg(order(query), grades) for query, grades in enumerate(corpus.grades)]
    folds = {"all": figures, "odd_queries": figures[::2], "even_queries": figures[1::2]}
    return {name: float(np.mean(fold)) for name, fold in folds.items()}


def ndcg(order: Sequence[int], grades: Grades) -> float:
    """NDCG at ``DEPTH`` of an order of places; an order that is too short gains nothing for what is missing."""
    discounts = [1 / math.log2(rank + 2) for rank in range(DEPTH)]
    gained = sum((2 ** grades[at] - 1) * cut for at, cut in zip(order[:DEPTH], discounts, strict=False))
    best = sum((2**grade - 1) * cut for grade, cut in zip(np.sort(grades)[::-1], discounts, strict=False))
    return float(gained / best)


def relevance_way(corpus: Graded) -> Order:
    """By the relevance part alone."""

    def order(query: int) -> list[int]:
        scores = [relevance(corpus.queries[query], article).score for article in corpus.articles]
        return sorted(range(len(scores)), key=lambda place: -scores[place])

    return order


def total_way(corpus: Graded) -> Order:
    """As the whole ranking has them, those that do not pass last; the pool is all articles with anything found."""

    def order(query: int) -> list[int]:
        wanted = corpus.queries[query]
        pool = [article for article in corpus.articles if relevance(wanted, article).score > 0]
        return [one.candidate_id for one in rank_pool(wanted, pool).articles]

    return order


def bm25_ways(corpus: Graded) -> tuple[Order, Order]:
    """bm25s over title ×2 + digest in jieba tokens: by the query's terms, and by them twice plus the expansion."""
    jieba.setLogLevel(60)
    index = bm25s.BM25()
    texts = [f"{row['title'] or ''} {row['title'] or ''} {row['digest'] or ''}" for row in corpus.rows]
    index.index([_tokens(text) for text in texts], show_progress=False)

    def order(tokens: list[str]) -> list[int]:
        return np.argsort(-index.get_scores(tokens), kind="stable").tolist()

    def own(query: int) -> list[str]:
        return [token for term in corpus.queries[query].terms for token in _tokens(term)]

    def wider(query: int) -> list[str]:
        return own(query) * 2 + [token for term in corpus.queries[query].expansion for token in _tokens(term)]

    return lambda query: order(own(query)), lambda query: order(wider(query))


def _tokens(text: str) -> list[str]:
    return [token for token in jieba.lcut(text) if token.strip()]


def _article(place: int, row: dict[str, Any]) -> PoolArticle:
    return PoolArticle(
        candidate_id=place,
        title=display(row["title"]),
        url_hash=read_url(row["url"]).identity_hash,
        digest=display(row["digest"]),
        account_key=row["biz"],
        publish_time=read_time(row["publish_time"], now=NOW).instant,
        views=read_count(row["view_count"]),
        likes=read_count(row["like_count"]),
    )


def _made_up(candidates: int) -> Iterator[dict[str, Any]]:
    """Raw rows as a search gives them: mark-up, counts as text, some missing, one in ten a repost."""
    dice = random.Random(0)
    rows: list[dict[str, Any]] = []
    for place in range(candidates):
        if rows and dice.random() < 0.1:
            title = "【转】" + dice.choice(rows[-200:])["title"] + "！"
        else:
            subject, other = dice.sample(_SUBJECTS, 2)
            title = f"{dice.choice(_PLACES)}{dice.randrange(2, 999)}位老人的<em>{subject}</em>{dice.choice(_SAYINGS)}"
            title += f"与{other}{dice.choice(_SAYINGS)}，{dice.choice(_TAILS)}"
        name = sha256(str(place).encode()).hexdigest()
        link = f"__biz=Mz{place % 997}==&amp;mid={place}&amp;idx=1&amp;sn={name}&amp;scene=27#rd"
        rows.append(
            {
                "title": title,
                "digest": f"{dice.choice(_SUBJECTS)}{dice.choice(_SAYINGS)}&amp;{dice.choice(_TAILS)}",
                "url": f"http://mp.weixin.qq.com/s?{link}",
                "biz": f"Mz{place % 997}==",
                "publish_time": int((NOW - timedelta(minutes=place)).timestamp()),
                "view_count": dice.choice([None, "10万+", "1.2万", str(dice.randrange(100_000))]),
                "like_count": dice.choice([None, dice.randrange(5_000)]),
            }
        )
    yield from rows


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
