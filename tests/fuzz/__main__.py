"""Runs campaigns side by side, each batch of cases in a process of its own: a crash is a finding like any other."""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import os
import random
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from multiprocessing.queues import SimpleQueue
from multiprocessing.sharedctypes import Synchronized

import pytest

from . import CAMPAIGNS

BATCH = 200
PROCESSES = multiprocessing.get_context("fork")  # the others cannot import what `python -m` runs


def run_batch(
    name: str, first: int, n: int, deadline: float, current: Synchronized[int], missing: SimpleQueue[str]
) -> None:
    """Attack with the seeds first, first + 1, ...; ``current`` tells which one, should this process die."""
    faulthandler.enable()
    attack, said = import_module(f".{name}", __package__).attack, set[str]()
    for seed in range(first, first + n):
        current.value = seed
        if time.monotonic() > deadline:
            return
        try:
            attack(seed)
        except pytest.skip.Exception as reason:
            if str(reason) not in said:
                missing.put(str(reason))
            said.add(str(reason))
        except BaseException:
            traceback.print_exc()
            sys.exit(1)
    current.value = first + n


def run(name: str, *, seconds: float, seed: int, cases: int | None) -> int:
    """Run until time or cases are used up, or one fails; returns how many failed, 0 or 1."""
    deadline = time.monotonic() + seconds
    first, done, said = seed, 0, set[str]()
    missing: SimpleQueue[str] = PROCESSES.SimpleQueue()
    print(f"{name}: seed {seed}", flush=True)
    while time.monotonic() < deadline and (cases is None or done < cases):
        current = PROCESSES.Value("q", first)
        n = BATCH if cases is None else min(BATCH, cases - done)
        worker = PROCESSES.Process(target=run_batch, args=(name, first, n, deadline, current, missing))
        worker.start()
        worker.join(seconds + 300)  # a case that hangs is a finding too
        while not missing.empty():
            if (reason := missing.get()) not in said:
                print(f"{name}: left out in part, it {reason}", flush=True)
            said.add(reason)
        if worker.exitcode != 0:
            worker.kill()
            print(f"{name}: seed {current.value} fails (exit code {worker.exitcode}). Again, alone:")
            print(f'  python -c "from tests.fuzz.{name} import attack; attack({current.value})"', flush=True)
            return 1
        done += current.value - first
        first = current.value
    print(f"{name}: {done} cases, none failed", flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("campaigns", nargs="*", metavar="campaign", help=", ".join(CAMPAIGNS))
    parser.add_argument("--seconds", type=float, default=60, help="for each campaign")
    parser.add_argument("--seed", type=int, help="of the first case; the next has the next number")
    parser.add_argument("--cases", type=int, help="stop after so many")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="campaigns at a time (one for each core)")
    asked = parser.parse_args()
    unknown = set(asked.campaigns) - set(CAMPAIGNS)
    if unknown:
        parser.error(f"campaigns are {', '.join(CAMPAIGNS)}, not {', '.join(sorted(unknown))}")
    seed = random.SystemRandom().randrange(2**40) if asked.seed is None else asked.seed
    attack = partial(run, seconds=asked.seconds, seed=seed, cases=asked.cases)
    with ProcessPoolExecutor(asked.jobs, mp_context=PROCESSES) as pool:
        return sum(pool.map(attack, asked.campaigns or CAMPAIGNS))


if __name__ == "__main__":
    sys.exit(main())
