"""Which titles and texts are one work (S-024, WX13)."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supply_assets.scoring.duplicates.near_duplicates import (
    Pair,
    clusters,
    near_duplicate_texts,
    near_duplicate_titles,
    same_work,
)
from tests.bench.near_duplicates import (
    COMMON,
    KINDS,
    episodes_apart,
    found_and_right,
    made_titles,
    real_titles,
    twins_of,
)

TITLE = "老人睡前做这三件事，比吃补药还管用"
BODY = "".join(
    f"第{n}段说的是睡眠与健康的关系，每天走{n * 7}步，早睡早起，{'天地玄黄宇宙洪荒'[n % 8]}不可少。" for n in range(60)
)


@pytest.mark.parametrize(
    "repost",
    [
        "【转】老人睡前做这三件事，比吃补药还管用",
        "转发：老人睡前做这三件事，比吃补药还管用！！",
        "速看老人睡前做这三件事，比吃补药还管用",
        "速看！【转发】老人睡前做这三件事，比吃补药还管用（转）",
        "【健康】老人睡前做这三件事，比吃补药还管用",
        "老人睡前👍做这三件事……比吃补药还管用🙏",
        "老人睡前做这３件事，比吃补药还管用",
        "老年人睡前做这三件事，比吃补药还管用",
        "老人睡前做这三件事，比吃补品更管用",
        "比吃补药还管用，老人睡前做这三件事",
        "老人睡前做这件事，比吃补药还管用",
    ],
)
def test_wx13_a_repost_is_merged_and_the_decision_says_why(repost: str) -> None:
    decision = same_work(TITLE, repost)
    assert decision.same, decision
    assert 0.75 <= decision.similarity <= 1
    assert decision.reason
    assert near_duplicate_titles([TITLE, repost]) == [Pair(0, 1, decision.similarity)]


def test_wx13_a_forwarder_s_words_behind_a_short_title_do_not_count() -> None:
    assert same_work("老人早起三件事", "老人早起三件事（赶紧转发）").same


EPISODES = [
    ("西游记第1集", "西游记第2集"),
    ("西游记第十一集 大战红孩儿", "西游记第十二集 大战红孩儿"),
    ("大江大河（上）", "大江大河（下）"),
    ("长征路上的故事上", "长征路上的故事下"),
    ("中国通史：上篇", "中国通史：下篇"),
    ("动物世界 EP01", "动物世界 EP02"),
    ("动物世界 S01E02", "动物世界 S02E01"),
    ("健康大讲堂第一期", "健康大讲堂第二期"),
    ("2019年养老金调整方案公布", "2020年养老金调整方案公布"),
    ("唐人街探案故事全集2", "唐人街探案故事全集3"),
    ("唐人街探案故事全集", "唐人街探案故事全集2"),
    ("资治通鉴故事之一", "资治通鉴故事之二"),
    ("红楼梦人物解读（一）", "红楼梦人物解读（二）"),
    ("Chinese history Part I", "Chinese history Part II"),
    ("最新：全球近557万例，美国超168万例", "最新：全球近558万例，美国超169万例"),
    ("中国女排2比1战胜对手", "中国女排1比2战胜对手"),
    ("【上】老人睡前做这三件事", "【下】老人睡前做这三件事"),
    ("第一季第二集精彩回顾", "第二季第一集精彩回顾"),
]


@pytest.mark.parametrize(("one", "other"), EPISODES)
def test_s024_episodes_stay_apart(one: str, other: str) -> None:
    assert not same_work(one, other).same
    assert not same_work(other, one).same
    assert near_duplicate_titles([one, other]) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("微视频，浙江24小时", "微视频，福建24小时"),
        ("今日小暑", "今日大暑"),
        ("早上好", "晚上好"),
        ("👍", "👍"),
        ("", ""),
    ],
)
def test_s024_short_titles_are_one_work_only_when_hardly_anything_differs(one: str, other: str) -> None:
    assert not same_work(one, other).same
    assert near_duplicate_titles([one, other]) == []


def test_s024_one_episode_in_two_spellings_is_one_work() -> None:
    assert same_work("西游记第12集 大战红孩儿", "【转】西游记第十二集：大战红孩儿").same


def test_s024_the_reason_names_the_parts_that_differ() -> None:
    assert same_work("西游记第1集", "西游记第2集").reason == "another part: 1集 / 2集"
    assert "浙江 / 福建" in same_work("微视频，浙江24小时", "微视频，福建24小时").reason


def test_wx13_a_third_title_is_no_bridge_between_episodes() -> None:
    titles = ["古诗词里的中国山水8讲", "古诗词里的中国山水讲", "古诗词里的中国山水9讲"]
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        pool = [titles[place] for place in order]
        assert len(set(clusters(3, near_duplicate_titles(pool)))) > 1
        groups = dict(zip(order, clusters(3, near_duplicate_titles(pool)), strict=True))
        assert groups[0] != groups[2]


def test_s024_equal_titles_are_paired_and_many_of_them_only_through_the_first() -> None:
    assert near_duplicate_titles(["资讯汇总", "早安", "资讯 汇总！"]) == [Pair(0, 2, 1.0)]
    pairs = near_duplicate_titles(["资讯汇总"] * 1000)
    assert len(pairs) == 999
    assert set(clusters(1000, pairs)) == {0}


def test_s024_pairs_are_sorted_distinct_and_the_lower_place_comes_first() -> None:
    titles = [TITLE, "【转】" + TITLE, TITLE + "！", "比吃补药还管用，老人睡前做这三件事"]
    pairs = near_duplicate_titles(titles)
    assert [(pair.left, pair.right) for pair in pairs] == list(combinations(range(4), 2))


@given(st.lists(st.text(COMMON[:12] + "第集12上下，！", max_size=14), max_size=25), st.randoms())
@settings(deadline=None, max_examples=60)
def test_s024_the_order_of_titles_changes_nothing_and_every_pair_is_one_work(
    titles: list[str], rng: random.Random
) -> None:
    order = list(range(len(titles)))
    rng.shuffle(order)
    pairs = near_duplicate_titles(titles)
    for pair in pairs:
        assert same_work(titles[pair.left], titles[pair.right]).same
    there = clusters(len(titles), near_duplicate_titles([titles[place] for place in order]))
    here = clusters(len(titles), pairs)
    for one, other in combinations(range(len(titles)), 2):
        assert (here[order[one]] == here[order[other]]) == (there[one] == there[other])


@given(st.text(max_size=30), st.text(max_size=30))
@settings(deadline=None)
def test_wx13_a_decision_is_symmetric_and_in_range(one: str, other: str) -> None:
    decision = same_work(one, other)
    assert decision == same_work(other, one)._replace(reason=decision.reason)
    assert 0 <= decision.similarity <= 1


def test_s024_a_higher_threshold_asks_for_fewer_edits() -> None:
    one, other = "老年人睡前坚持做这三件小事，真的比吃补药还管用得多", "老人睡前做这三件事，真的比吃补药还管用"
    assert near_duplicate_titles([one, other], threshold=0.6)
    assert not near_duplicate_titles([one, other], threshold=0.95)


@pytest.mark.parametrize("kind", KINDS)
def test_s024_twins_among_thousands_are_found(kind: str) -> None:
    titles = made_titles(3000)
    rng = random.Random(5)
    twins = [(place, kind, KINDS[kind](titles[place], rng)) for place in range(0, 3000, 15)]
    figures = found_and_right(titles, twins)
    assert figures["recall"] >= 0.9
    assert figures["precision"] >= 0.95


def test_s024_thousands_of_episodes_of_one_series_stay_apart() -> None:
    assert near_duplicate_titles([f"动画西游记第{n}集" for n in range(3000)]) == []


@pytest.mark.real_data
def test_s024_recall_and_precision_on_titles_altered_from_real_ones(real_data: Path) -> None:
    titles = random.Random(1).sample(real_titles(real_data), 10_000)
    figures = found_and_right(titles, twins_of(titles, 3000, seed=2))
    assert figures["recall"] >= 0.95, figures
    assert figures["precision"] >= 0.95, figures
    assert episodes_apart(titles, seed=3) == 1.0


def test_s024_a_text_and_its_edited_reposts_are_paired() -> None:
    reposts = [
        BODY,
        "点击上方蓝字关注我们。" + BODY + "扫码进群，点个在看。",
        BODY[len(BODY) // 4 :],
        BODY.replace("健康", "养生").replace("，", " ，\n"),
    ]
    other = "".join(
        f"这一段讲的是别的事情，{'春夏秋冬梅兰竹菊'[n % 8]}各有不同，第{n * 13}回见分晓，看完便知。" for n in range(60)
    )
    pairs = near_duplicate_texts([*reposts, other, None, "", "太短了", "太短了！", "太短呢"])
    assert [(pair.left, pair.right) for pair in pairs] == [*combinations(range(4), 2), (7, 8)]
    assert all(0.6 <= pair.similarity <= 1 for pair in pairs)


def test_s024_short_texts_are_paired_only_when_equal() -> None:
    short = "明天上午九点在社区活动室集合，请带好水杯和证件，谢谢大家配合。"
    assert near_duplicate_texts([short, short + " ", short.replace("九点", "十点")]) == [Pair(0, 1, 1.0)]


def test_s024_a_collection_that_holds_a_text_is_not_its_repost() -> None:
    rng = random.Random(4)
    parts = ["".join(rng.choices(COMMON, k=600)) for _ in range(4)]
    assert near_duplicate_texts([parts[0], "".join(parts)]) == []
    assert near_duplicate_texts([]) == []
    assert near_duplicate_texts([None, ""]) == []


@given(st.lists(st.one_of(st.none(), st.text(max_size=80)), max_size=8))
@settings(deadline=None)
def test_s024_any_texts_give_pairs_in_range(texts: list[str | None]) -> None:
    for left, right, similarity in near_duplicate_texts(texts):
        assert 0 <= left < right < len(texts)
        assert 0.6 <= similarity <= 1


def test_s024_a_cluster_is_named_by_its_smallest_position() -> None:
    assert clusters(6, [Pair(4, 5, 1), Pair(1, 4, 1), Pair(0, 2, 1)]) == [0, 1, 0, 3, 1, 1]
    assert clusters(0, []) == []


@pytest.mark.parametrize("pair", [Pair(0, 3, 1), Pair(-1, 2, 1)])
def test_s024_a_pair_outside_the_pool_is_an_error(pair: Pair) -> None:
    with pytest.raises(IndexError):
        clusters(3, [pair])


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=40), st.randoms())
def test_s024_the_order_of_pairs_changes_no_cluster(edges: list[tuple[int, int]], rng: random.Random) -> None:
    pairs = [Pair(min(edge), max(edge), 1.0) for edge in edges]
    before = clusters(20, pairs)
    rng.shuffle(pairs)
    assert clusters(20, pairs) == before
    assert all(representative <= place for place, representative in enumerate(before))
