"""The three text scores, value by value as their docstrings say (S-021)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from supply_assets.scoring.features.readability import (
    elder_friendly_score,
    information_density_score,
    readability_score,
)
from supply_assets.scoring.features.text_shape import TextShape, sentences_of, text_shape

EASY = TextShape(
    length=1000,
    sampled=1000,
    lines=(),
    sentences=(),
    sentence_length=20,
    paragraph_length=150,
    cjk_share=0.5,
    latin_share=0,
    legible_share=0.95,
)


def distinct(characters: int, start: int = 0x5000) -> str:
    return "".join(chr(start + n) for n in range(characters))


@pytest.mark.parametrize(
    ("change", "score"),
    [
        ({}, 100),
        ({"sentence_length": 25}, 100),
        ({"sentence_length": 72.5}, 70),
        ({"sentence_length": 120}, 40),
        ({"paragraph_length": 525}, 80),
        ({"paragraph_length": 900}, 60),
        ({"legible_share": 0.775}, 50),
        ({"legible_share": 0.6}, 0),
        ({"cjk_share": 0.25}, 50),
        ({"cjk_share": 0}, 0),
        ({"sampled": 0}, 0),
    ],
)
def test_s021_readability_is_form_times_legibility(change: dict[str, float], score: float) -> None:
    assert readability_score(replace(EASY, **change)) == pytest.approx(score)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        (distinct(1000), 70),
        (distinct(300), 70),
        (distinct(150), 35),
        (distinct(985) + " 1 2 3 4 5 6 7 8", 70 + 30 * 1000 * 8 / 993 / 15),
        ("。" * 300, 0),
    ],
)
def test_s021_density_is_diversity_novelty_and_facts(text: str, score: float) -> None:
    assert information_density_score(text_shape(text)) == pytest.approx(score, abs=0.01)


def test_s021_diversity_is_the_share_of_distinct_words() -> None:
    once = "".join(map(chr, Random(7).sample(range(0x4E00, 0x9F00), 351)))
    assert information_density_score(text_shape(once + once[:149])) == pytest.approx(
        30 + 40 * (351 / 499 - 0.5) / 0.4, abs=0.01
    )


def test_s021_density_of_a_text_said_five_times_over_is_low() -> None:
    once = distinct(400)
    assert information_density_score(text_shape(once)) == 70
    assert information_density_score(text_shape(once * 5)) < 45


@pytest.mark.parametrize(
    ("fact", "count"),
    [("1.5%", 1), ("3 万", 1), ("《法》", 1), ("“词词”", 1), ("CPU", 1), ("2024年5月", 2), ("词", 0), ("A", 0)],
)
def test_s021_facts_are_numbers_titles_quotes_and_abbreviations(fact: str, count: int) -> None:
    text = f"{distinct(500)} {fact} {distinct(500, 0x6000)}"
    shape = text_shape(text)
    assert information_density_score(shape) == pytest.approx(70 + 30 * count * 1000 / shape.sampled / 15, abs=0.35)


@pytest.mark.parametrize(
    ("title", "lines", "change", "images", "videos", "score"),
    [
        ("题", (), {}, 0, 0, 55),
        ("题", (), {"sentence_length": 45}, 0, 0, 37.5),
        ("题", (), {"sentence_length": 70}, 0, 0, 20),
        ("题", (), {"latin_share": 0.075}, 0, 0, 45),
        ("题", (), {"latin_share": 0.15}, 0, 0, 35),
        ("题", (), {}, 1, 0, 62.5),
        ("题", (), {}, 2, 0, 70),
        ("题", (), {}, 0, 1, 70),
        ("题", (), {"length": 2000}, 0, 1, 62.5),
        ("题", (), {"length": 0}, 1, 0, 70),
        ("题", ("老人",), {}, 0, 0, 70),
        ("老人", ("老人",), {}, 0, 0, 77.5),
        ("老人", ("血压",), {}, 0, 0, 81.25),
    ],
)
def test_s021_elder_friendliness_has_four_shares(
    title: str, lines: tuple[str, ...], change: dict[str, float], images: int, videos: int, score: float
) -> None:
    shape = replace(EASY, lines=lines, **change)  # type: ignore[arg-type]
    assert elder_friendly_score(title, shape, images, videos) == pytest.approx(score)


def test_s021_a_text_has_lines_and_sentences() -> None:
    shape = text_shape("一二三。四五六七八！”\n\n \u200b\nAB九")
    assert shape.lines == ("一二三。四五六七八！”", "AB九")
    assert shape.sentences == ("一二三。", "四五六七八！”", "AB九")
    assert (shape.length, shape.sampled) == (14, 14)
    assert shape.sentence_length == pytest.approx(14 / 3)
    assert shape.paragraph_length == 7
    assert shape.cjk_share == 9 / 14
    assert shape.latin_share == 2 / 14
    assert shape.legible_share == 1
    assert text_shape("字▓").legible_share == 0.5
    assert sentences_of("。！") == []


def test_s021_only_the_first_20000_characters_are_measured_but_all_are_counted() -> None:
    shape = text_shape("字" * 20_000 + "\n" + "A" * 20_000)
    assert (shape.length, shape.sampled, shape.latin_share) == (40_000, 20_000, 0)
