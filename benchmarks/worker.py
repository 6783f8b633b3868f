"""One side of a comparison: a library behind four commands, spoken as JSON lines over stdin and stdout.

The harness starts one worker per side with that library's own interpreter, so this file needs nothing but NumPy and the
library it is asked for. It measures and answers; what is run, in which order and what the numbers mean is decided by
`harness.py` and `workloads.py`.

Each library is used the way its documentation shows: one public call per epoch, data handed over as the array type it
asks for. Converting to that type happens before the clock starts; whatever the call itself does (packing, encoding,
copying) is on the clock, for every side alike.
"""

import ctypes
import json
import math
import os
import statistics
import sys
import time

import numpy as np


def timed(call):
    """The seconds a call took, and its result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


class Side:
    """What the harness may ask of a library. `data` holds X_train, y_train, X_test, y_test.

    X is uint8, images where there are patches. y is uint32, of several columns for labels, or float64 for numbers.
    """

    def __init__(self, data, params, *, seed, n_jobs):
        self.data, self.params, self.seed, self.n_jobs = data, params, seed, n_jobs
        self.epochs = 0
        self.to_value, self.to_labels = data["y_train"].dtype.kind == "f", data["y_train"].ndim == 2
        self.prepare()

    def prepare(self):
        """Convert the data and build the model; not on the clock."""
        raise NotImplementedError

    def train(self):
        """One epoch over the training samples."""
        raise NotImplementedError

    def predict(self, X):
        """Class, number or labels of each row."""
        raise NotImplementedError

    def version(self):
        from importlib.metadata import version

        return version(self.distribution)

    def epoch(self):
        seconds, override = timed(self.train)
        self.epochs += 1
        return {"seconds": seconds if override is None else override}

    def test(self):
        seconds, predicted = timed(lambda: self.predict(self.X_test))
        y, predicted = self.data["y_test"], np.asarray(predicted)
        right = 1 - np.mean((predicted - y) ** 2) / np.var(y) if self.to_value else np.mean(predicted == y)
        return {"seconds": seconds, "accuracy": float(right)}

    def latency(self, calls):
        """Seconds of predicting one sample, one call after another."""
        rows = [np.ascontiguousarray(self.X_test[i : i + 1]) for i in range(min(calls, len(self.X_test)))]
        seconds = sorted(timed(lambda row=row: self.predict(row))[0] for row in rows)
        return {"median": statistics.median(seconds), "p95": seconds[int(0.95 * (len(seconds) - 1))]}


class Adtm(Side):
    """Ours. `packed` hands over literals packed beforehand; otherwise `partial_fit` packs the array itself."""

    distribution = "adtm"

    def prepare(self):
        from adtm import PAPER, ADTMClassifier, ADTMRegressor, Literals

        params = dict(self.params)
        if params.get("d") == "inf":
            params["d"] = float("inf")
        packed = params.pop("packed", False)
        if not self.to_value:
            params = {**PAPER, "silence": "frequent", **params}
        machine = ADTMRegressor if self.to_value else ADTMClassifier
        self.model = machine(**params, booleanizer=None, random_state=self.seed, n_jobs=self.n_jobs)
        self.X_train, self.X_test = self.data["X_train"], self.data["X_test"]
        self.y_train = self.data["y_train"]
        self.known = {} if self.to_value or self.to_labels else {"classes": np.unique(self.y_train)}
        if packed:
            self.X_train = Literals.from_boolean(self.X_train)

    def train(self):
        self.model.partial_fit(self.X_train, self.y_train, **self.known)

    def predict(self, X):
        return self.model.predict(X)


class OneEach:
    """A machine for each label, for a library that has none for several."""

    def __init__(self, machines):
        self.machines = machines

    def fit(self, X, y, **options):
        for machine, column in zip(self.machines, y.T, strict=True):
            machine.fit(X, np.ascontiguousarray(column), **options)

    def predict(self, X):
        return np.column_stack([machine.predict(X) for machine in self.machines])


class PyTsetlinMachineParallel(Side):
    """Draws from the C library's generator, which is seeded from outside; threads come from OMP_NUM_THREADS."""

    distribution = "pyTsetlinMachineParallel"

    def prepare(self):
        self.X_train, self.X_test = self.data["X_train"], self.data["X_test"]
        ctypes.CDLL(None).srand(self.seed)
        if self.to_labels:  # a label is two classes, which share its clauses
            n_labels = self.data["y_train"].shape[1]
            self.model = OneEach([self.make(self.params["n_clauses"] // 2) for _ in range(n_labels)])
        else:
            self.model = self.make(self.params["n_clauses"])

    def make(self, n_clauses):
        options = {"weighted_clauses": True} if self.params.get("weights") == "integer" else {}
        return self.machine()(n_clauses, self.params["T"], float(self.params["s"]), **options)

    def machine(self):
        from pyTsetlinMachineParallel.tm import MultiClassTsetlinMachine

        return MultiClassTsetlinMachine

    def train(self):
        self.model.fit(self.X_train, self.data["y_train"], epochs=1, incremental=True)

    def predict(self, X):
        return self.model.predict(X)


class PyTsetlinMachine(PyTsetlinMachineParallel):
    """The single-threaded original, with the same interface."""

    distribution = "pyTsetlinMachine"

    def machine(self):
        from pyTsetlinMachine.tm import MultiClassTsetlinMachine, RegressionTsetlinMachine

        return RegressionTsetlinMachine if self.to_value else MultiClassTsetlinMachine


class Tmu(Side):
    """One thread whatever is asked; encodes the data once and keeps it."""

    distribution = "tmu"

    def prepare(self):
        self.X_train, self.X_test = (self.data[name].astype(np.uint32) for name in ("X_train", "X_test"))
        patch, weighted = self.params.get("patch"), self.params.get("weights") == "integer"
        self.model = self.machine()(
            self.params["n_clauses"],
            self.params["T"],
            float(self.params["s"]),
            patch_dim=patch and (patch, patch),
            weighted_clauses=weighted,
            platform="CPU",
            seed=self.seed,
        )

    def machine(self):
        from tmu.models.classification.coalesced_classifier import TMCoalescedClassifier
        from tmu.models.classification.vanilla_classifier import TMClassifier
        from tmu.models.regression.vanilla_regressor import TMRegressor

        if self.to_value:
            return TMRegressor
        return TMCoalescedClassifier if self.params.get("shared") else TMClassifier

    def train(self):
        self.model.fit(self.X_train, self.data["y_train"])

    def predict(self, X):
        return self.model.predict(X)


class GreenTsetlin(Side):
    """Clauses shared by all classes. Its trainer's own epoch clock is used, which leaves out its set-up."""

    distribution = "green-tsetlin"

    def prepare(self):
        import green_tsetlin

        self.library = green_tsetlin
        self.X_test = self.data["X_test"]
        self.model = green_tsetlin.TsetlinMachine(
            n_literals=self.X_test.shape[1],
            n_clauses=self.params["n_clauses"],
            n_classes=int(self.data["y_train"].max()) + 1,
            s=float(self.params["s"]),
            threshold=self.params["T"],
            boost_true_positives=True,
        )

    def train(self):
        # The trainer starts anew at each call and continues from the state kept in the model; a new seed for each
        # epoch keeps it from drawing the same numbers again.
        trainer = self.library.Trainer(
            self.model,
            n_epochs=1,
            seed=1000 * self.seed + self.epochs,
            n_jobs=self.n_jobs,
            load_best_state=False,
            progress_bar=False,
        )
        trainer.set_train_data(self.data["X_train"], self.data["y_train"])
        trainer.set_eval_data(self.X_test[:1], self.data["y_test"][:1])
        trainer.train()
        self.predictor = None
        return trainer.results["train_time_of_epochs"][0]

    def predict(self, X):
        if self.predictor is None:
            self.predictor = self.model.get_predictor()
        return [self.predictor.predict(row) for row in X]


class PyTsetlin(Side):
    """Clauses shared by all classes. `TsetlinMachine.train` starts from nothing, so its own epoch step is called."""

    distribution = "pytsetlin"

    def prepare(self):
        import logging

        from pytsetlin import TsetlinMachine
        from pytsetlin.core import executor

        logging.disable()
        self.executor = executor
        self.X_test = self.data["X_test"]
        self.model = TsetlinMachine(
            n_clauses=self.params["n_clauses"],
            threshold=self.params["T"],
            s=float(self.params["s"]),
            n_threads=self.n_jobs,
            seed=self.seed,
        )
        self.model.set_train_data(self.data["X_train"], self.data["y_train"])
        self.model.set_eval_data(self.data["X_test"], self.data["y_test"])
        self.model.allocate_memory()

    def train(self):
        tm = self.model
        self.executor.train_epoch(
            tm.C, tm.W, tm.x_train, tm.y_train, tm.threshold, tm.s_min_inv, tm.s_inv, tm.n_outputs,
            tm.n_literals, tm.n_literal_budget, tm.boost_true_positives, 1000 * self.seed + self.epochs,
        )  # fmt: skip

    def predict(self, X):
        return self.executor.eval_predict(X, self.model.C, self.model.W, self.model.n_literals)


SIDES = {
    "adtm": Adtm,
    "pyTsetlinMachineParallel": PyTsetlinMachineParallel,
    "pyTsetlinMachine": PyTsetlinMachine,
    "tmu": Tmu,
    "green-tsetlin": GreenTsetlin,
    "pytsetlin": PyTsetlin,
}


def load(command):
    with np.load(command["data"]) as archive:
        data = {name: archive[name] for name in archive.files}
    if "patch" in command["params"]:
        for name in ("X_train", "X_test"):
            edge = math.isqrt(data[name].shape[1])
            data[name] = data[name].reshape(-1, edge, edge)
    side = SIDES[command["library"]](data, command["params"], seed=command["seed"], n_jobs=command["n_jobs"])
    answer = {"version": side.version(), "numpy": np.__version__}
    if command["library"] == "adtm":
        import adtm

        answer["target"] = adtm.info()["instruction_set"]
    return side, answer


def main():
    # Some libraries print while they work: keep the real stdout for answers and send everything else to stderr.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    side = None
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if command["do"] == "load":
                side, answer = load(command)
            elif command["do"] == "epoch":
                answer = side.epoch()
            elif command["do"] == "predict":
                answer = side.test()
            else:
                answer = side.latency(command["calls"])
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
