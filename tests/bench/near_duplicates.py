"""Near-duplicate search over 100,000 titles: its time against all pairs, its recall and its precision (S-024).

Titles are real where the public data are at hand, else made of a small vocabulary. Twins are titles altered as
reposters alter them, by a seeded generator; episodes are numbered titles, which must stay apart.
"""

from __future__ import annotations

import random
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from supply_assets.normalisation.texts import key
from supply_assets.scoring.duplicates.near_duplicates import clusters, near_duplicate_titles

MANY = 100_000
ALL_PAIRS = 10_000
TWINS = 6_000
SERIES = 500
SEED = 20_240_601
COMMON = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行"
)
EMOJI = "😀🔥❤👍🎉🙏💪🌹⚡🈲"
PUNCTUATION = "，。！？…、：；~·—|"
PREFIXES = ("转发", "速看", "【转】", "转发！", "速看：", "【转载】", "转：", "快看！", "【转发】", "紧急扩散：")
NUMBERINGS: tuple[Callable[[str, int], str], ...] = (
    lambda title, n: f"{title}第{n}集",
    lambda title, n: f"第{'一二三四五六七八九'[n - 1]}期：{title}",
    lambda title, n: f"{title} EP{n:02d}",
    lambda title, n: f"{title}（{'上中下'[n % 3]}）",
    lambda title, n: f"{2015 + n}年{title}",
    lambda title, n: f"{title}{n}",
)


def punctuated(title: str, rng: random.Random) -> str:
    """Marks put in, and those that were there replaced or dropped."""
    marked = [rng.choice(["", rng.choice(PUNCTUATION)]) if char in PUNCTUATION else char for char in title]
    for _ in range(rng.randint(1, 3)):
        marked.insert(rng.randint(0, len(marked)), rng.choice(PUNCTUATION))
    return "".join(marked)


def with_emoji(title: str, rng: random.Random) -> str:
    """One to three emoji anywhere."""
    chars = list(title)
    for _ in range(rng.randint(1, 3)):
        chars.insert(rng.randint(0, len(chars)), rng.choice(EMOJI))
    return "".join(chars)


def forwarded(title: str, rng: random.Random) -> str:
    """A forwarder's word in front."""
    return rng.choice(PREFIXES) + title


def changed(title: str, rng: random.Random, times: int) -> str:
    """Characters replaced, put in or left out; among letters, never among marks."""
    chars = list(title)
    for _ in range(times):
        places = [place for place, char in enumerate(chars) if key(char)]
        place, act = rng.choice(places), rng.choice(("replace", "insert", "delete"))
        if act == "insert":
            chars.insert(place, rng.choice(COMMON))
        elif act == "delete":
            del chars[place]
        else:
            chars[place] = rng.choice(COMMON)
    return "".join(chars)


def halved(title: str, rng: random.Random) -> str:
    """The halves in the other order, cut at a mark near the middle or in the middle."""
    middle = len(title) // 2
    marks = [
        place for place, char in enumerate(title) if char in "，！？：| " and abs(place - middle) <= len(title) // 4
    ]
    cut = rng.choice(marks) if marks else middle
    return title[cut:].lstrip("，！？：| ") + rng.choice(["", "，"]) + title[:cut]


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "punctuation": punctuated,
    "emoji": with_emoji,
    "prefix": forwarded,
    "one_character": lambda title, rng: changed(title, rng, 1),
    "two_characters": lambda title, rng: changed(title, rng, 2),
    "reordered": halved,
}


def real_titles(folder: Path) -> list[str]:
    """The titles of the public account histories."""
    titles = pq.read_table(folder / "wechat" / "article_lists.parquet", columns=["title"]).column("title").to_pylist()
    return [title for title in titles if title]


def made_titles(n: int) -> list[str]:
    """Titles put together from common characters."""
    rng = random.Random(SEED)
    return ["".join(rng.choices(COMMON, k=rng.randint(8, 26))) for _ in range(n)]


