"""The report as one HTML file that asks nobody for anything: every text escaped, styles and script inside it.

Belongs here: from numbers to the page's own terms (lengths, percentages, safe links). The words are in ``wording``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from demand_assets.evidence.codes import RULE_OF_CODE, RejectCode
from lineage.report.label_funnels import Step
from lineage.report.numbers import Report, ReportState
from lineage.report.wording import TEXTS, BilingualText, reason_text, text
from resources.databases.supply_store.measures.batch_counts import BINS, Spread
from resources.foundation.clock import SHANGHAI

MOST_ROWS = 100
MOST_LABELS = 12
OWN_REASONS = frozenset({"failed", "not_ranked", "found", "terms_exhausted"})
"""Reasons that no filter names: their meaning says it all."""
OF_OTHER_THINGS = frozenset({"proposed", "tasks", "candidates", "plans"})
"""Steps that count something else than the step before, so that a percentage would say nothing."""
MOST_POSTS = 200
BAR, CHART_HEIGHT = 12, 72
CSP = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'"


class FunnelBar(NamedTuple):
    """One step as it is drawn: its length and its share of the step before, both in percent."""

    step: Step
    length: float
    share: str


class Bar(NamedTuple):
    """One bar of a histogram in units of its drawing; the selected part stands at the foot."""

    x: int
    passed: float
    selected: float


def render(report: Report) -> str:
    """The page; hostile texts in it are text."""
    page = _environment().from_string(_own_file("page.html.j2"))
    source = page.render(
        report=report,
        csp=CSP,
        css=Markup(_own_file("page.css")),
        js=Markup(_own_file("page.js")),
        demand_bars=funnel_bars(report.demand_steps),
        supply_bars=funnel_bars(report.supply_steps),
        labels=[(found, funnel_bars(found.steps)) for found in report.by_label[:MOST_LABELS]],
        labels_left_out=max(0, len(report.by_label) - MOST_LABELS),
        todo=list(todo(report)),
        ReportState=ReportState,
        rows=MOST_ROWS,
        posts=MOST_POSTS,
    )
    return source.lstrip()


def _own_file(name: str) -> str:
    return files("lineage.report").joinpath(name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= {"t": both, "attribute": in_attributes, "bars": histogram_bars}
    environment.globals |= {"reason": reason, "reject": reject, "rule": rule, "cell": cell}
    environment.filters |= {"n": number, "at": shanghai, "since": since, "score": "{:.2f}".format, "web": web_link}
    return environment


def both(name: str, /, **values: Any) -> Markup:
    """A text in both languages, one of which the page hides; values are escaped."""
    return _both(text(name, **{key: str(escape(value)) for key, value in values.items()}))


def _both(said: BilingualText) -> Markup:
    return Markup(f'<span class="en" lang="en">{said.en}</span><span class="zh" lang="zh-CN">{said.zh}</span>')


def in_attributes(attribute: str, name: str, /, **values: Any) -> Markup:
    """An attribute in English that the script may put into Chinese."""
    said = text(name, **{key: str(value) for key, value in values.items()})
    return Markup('{0}="{1}" data-en-{0}="{1}" data-zh-{0}="{2}"').format(Markup(attribute), said.en, said.zh)


def reason(name: str) -> Markup:
    """A filter's name with what it means, where that is known."""
    meaning = reason_text(name)
    if name in OWN_REASONS and meaning is not None:
        return _both(meaning)
    return _named(name, meaning)


def reject(code: str) -> Markup:
    """A reject code with the rule it stands for."""
    if code not in set(RejectCode):
        return _named(code, None)
    rule_id = RULE_OF_CODE[RejectCode(code)]
    says = TEXTS[rule_id] if rule_id in TEXTS else BilingualText("", "")
    return _named(code, BilingualText(f"{rule_id}: {says.en}", f"{rule_id}：{says.zh}"))


def rule(rule_id: str) -> Markup:
    """A rule's id with what it says, where that is known."""
    return _named(rule_id, TEXTS.get(rule_id))


def _named(name: str, meaning: BilingualText | None) -> Markup:
    named = Markup("<code>{}</code>").format(name)
    return named if meaning is None else Markup('{} <span class="means">{}</span>').format(named, _both(meaning))


def cell(name: str) -> Markup:
    """What a cell is called where a narrow screen has no room for the heading."""
    said = text(name)
    return Markup('data-en="{}" data-zh="{}"').format(said.en, said.zh)


def number(value: int | None) -> str:
    """Thousands apart; the page says what ``None`` means."""
    return "–" if value is None else f"{value:,}"


def shanghai(value: datetime) -> str:
    return f"{value.astimezone(SHANGHAI):%Y-%m-%d %H:%M}"


def since(text_of_time: str) -> str:
    """A stored time as the page shows times; as it stands where it is none."""
    try:
        found = datetime.fromisoformat(text_of_time)
    except ValueError:
        return text_of_time
    return text_of_time if found.tzinfo is None else shanghai(found)


def web_link(url: str) -> str | None:
    """The link, if it leads to the web and nowhere else."""
    try:
        return url if urlsplit(url).scheme in ("http", "https") else None
    except ValueError:
        return None


def funnel_bars(steps: Sequence[Step]) -> list[FunnelBar]:
    """Lengths by square root, so that a small step beside a large one is still seen."""
    highest = max((step.number or 0 for step in steps), default=0)
    bars, before = [], None
    for step in steps:
        length = 100 * math.sqrt((step.number or 0) / highest) if highest else 0.0
        share = (
            f"{step.number / before:.0%}"
            if step.number is not None and before and step.number <= before and step.name not in OF_OTHER_THINGS
            else ""
        )
        bars.append(FunnelBar(step, round(length, 1), share))
        before = step.number
    return bars


def histogram_bars(spread: Spread) -> list[Bar]:
    """The bars of a histogram, the highest as high as the drawing."""
    highest = max(spread.passed)
    unit = CHART_HEIGHT / highest if highest else 0
    return [
        Bar(place * BAR, round(spread.passed[place] * unit, 1), round(spread.selected[place] * unit, 1))
        for place in range(BINS)
    ]


def todo(report: Report) -> Iterable[Markup]:
    """What a person should look at, beside chains that are broken."""
    supply = report.supply
    counted = {
        "todo_not_taken": report.not_taken_in,
        "todo_unfinished": supply.unfinished,
        "todo_failed": len(supply.with_errors),
        "todo_shortfall": supply.batch.shortfall,
        "todo_stopped": len(supply.stopped),
    }
    if not supply.batch.tasks:
        yield both("todo_no_task")
    yield from (both(name, n=number(count)) for name, count in counted.items() if count)
