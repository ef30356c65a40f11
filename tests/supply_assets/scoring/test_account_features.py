"""Features of an account (S-021): known, unknown and their formulas."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.tool_gateway.results.models import AccountInfo
from supply_assets.normalisation.counts import Count
from supply_assets.scoring.features.account_features import HistoryArticle, account_features
from supply_assets.scoring.records import AccountFeatures, Wanted

NOW = datetime(2024, 6, 1, tzinfo=UTC)
WANTED = Wanted(terms=("防骗",), expansion=("诈骗",))
FRAUD = ("社区反诈讲座", "警方通报诈骗案", "骗子的新花样", "冒充公检法怎么防", "养老骗局揭开", "这样的传销要小心")
MIXED = ("雨后的山谷", "一碗热汤", "新车试驾笔记", "量子计算入门", "球队昨夜取胜", "窗台上的绿植")


def history(titles: Sequence[str], every_days: float = 1, newest: datetime = NOW) -> list[HistoryArticle]:
    return [
        HistoryArticle(title, newest - timedelta(days=every_days * place), None, None)
        for place, title in enumerate(titles)
    ]


def features(
    titles: Sequence[str], every_days: float = 1, info: AccountInfo | None = None, wanted: Wanted = WANTED
) -> AccountFeatures:
    return account_features(info, history(titles, every_days), wanted, NOW)


def test_s021_without_record_or_history_nothing_is_known() -> None:
    assert account_features(None, [], WANTED, NOW) == AccountFeatures()


@pytest.mark.parametrize(("status", "verified"), [(None, None), (0, False), (1, True), (2, True)])
def test_s021_verification_is_known_or_not(status: int | None, verified: bool | None) -> None:
    found = account_features(AccountInfo(verify_status=status), [], WANTED, NOW)
    assert found == AccountFeatures(verified=verified)


@pytest.mark.parametrize(("every_days", "expected"), [(1, "daily"), (2, "weekly"), (8, "weekly"), (9, "irregular")])
def test_s021_update_frequency_is_by_the_median_gap(every_days: float, expected: str) -> None:
    assert features(FRAUD, every_days).update_frequency == expected
    assert features(FRAUD[:1], every_days).update_frequency is None


def test_s021_stability_is_how_regular_the_gaps_are() -> None:
    assert features(FRAUD, 7).stability_score == 100
    days = [0, 1, 2, 40, 41, 200]
    uneven = [HistoryArticle("题", NOW - timedelta(days=day), None, None) for day in days]
    assert 30 < (account_features(None, uneven, WANTED, NOW).stability_score or 0) < 50
    assert features(FRAUD[:2]).stability_score is None


def test_s021_one_posting_of_many_articles_is_one_posting_day() -> None:
    thrice = [article for article in history(FRAUD, 7) for _ in range(3)]
    assert account_features(None, thrice, WANTED, NOW).stability_score == 100


def test_s021_posting_days_are_days_in_china() -> None:
    evening = datetime(2024, 5, 1, 15, 30, tzinfo=UTC)  # 23:30 in China
    two = [HistoryArticle("甲", evening, None, None), HistoryArticle("乙", evening + timedelta(hours=1), None, None)]
    assert account_features(None, two, WANTED, NOW).update_frequency == "daily"


def test_s021_recent_articles_are_of_the_30_days_up_to_the_newest() -> None:
    old = history(["题"] * 10, every_days=10, newest=NOW - timedelta(days=400))
    assert account_features(None, old, WANTED, NOW).recent_article_count == 4


def test_s021_unknown_and_future_times_are_not_used() -> None:
    odd = [HistoryArticle("题", None, None, None), HistoryArticle("题", NOW + timedelta(days=2), None, None)]
    found = account_features(None, odd, WANTED, NOW)
    assert (found.recent_article_count, found.update_frequency, found.stability_score) == (None, None, None)
    assert found.credibility_score is not None


def test_s022_medians_are_of_known_counts_and_0_is_known() -> None:
    def of(*views: Count | None) -> int | None:
        articles = [HistoryArticle("题", None, count, count) for count in views]
        found = account_features(None, articles, WANTED, NOW)
        assert found.median_like_count == found.median_view_count
        return found.median_view_count

    assert of(None, None) is None
    assert of(None, Count(0)) == 0
    assert of(Count(3), None, Count(100_000, capped=True), Count(50)) == 50
    assert of(Count(1), Count(4)) == 2


def test_s021_a_specialised_account_is_vertical_to_its_own_subject_only() -> None:
    own = features(FRAUD).vertical_score or 0
    other = features(FRAUD, wanted=Wanted(terms=("菜谱",))).vertical_score or 0
    mixed = features(MIXED).vertical_score or 0
    assert own == 100
    assert other == 50
    assert mixed < 50
    assert features(FRAUD[:4]).vertical_score is None


def test_s021_concentration_is_seen_without_a_known_topic() -> None:
    chess = [f"围棋定式第{n}讲" for n in "甲乙丙丁戊己"]
    assert features(chess, wanted=Wanted(terms=("围棋",))).vertical_score == 100


def test_s021_four_titles_on_a_topic_say_nothing_of_the_account() -> None:
    few = [*FRAUD[:4], *MIXED, *(title[::-1] for title in MIXED)]
    assert (features(few, wanted=Wanted(terms=("菜谱",))).vertical_score or 0) < 50
    five = [*FRAUD[:5], *MIXED, *(title[::-1] for title in MIXED)]
    assert features(five, wanted=Wanted(terms=("菜谱",))).vertical_score == 50


def test_s021_half_of_the_titles_close_to_the_demand_are_full_closeness() -> None:
    quarter = ["防骗课", "围棋讲", "围棋讲", "围棋讲"] * 2
    half = ["防骗课", "围棋讲"] * 3
    assert features(quarter, wanted=Wanted(terms=("骗课",))).vertical_score == 75
    assert features(half, wanted=Wanted(terms=("骗课",))).vertical_score == 100


def test_s021_credibility_weighs_what_is_known() -> None:
    good = features(
        [f"{title}{n}" for n in range(20) for title in FRAUD], info=AccountInfo(verify_status=1), every_days=7
    )
    assert (good.credibility_score or 0) > 95

    def credibility(titles: Sequence[str], every_days: float = 7, status: int | None = None) -> float:
        found = features(titles, every_days, AccountInfo(verify_status=status)).credibility_score
        assert found is not None
        return found

    usual = credibility(FRAUD)
    assert credibility(FRAUD, status=1) > usual > credibility(FRAUD, status=0)
    assert credibility(FRAUD + MIXED) > usual
    assert credibility(FRAUD, every_days=1) < usual
    assert credibility([*FRAUD[:4], "震惊！快看", "惊呆了"]) < credibility([*FRAUD[:4], "竟然如此", "居然"]) < usual
    assert credibility([FRAUD[0], *FRAUD[:5]]) < usual


@pytest.mark.parametrize(
    ("titles", "status", "every_days", "expected"),
    [
        # (0.20 length, 0.20 clickbait, 0.15 repetition, 0.30 verified, 0.15 age), unknown parts left out
        (100, None, None, 100),
        (9, None, None, (0.20 * 49.893 + 35) / 0.55),
        (100, 1, None, 100),
        (100, 0, None, (55 + 0.30 * 30) / 0.85),
        (100, None, 365 / 99, (55 + 0.15 * 50) / 0.70),
        (100, None, 8, 100),
    ],
)
def test_s021_credibility_value_by_value(
    titles: int, status: int | None, every_days: float | None, expected: float
) -> None:
    named = [f"题目{n}" for n in range(titles)]
    articles = history(named, every_days) if every_days else [HistoryArticle(name, None, None, None) for name in named]
    found = account_features(AccountInfo(verify_status=status), articles, WANTED, NOW)
    assert found.credibility_score == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("baiting", "weak", "repeated", "lost"),
    [(15, 0, 0, 50 * 0.20), (30, 0, 0, 100 * 0.20), (0, 60, 0, 50 * 0.20), (0, 0, 25, 50 * 0.15), (0, 0, 50, 15)],
)
def test_s021_credibility_falls_with_clickbait_and_repetition(
    baiting: int, weak: int, repeated: int, lost: float
) -> None:
    titles = [f"题目{n}" + "震惊" * (n < baiting) + "竟然" * (n < weak) for n in range(100)]
    titles[100 - repeated :] = titles[:1] * repeated
    found = features(titles, every_days=8).credibility_score
    assert found == pytest.approx(100 - lost / 0.70, abs=0.02)


@pytest.mark.parametrize(
    ("titles", "tags"),
    [
        (FRAUD, ()),
        ((*FRAUD, "震惊！", "惊呆了"), ("标题党",)),
        ((*FRAUD, "震惊！"), ()),
        ((*FRAUD, "竟然", "居然", "揭秘", "曝光"), ()),
        ((*FRAUD, "加微信进群", "转发到群有礼"), ("营销号",)),
        ((*FRAUD, "祖传秘方见效", "澳门赌场上线"), ("高风险",)),
        ((*FRAUD, "警惕祖传秘方", "澳门赌场被查处"), ()),
        (("震惊", "惊呆", "泪崩"), ()),
        ((*MIXED, *FRAUD, *MIXED, "震惊！", "惊呆了"), ()),
    ],
)
def test_s021_risk_tags_need_a_share_and_two_titles_of_five(titles: tuple[str, ...], tags: tuple[str, ...]) -> None:
    assert features(titles).risk_tags == tags


@pytest.mark.parametrize(
    ("word", "tag", "fewest"), [("震惊", "标题党", 15), ("加微信", "营销号", 10), ("祖传秘方", "高风险", 5)]
)
def test_s021_risk_tags_begin_at_their_share(word: str, tag: str, fewest: int) -> None:
    usual = [f"题目{n}" for n in range(100)]
    assert features([word] * fewest + usual[fewest:]).risk_tags == (tag,)
    assert features([word] * (fewest - 1) + usual[fewest - 1 :]).risk_tags == ()


@pytest.mark.parametrize("word", ["震惊", "加微信", "祖传秘方"])
def test_s021_one_title_of_five_tags_nobody(word: str) -> None:
    usual = [f"题目{n}" for n in range(4)]
    assert features([word, *usual]).risk_tags == ()
    assert features([word, word, *usual[:3]]).risk_tags != ()


def test_s021_a_time_without_zone_is_refused() -> None:
    naive = [HistoryArticle("题", NOW.replace(tzinfo=None), None, None)]
    with pytest.raises(TypeError):
        account_features(None, naive, WANTED, NOW)


ANY_TIME = st.integers(0, 4_000_000_000).map(lambda second: datetime.fromtimestamp(second, UTC))
ARTICLES = st.builds(
    HistoryArticle,
    st.text(max_size=20),
    st.none() | ANY_TIME,
    st.none() | st.builds(Count, st.integers(0, 10**15), st.booleans()),
    st.none() | st.builds(Count, st.integers(0, 10**15)),
)


@given(st.lists(ARTICLES, max_size=12), st.randoms())
def test_s026_scores_are_in_range_and_order_does_not_matter(articles: list[HistoryArticle], random: Random) -> None:
    found = account_features(None, articles, WANTED, NOW)
    for score in (found.vertical_score, found.stability_score, found.credibility_score):
        assert score is None or 0 <= score <= 100
    shuffled = list(articles)
    random.shuffle(shuffled)
    assert account_features(None, shuffled, WANTED, NOW) == found


@pytest.mark.real_data
def test_s021_the_anti_fraud_account_is_the_most_vertical_of_the_real_ones(real_data: Path) -> None:
    path = real_data / "wechat" / "articles_with_counts.jsonl"
    by_account: dict[str, list[HistoryArticle]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        posted = datetime.fromisoformat(row["publish_time"]).replace(tzinfo=UTC)
        views = None if row["view_count"] is None else Count(row["view_count"])
        by_account[row["account_name"]].append(HistoryArticle(row["title"], posted, views, None))
    now = datetime(2022, 6, 1, tzinfo=UTC)
    health = Wanted(terms=("健康",), expansion=("疫苗", "医院"))
    found = {name: account_features(None, articles[:200], health, now) for name, articles in by_account.items()}
    ranked = sorted(found, key=lambda name: -(found[name].vertical_score or 0))
    assert "深圳卫健委" in ranked[:3]
    assert all(one.median_view_count is not None for one in found.values())
