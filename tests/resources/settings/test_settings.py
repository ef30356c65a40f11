"""D-003: which variable wins, what stands where none is set, and that no secret is ever shown."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest

from resources.databases.connections import open_facts
from resources.databases.pattern_facts.engine import FactsDatabase
from resources.foundation.errors import Pattern2PlanError, SettingsError
from resources.settings.database_urls import parse_dsn
from resources.settings.demand import read_settings
from resources.settings.model_endpoint import read_model_settings

SECRET = "s3cr3t-pässwort"


def test_d003_the_pattern_dsn_wins_over_the_vector_dsn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGVECTOR_DSN", "postgresql://u@second/d")
    assert read_settings().facts_url().host == "second"

    monkeypatch.setenv("DEMAND_PATTERN_PG_DSN", "postgresql://u@first/d")
    assert read_settings().facts_url().host == "first"

    monkeypatch.setenv("DEMAND_PATTERN_PG_DSN", "")
    assert read_settings().facts_url().host == "second"


def set_group(monkeypatch: pytest.MonkeyPatch, prefix: str, **values: str) -> None:
    for name, value in values.items():
        monkeypatch.setenv(f"{prefix}_{name}", value)


def test_d003_the_store_is_dsn_else_group_else_supply_group(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings().store_url().drivername == "sqlite"

    set_group(monkeypatch, "CONTENT_SUPPLY_DB", HOST="third", DATABASE="d3", USER="u3", PASSWORD=SECRET)
    assert read_settings().store_url().render_as_string(False).startswith("mysql+pymysql://u3:")
    assert read_settings().store_url().port == 3306

    set_group(monkeypatch, "DEMAND_CONTENT_MYSQL", HOST="second", DATABASE="d2", PORT="3307")
    url = read_settings().store_url()
    assert (url.host, url.port, url.database, url.username, url.password) == ("second", 3307, "d2", None, None)
    assert url.query["charset"] == "utf8mb4"

    monkeypatch.setenv("DEMAND_CONTENT_MYSQL_DSN", "mysql://u:p@first:3308/d1")
    url = read_settings().store_url()
    assert (url.drivername, url.host, url.port, url.query["charset"]) == ("mysql+pymysql", "first", 3308, "utf8mb4")


def test_d003_a_group_keeps_a_password_with_odd_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    set_group(monkeypatch, "CONTENT_SUPPLY_DB", HOST="h", DATABASE="d", PASSWORD="p@:/?#%25 ")

    assert read_settings().store_url().password == "p@:/?#%25 "


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"HOST": "h"}, "CONTENT_SUPPLY_DB_DATABASE is not"),
        ({"HOST": "h", "DATABASE": "d", "PORT": "x"}, "CONTENT_SUPPLY_DB_PORT is not a number"),
        ({"HOST": "h", "DATABASE": "d", "PORT": "３３０６"}, "CONTENT_SUPPLY_DB_PORT is not a number"),
    ],
)
def test_d003_half_a_group_is_named(monkeypatch: pytest.MonkeyPatch, values: dict[str, str], said: str) -> None:
    set_group(monkeypatch, "CONTENT_SUPPLY_DB", PASSWORD=SECRET, **values)

    with pytest.raises(SettingsError, match=said) as caught:
        read_settings().store_url()
    assert caught.value.exit_code == 2
    assert SECRET not in everything_said(caught.value)


def test_d003_nothing_set_is_the_embedded_default(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = read_settings()
    assert settings.facts_url().render_as_string(False) == f"sqlite:///{Path('.pattern2plan/facts.db')}"
    assert settings.store_url().render_as_string(False) == f"sqlite:///{Path('.pattern2plan/demand_store.db')}"
    assert (settings.itemset_detail_max_ids, settings.itemset_detail_max_post_ids) == (12, 20)
    assert settings.statement_timeout_s > 0

    monkeypatch.setenv("PATTERN2PLAN_HOME", "elsewhere")
    assert read_settings().facts_url().database == str(Path("elsewhere/facts.db"))


def test_d003_settings_are_read_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_settings()
    monkeypatch.setenv("DEMAND_ITEMSET_DETAIL_MAX_IDS", "7")

    assert (before.itemset_detail_max_ids, read_settings().itemset_detail_max_ids) == (12, 7)


BAD_NUMBERS = ["0", "-1", "many", "1e9", "nan", "inf"]


@pytest.mark.parametrize("value", BAD_NUMBERS)
@pytest.mark.parametrize(
    "name",
    [
        "DEMAND_PATTERN_STATEMENT_TIMEOUT_S",
        "DEMAND_CONNECT_TIMEOUT_S",
        "DEMAND_ITEMSET_DETAIL_MAX_IDS",
        "DEMAND_ITEMSET_DETAIL_MAX_POST_IDS",
        "DEMAND_OUTPUT_MODE",
    ],
)
def test_d003_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(SettingsError, match=f"environment variable {name}: "):
        read_settings()


def test_d003_the_model_is_the_first_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for prefix, name in (("OPENROUTER", "third"), ("ARK", "second"), ("DEMAND_LLM", "first")):
        url = f"http://{name}/v1"
        set_group(monkeypatch, prefix, MODEL=name, API_KEY=f"{SECRET}-{name}", BASE_URL=url)
        model = read_model_settings()
        assert (model.name, model.base_url, model.source) == (name, url, f"{prefix}_MODEL")
        assert model.api_key.get_secret_value() == f"{SECRET}-{name}"
        assert SECRET not in f"{model!r}{model}{model.model_dump()}{model.model_dump_json()}"


def test_d003_openrouter_needs_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    set_group(monkeypatch, "OPENROUTER", MODEL="m", API_KEY=SECRET)

    assert read_model_settings().base_url == "https://openrouter.ai/api/v1"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "needs a model and none is named"),
        ({"MODEL": ""}, "needs a model and none is named"),
        ({"MODEL": "m", "API_KEY": SECRET}, "DEMAND_LLM_MODEL is set but DEMAND_LLM_BASE_URL is not"),
        ({"MODEL": "m", "BASE_URL": "http://h"}, "DEMAND_LLM_MODEL is set but DEMAND_LLM_API_KEY is not"),
        ({"MODEL": "m"}, "DEMAND_LLM_BASE_URL and DEMAND_LLM_API_KEY is not"),
    ],
)
def test_d003_half_a_model_is_named(monkeypatch: pytest.MonkeyPatch, values: dict[str, str], said: str) -> None:
    set_group(monkeypatch, "DEMAND_LLM", **values)

    with pytest.raises(SettingsError, match=said) as caught:
        read_model_settings()
    assert SECRET not in everything_said(caught.value)


@pytest.mark.parametrize(
    ("dsn", "driver", "host"),
    [
        ("postgresql://u:p@h:5433/d", "postgresql+psycopg", "h"),
        ("postgres://u:p@h:5433/d", "postgresql+psycopg", "h"),
        ("postgresql+psycopg://u:p@h:5433/d", "postgresql+psycopg", "h"),
        ("host=h port=5433 user=u password=p dbname=d", "postgresql+psycopg", "h"),
        ("host=h port=5433 user=u password=p dbname=d connect_timeout=3", "postgresql+psycopg", "h"),
        ("mysql://u:p@h:5433/d", "mysql+pymysql", "h"),
        ("mariadb://u:p@h:5433/d", "mysql+pymysql", "h"),
    ],
)
def test_d003_each_form_of_a_dsn(dsn: str, driver: str, host: str) -> None:
    url = parse_dsn(dsn, "X")

    assert (url.drivername, url.host, url.port, url.database) == (driver, host, 5433, "d")
    assert (url.username, url.password) == ("u", "p")


def test_d003_a_dsn_keeps_its_options_and_odd_characters() -> None:
    assert parse_dsn("postgresql://u:p%40%2F%3A@h/d?sslmode=require", "X").password == "p@/:"
    assert parse_dsn("host=h password='p@ s' sslmode=require", "X").query["sslmode"] == "require"
    assert parse_dsn("host=h password='p@ s'", "X").password == "p@ s"


BAD_DSNS = [f"user:{SECRET}@host", f"postgresql://u:{SECRET}@h:port/d", "://", f"host=h passwort={SECRET}", "h'"]
BAD_DSNS += [f"password='{SECRET}", f"postgresql://u:{SECRET}@[::1/d", f"{SECRET}"]


@pytest.mark.parametrize("dsn", BAD_DSNS)
def test_d003_what_is_no_dsn_is_named_and_never_repeated(monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    monkeypatch.setenv("DEMAND_PATTERN_PG_DSN", dsn)

    with pytest.raises(SettingsError, match="DEMAND_PATTERN_PG_DSN or PGVECTOR_DSN is not a database URL") as caught:
        read_settings().facts_url()
    assert SECRET not in everything_said(caught.value)


@pytest.mark.parametrize(
    "dsn", [f"oracle://u:{SECRET}@h/d", f"mssql+pyodbc://u:{SECRET}@h/d", f"duckdb://u:{SECRET}@h/d"]
)
def test_d003_another_kind_of_database_is_refused_by_driver(monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    monkeypatch.setenv("DEMAND_PATTERN_PG_DSN", dsn)

    with pytest.raises(SettingsError, match="facts cannot be read through") as caught:
        open_facts(read_settings())
    assert SECRET not in everything_said(caught.value)


UNREACHABLE = [
    f"postgresql://u:{SECRET}@127.0.0.1:1/d",
    f"host=127.0.0.1 port=1 user=u password={SECRET} dbname=d",
    f"mysql://u:{SECRET}@127.0.0.1:1/d",
    f"postgresql://u:{SECRET}@127.0.0.1:1/d?sslmode=bogus",
    f"postgresql+psycopg2://u:{SECRET}@127.0.0.1:1/d",
]


@pytest.mark.parametrize("dsn", UNREACHABLE)
def test_d003_no_error_settings_or_handle_shows_the_secret(monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    monkeypatch.setenv("PGVECTOR_DSN", dsn)
    monkeypatch.setenv("DEMAND_CONTENT_MYSQL_DSN", dsn)
    monkeypatch.setenv("DEMAND_CONNECT_TIMEOUT_S", "1")
    settings = read_settings()
    facts = open_facts(settings)

    with pytest.raises(Pattern2PlanError) as caught, facts.snapshot():
        pass

    shown = [repr(settings), str(settings), str(settings.model_dump()), settings.model_dump_json()]
    shown += [repr(facts), str(facts), repr(facts.url), repr(facts.engine), everything_said(caught.value)]
    assert not [text for text in shown if SECRET in text or dsn in text]
    assert caught.value.exit_code == 3
    assert "\n" not in str(caught.value)


def test_d003_a_handle_is_made_without_connecting() -> None:
    FactsDatabase(parse_dsn("postgresql://u@127.0.0.1:1/d", "X")).close()


def everything_said(error: BaseException) -> str:
    """The error with its chain, as a log would show it."""
    return repr(error) + "".join(traceback.format_exception(error))
