"""Load, disturbances and kills: ``python -m benchmarks.serve`` prints the tables of ``benchmarks/results/serve.md``."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.serve.disturbed import disturbed_votes
from benchmarks.serve.kills import killed_under_load
from benchmarks.serve.load import measured_load
from benchmarks.serve.postgres_process import new_database, postgres
from benchmarks.serve.small_task import make_task


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--clients", type=int, default=50)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--part", choices=_PARTS, action="append", help="Only this table; repeatable.")
    options.add_argument("--store", choices=_STORES, action="append", help="Only this database; repeatable.")
    given = options.parse_args()
    given.stores = given.store or _STORES
    with postgres() as url, tempfile.TemporaryDirectory() as folder:
        for part in given.part or _PARTS:
            _PARTS[part](Path(folder), url, given)


def _print_loads(folder: Path, url: str, given: argparse.Namespace) -> None:
    print("| store | load | votes/s | median ms | p99 ms | server CPU ms per vote | waiting for a core, ms per vote |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for store in given.stores:
        for load, pause in (("saturated", 0.0), ("a vote in 2 s", 2.0)):
            name = f"{store}-{pause:.0f}".lower()
            task = make_task(folder / name, topics=100, comments=20, votes_per_item=given.clients)
            place = new_database(url, name) if store == "PostgreSQL" else None
            found = measured_load(task, clients=given.clients, seconds=given.seconds, pause=pause, store=place)
            numbers = f"{found.per_second:.0f} | {found.median:.1f} | {found.p99:.1f} | {found.cpu:.2f}"
            print(f"| {store} | {given.clients} clients, {load} | {numbers} | {found.waited:.2f} |", flush=True)


def _print_disturbed(folder: Path, _: str, given: argparse.Namespace) -> None:
    print("\n| meanwhile | refused | votes of ten others | median ms | p99 ms | slowest ms |")
    print("|---|---:|---:|---:|---:|---:|")
    task = make_task(folder / "disturbed", topics=100, comments=20, votes_per_item=20)
    for one in disturbed_votes(task, seconds=given.seconds / 2):
        times = f"{one.median:.1f} | {one.p99:.1f} | {one.slowest:.1f}"
        print(f"| {one.what} | {one.refused} | {one.votes} | {times} |", flush=True)


def _print_kills(folder: Path, url: str, given: argparse.Namespace) -> None:
    print("\n| store | kills | votes pressed | lost | doubled | would be doubled without keys |")
    print("|---|---:|---:|---:|---:|---:|")
    for store in given.stores:
        task = make_task(folder / f"kills-{store}", topics=100, comments=20, votes_per_item=given.clients)
        place = new_database(url, "kills") if store == "PostgreSQL" else None
        one = killed_under_load(task, kills=given.kills, clients=given.clients, store=place)
        found = one.kills, one.pressed, len(one.lost), len(one.doubled), one.saved_by_key
        print(f"| {store} | {' | '.join(map(str, found))} |", flush=True)


_STORES = ("SQLite", "PostgreSQL")
_PARTS = {"load": _print_loads, "disturbed": _print_disturbed, "kills": _print_kills}

if __name__ == "__main__":
    main()