def twins_of(titles: Sequence[str], n: int, seed: int) -> list[tuple[int, str, str]]:
    """``n`` of (position of the source, kind, altered title) over titles of at least six letters."""
    rng = random.Random(seed)
    kinds = list(KINDS)
    sources = [place for place, title in enumerate(titles) if len(key(title)) >= 6]
    return [
        (place, kinds[turn % len(kinds)], KINDS[kinds[turn % len(kinds)]](titles[place], rng))
        for turn, place in enumerate(rng.sample(sources, min(n, len(sources))))
    ]


def found_and_right(titles: Sequence[str], twins: Sequence[tuple[int, str, str]]) -> dict[str, Any]:
    """Recall by kind, and precision over all pairs that hold a twin.

    A pair of a twin with a title other than its source is right where source and title are paired themselves.
    """
    pairs = near_duplicate_titles([*titles, *(title for _, _, title in twins)])
    groups = clusters(len(titles) + len(twins), pairs)
    among_titles = clusters(len(titles), near_duplicate_titles(titles))
    source = [*range(len(titles)), *(place for place, _, _ in twins)]
    hits: dict[str, list[bool]] = defaultdict(list)
    for position, (place, kind, _) in enumerate(twins, start=len(titles)):
        hits[kind].append(groups[position] == groups[place])
    with_twin = [pair for pair in pairs if pair.right >= len(titles)]
    right = sum(among_titles[source[pair.left]] == among_titles[source[pair.right]] for pair in with_twin)
    return {
        "recall": sum(map(sum, hits.values())) / len(twins),
        "recall_by_kind": {kind: sum(found) / len(found) for kind, found in hits.items()},
        "precision": right / len(with_twin),
    }


def episodes_apart(titles: Sequence[str], seed: int) -> float:
    """Share of numbered neighbours in one pool, bare title included, that end in different clusters."""
    rng = random.Random(seed)
    names = rng.sample([title for title in titles if 6 <= len(key(title)) <= 20], SERIES)
    pool, expected = [], []
    for turn, name in enumerate(names):
        number = NUMBERINGS[turn % len(NUMBERINGS)]
        expected.append((len(pool), len(pool) + 1))
        first = rng.randint(1, 8)
        pool += [number(name, first), number(name, first + 1), name]
    groups = clusters(len(pool), near_duplicate_titles(pool))
    return sum(groups[left] != groups[right] for left, right in expected) / len(expected)


def all_pairs_seconds(titles: Sequence[str]) -> float:
    """Seconds that rapidfuzz takes for all pairs of 10,000 titles, times the square of the ratio to 100,000."""
    keys = [key(title) for title in titles[:ALL_PAIRS]]
    start = time.perf_counter()
    for begin in range(0, len(keys), 1000):
        cdist(keys[begin : begin + 1000], keys, scorer=Levenshtein.normalized_similarity, dtype=np.float32, workers=1)
    return (time.perf_counter() - start) * (MANY / len(keys)) ** 2


def measure(real_data: Path | None) -> dict[str, Any]:
    """Times in seconds, shares 0 … 1, peak memory of the process in MiB."""
    titles = (real_titles(real_data) if real_data else made_titles(MANY))[:MANY]
    start = time.perf_counter()
    pairs = near_duplicate_titles(titles)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    every = all_pairs_seconds(titles)
    sample = random.Random(SEED).sample(titles, min(len(titles), 20_000))
    return {
        "titles": len(titles),
        "corpus": "real" if real_data else "made",
        "seconds": seconds,
        "all_pairs_extrapolated_s": every,
        "all_pairs_to_search": every / seconds,
        "pairs": len(pairs),
        "peak_mib": peak,
        "among_20000": found_and_right(sample, twins_of(sample, TWINS, SEED)),
        "among_100000": found_and_right(titles, twins_of(titles, TWINS, SEED + 1)),
        "episodes_apart": episodes_apart(titles, SEED),
    }
