"""``python -m resources.run_workers --name NAME``: one worker, which executes runs until it is told to stop."""

from __future__ import annotations

import argparse

from resources.foundation.interrupts import obey
from resources.run_workers.worker_app import make_worker_app
from resources.settings.broker import read_broker_settings


def main() -> None:
    """Take runs from the queue; SIGTERM waits for the runs in work."""
    parser = argparse.ArgumentParser(prog="resources.run_workers", description=main.__doc__)
    parser.add_argument("--name", default="worker", help="Unique on its host.")
    parser.add_argument("--concurrency", type=int, default=1, help="Runs at a time.")
    asked = parser.parse_args()
    obey()
    settings = read_broker_settings()
    app = make_worker_app(settings.broker.get_secret_value(), settings.result_backend.get_secret_value())
    app.worker_main(
        [
            "worker",
            f"--hostname={asked.name}@%h",
            f"--concurrency={asked.concurrency}",
            "--queues=dagster",
            "--loglevel=INFO",
            "--without-gossip",
            "--without-mingle",
        ]
    )


if __name__ == "__main__":
    main()
