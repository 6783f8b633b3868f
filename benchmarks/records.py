"""`python -m benchmarks.records NAME`: one line of docs/records.md, learned and tested; nothing is drawn.

Settings were chosen on the last 10,000 training images, held out; `--held-out` learns from the others and judges on
these, without the test images. Fashion-MNIST comes from the directory that `ADTM_DATA` names, or is downloaded.
"""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

EDGES = (0.34, 0.75)
#: Features of the parts. All stay below 65,472 literals, where clauses keep lists and learn fast.
FEATURES: dict[str, dict[str, Any]] = {
    "a": {"gradients": (3, 7), "lines": (3,), "edges": EDGES},
    "b": {"gradients": (3, 5), "lines": (7,), "edges": EDGES},
    "c": {"gradients": (5, 9), "lines": (3,), "edges": EDGES},
    "d": {"gradients": (3, 7), "lines": (5,), "edges": (0.25, 0.6)},
    "e": {"gradients": (3, 7), "lines": (3,), "edges": EDGES, "quantiles": "training"},
    "f": {"gradients": (5, 11), "lines": (5,), "edges": EDGES, "quantiles": "training"},
    "g": {"gradients": (3,), "lines": (3, 5), "edges": EDGES, "values": (0, 32, 96, 160, 224)},
    "h": {"levels": (0.5,), "gradients": (3, 9), "lines": (3,), "spots": (5,), "edges": (0.25, 0.6)},
}
TOLERANT = {"s": 700, "tolerance": 99, "max_literals": 120, "n_other_classes": 9}
#: Parts, settings of each part, epochs.
RECORDS: dict[str, tuple[str, dict[str, Any], int]] = {
    "fashion-one": ("a", {**TOLERANT, "n_clauses": 200, "T": 400}, 60),
    "fashion-eight": ("abcdefgh", {**TOLERANT, "n_clauses": 50, "T": 100}, 38),
}


def images(held_out: bool) -> tuple[Any, Any, Any, Any]:
    """Images and labels to learn from and to judge by."""
    from adtm.datasets import fetch_fashion_mnist

    data = fetch_fashion_mnist()
    X, y = data.images, data.target
    end, stop = (50_000, 60_000) if held_out else (60_000, 70_000)
    return X[:end], y[:end], X[end:stop], y[end:stop]


def votes_by_epoch(part: str, settings: dict[str, Any], epochs: int, data: tuple[Any, ...], n_jobs: int) -> list[Any]:
    """The votes on the judging images after each epoch, divided by their range on 5,000 training images."""
    import adtm

    X, y, X_judge, _ = data
    booleanizer = adtm.ImageBooleanizer(**FEATURES[part], n_jobs=n_jobs).fit(X)
    learn, judge = booleanizer.transform(X), booleanizer.transform(X_judge)
    seen, found = learn[:5000], []

    def vote(machine: Any, _: Any) -> None:
        found.append(machine.decision_function(judge) / np.ptp(machine.decision_function(seen)))

    machine = adtm.ADTMClassifier(
        **settings, **adtm.DETERMINISTIC, epochs=epochs, n_jobs=n_jobs, probability="shares", random_state=0
    )
    machine.fit(learn, y, callback=vote, train_accuracy=False)
    assert machine.ledger_.draws == 0
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=RECORDS)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--n-jobs", type=int, default=1, help="threads of each part")
    parser.add_argument("--together", type=int, default=1, help="parts that learn at the same time; 1 GiB each")
    asked = parser.parse_args()
    parts, settings, epochs = RECORDS[asked.name]
    data, begin = images(asked.held_out), time.perf_counter()
    with ThreadPoolExecutor(asked.together) as threads:
        all_votes = list(threads.map(lambda part: votes_by_epoch(part, settings, epochs, data, asked.n_jobs), parts))
    scores = [float((sum(votes).argmax(axis=1) == data[3]).mean()) for votes in zip(*all_votes, strict=True)]
    print(f"last {scores[-1]:.4f}, last five {np.mean(scores[-5:]):.4f}, {epochs} epochs, ", end="")
    print(f"{time.perf_counter() - begin:.0f} s, no random number")


if __name__ == "__main__":
    main()
