"""``pattern2plan sandbox serve``: the platform sandbox in the foreground, until it is told to end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from resources.console.options import AsJson
from resources.console.output import err, out, print_json
from resources.console.program import stop_signal
from resources.foundation.folders import require_parent
from resources.settings.supply import read_supply_settings
from sandbox.platform.app import build_app
from sandbox.platform.corpus.articles import Corpus
from sandbox.platform.corpus.generated import generate
from sandbox.platform.plans.plans import PlanStore
from sandbox.platform.serving.faults import EVERYWHERE, FaultConfig, FaultName, FaultRule, read_faults
from sandbox.platform.serving.serve import LOOPBACK, serve


def serve_platform(
    corpus: Annotated[
        Path | None, typer.Option(help="Folder of article lists, counts and texts; default: made-up articles.")
    ] = None,
    articles: Annotated[int, typer.Option(help="How many articles to make up.")] = 20_000,
    seed: Annotated[int, typer.Option(help="The same seed makes up the same articles.")] = 0,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8800,
    latency_ms: Annotated[float, typer.Option(min=0, help="Wait this long before each answer.")] = 0,
    faults: Annotated[Path | None, typer.Option(help="JSON file of what is to go wrong.")] = None,
    plans: Annotated[Path | None, typer.Option(help="File that keeps crawler plans over restarts.")] = None,
    json: AsJson = False,
) -> None:
    """Serve search, accounts, articles and plans over HTTP; SUPPLY_PLATFORM_TOKEN, if set, is asked of callers."""
    if plans is not None:
        require_parent(plans)
    config = _with_latency(read_faults(faults) if faults is not None else FaultConfig(), latency_ms)
    store = PlanStore(plans)
    token = read_supply_settings().platform_token
    started = time.monotonic()
    err.print("reading the corpus …")
    served = _of_folder(corpus) if corpus is not None else generate(articles, seed=seed)
    app = build_app(served, faults=config, token=token.get_secret_value() if token else None, plans=store)
    stop = stop_signal()
    with serve(app, host=host, port=port) as platform:
        if json:
            print_json({"url": platform.url, "articles": len(served.articles), "accounts": len(served.accounts)})
        else:
            seconds = time.monotonic() - started
            out.print(f"{len(served.articles)} articles of {len(served.accounts)} accounts, ready in {seconds:.1f} s")
            out.print(f"SUPPLY_PLATFORM_URL={platform.url}")
        out.file.flush()
        stop.wait()
    err.print("ended")


def _of_folder(folder: Path) -> Corpus:
    from sandbox.platform.corpus.folder import folder_corpus

    return folder_corpus(folder)


def _with_latency(config: FaultConfig, latency_ms: float) -> FaultConfig:
    if not latency_ms:
        return config
    rule = FaultRule(target=EVERYWHERE, fault=FaultName.LATENCY, value=latency_ms)
    return FaultConfig(seed=config.seed, rules=(*config.rules, rule))
