"""`python -m benchmarks.text_records aclImdb`: the line of docs/records.md about IMDb; nothing is drawn.

`aclImdb` is the unpacked Large Movie Review Dataset. Three machines read phrases of one to three words, of one to four
words, and four letters each; their votes are added as `adtm.Composite` adds them. `--held-out` learns from four fifths
of the training reviews and judges on the others, on which settings and parts were chosen.
"""

import argparse
import time
from typing import Any

import numpy as np
from sklearn.datasets import load_files
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.pipeline import make_pipeline

EPOCHS = 30
MACHINE = {"n_clauses": 200, "T": 250, "s": 1000, "tolerance": 9, "max_literals": 100, "epochs": EPOCHS}
WORDS = {"token_pattern": "[a-z0-9']+"}
#: How each part reads a text; the 32,000 features that tell the classes apart best are kept.
PARTS: dict[str, dict[str, Any]] = {
    "three words": {**WORDS, "ngram_range": (1, 3), "min_df": 2},
    "four words": {**WORDS, "ngram_range": (1, 4), "min_df": 3},
    "letters": {"analyzer": "char_wb", "ngram_range": (4, 4), "min_df": 5},
}


def reviews(folder: str, held_out: bool) -> tuple[list[str], Any, list[str], Any]:
    """Texts and labels to learn from and to judge by."""
    train = load_files(f"{folder}/train", categories=["neg", "pos"], encoding="utf-8", random_state=0)
    if not held_out:
        test = load_files(f"{folder}/test", categories=["neg", "pos"], encoding="utf-8", random_state=0)
        return train.data, train.target, test.data, test.target
    judged = np.arange(len(train.data)) % 5 == 2
    texts = np.array(train.data, dtype=object)
    return list(texts[~judged]), train.target[~judged], list(texts[judged]), train.target[judged]


def votes_by_epoch(how: dict[str, Any], data: tuple[Any, ...], n_jobs: int) -> Any:
    """Votes on the judging texts after each of the last five epochs, divided by their range on the training texts."""
    import adtm

    texts, y, judging, _ = data
    reader = make_pipeline(CountVectorizer(binary=True, **how), SelectKBest(chi2, k=32_000))
    learn, judge = reader.fit_transform(texts, y), reader.transform(judging)
    found: list[Any] = []

    def vote(machine: Any, record: Any) -> None:
        if record.epoch > EPOCHS - 5:
            found.append(machine.decision_function(judge) / np.ptp(machine.decision_function(learn)))

    machine = adtm.ADTMClassifier(
        **MACHINE, **adtm.DETERMINISTIC, booleanizer=None, probability="shares", n_jobs=n_jobs, random_state=0
    )
    machine.fit(learn, y, callback=vote, train_accuracy=False)
    assert machine.ledger_.draws == 0
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="aclImdb, unpacked")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--n-jobs", type=int, default=1, help="threads")
    asked = parser.parse_args()
    data, begin, votes = reviews(asked.folder, asked.held_out), time.perf_counter(), 0
    for name, how in PARTS.items():
        own = votes_by_epoch(how, data, asked.n_jobs)
        votes = votes + own
        for what, seen in ((name, own), ("sum so far", votes)):
            scores = ((seen > 0) == data[3]).mean(axis=1)
            print(f"{what}: last {scores[-1]:.4f}, last five {scores.mean():.4f}", flush=True)
    print(f"{EPOCHS} epochs each, {time.perf_counter() - begin:.0f} s, no random number")


if __name__ == "__main__":
    main()
