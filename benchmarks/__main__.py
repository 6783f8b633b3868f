"""`python -m benchmarks`: install the peers, measure, print the targets, write docs/benchmarks.md.

Results are kept as JSON under `benchmarks/results`, one file for each part, so that parts can be measured again alone.
"""

import argparse
import hashlib
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import harness, peers, render, targets
from benchmarks.workloads import GROUPS, PEERS, SUITES, quick

RESULTS = Path(__file__).parent / "results"
ALONE = ("scaling", "memory", "instructions", "cores")  # parts that measure ours only
ON_REQUEST = ("cores",)  # of these: worth it on a machine with many cores
SLOW_ANYWAY = ("subset", "memory", "instructions")  # parts that fewer samples do not make quick


def say(text: str) -> None:
    print(text, flush=True)


def cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def circumstances() -> dict[str, Any]:
    """Where and when: whatever a reader needs to judge the numbers."""
    import adtm

    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_before": os.getloadavg()[0],
        "python": platform.python_version(),
        "numpy": importlib.metadata.version("numpy"),
        "adtm": adtm.__version__,
        "target": adtm.info()["instruction_set"],
        "core": core_digest(),
    }


def core_digest() -> str:
    """Which build of the native core this is."""
    from adtm import _core

    return hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()[:12]


def parse() -> argparse.Namespace:
    parts = [suite.name for suite in SUITES] + list(ALONE)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="PART,...", help=f"measure only these parts: {', '.join([*parts, *GROUPS])}")
    parser.add_argument("--quick", action="store_true", help="few samples, one repeat; the documentation is left alone")
    parser.add_argument("--repeats", type=int, help="repeats of every comparison")
    parser.add_argument("--no-install", action="store_true", help="use the peers that are installed already")
    parser.add_argument("--accept", action="store_true", help="keep the instruction counts as the new reference")
    parser.add_argument("--render", action="store_true", help="measure nothing, only write the documentation again")
    options = parser.parse_args()
    default = [suite.name for suite in SUITES if suite.by_default]
    default += [part for part in ALONE if part not in ON_REQUEST]
    if options.quick:
        default = [part for part in default if part not in SLOW_ANYWAY]
    asked = options.only.split(",") if options.only else default
    options.parts = [part for name in asked for part in GROUPS.get(name, [name])]
    unknown = sorted(set(options.parts) - set(parts))
    if unknown:
        parser.error(f"--only takes {', '.join([*parts, *GROUPS])}; got {', '.join(unknown)}")
    return options


def tasks(options: argparse.Namespace, folder: Path) -> dict[str, Callable[[], dict[str, Any]]]:
    """Everything that can be measured, by name."""
    from benchmarks import cores, instructions, memory, scaling

    def suite_task(suite: Any) -> Callable[[], dict[str, Any]]:
        if options.quick:
            suite = quick(suite)
        if options.repeats:
            suite = replace(suite, repeats=options.repeats)
        return lambda: harness.run_suite(suite, folder=folder, say=say)

    def memory_task() -> dict[str, Any]:
        return memory.run(harness.prepare_data(folder, n_train=60_000, n_test=10_000), folder)

    return {
        **{suite.name: suite_task(suite) for suite in SUITES},
        "scaling": lambda: scaling.run(quick=options.quick, say=say),
        "memory": memory_task,
        "instructions": lambda: instructions.run(accept=options.accept, say=say),
        "cores": lambda: cores.run(quick=options.quick, say=say),
    }


def measure(options: argparse.Namespace, folder: Path) -> None:
    if not options.no_install:
        needed = {side.library for suite in SUITES if suite.name in options.parts for side in suite.sides}
        peers.install([name for name in PEERS if name in needed])
    where = circumstances()
    say(f"{where['cpu']}, {where['cores']} cores, target {where['target']}, load {where['load_before']:.2f}")
    todo = tasks(options, folder / "data")
    for part in options.parts:
        start = time.perf_counter()
        record = todo[part]()
        if core_digest() != where["core"]:
            raise SystemExit(f"the native core was rebuilt while {part} was being measured: its numbers are of no use")
        record["circumstances"] = where
        (folder / f"{part}.json").write_text(json.dumps(record, indent=1) + "\n")
        say(f"{part}: done in {time.perf_counter() - start:.0f} s")


def main() -> None:
    options = parse()
    folder = RESULTS / "quick" if options.quick else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    if not options.render:
        measure(options, folder)
    results = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    if not results:
        raise SystemExit("there are no results yet: run without --render first")
    shown = results if options.render else {part: results[part] for part in options.parts}
    say(render.as_text(targets.lines(shown)))
    if not options.quick:
        render.write(results)


if __name__ == "__main__":
    main()
