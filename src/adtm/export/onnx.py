"""A machine as an ONNX model of standard operators, exact in whole numbers; it answers from the columns of the table.

    bits     Gather, LessOrEqual, Equal, IsNaN: the Boolean features of a row
    rules    MatMulInteger of bits and literals, plus what a rule has to lose, not below 0
    votes    MatMul with the weights
    answer   of equal votes the first in the order of preference: Gather, ArgMax, Gather

Where all columns are numbers or Booleans the input is one matrix ``X`` of doubles, NaN being a missing value. Otherwise
each column is an input of its own, [rows, 1]: doubles, or texts, "" being a missing one, or a category where none was
missing. It has the column's name, with a _ behind it where that is empty or taken, as answer and votes are. Machines
with patches are left out, and so are categories that a runtime could not tell apart. Needs the extra ``onnx``; running
a model is left to a runtime. ``register`` teaches the same to skl2onnx, so that it converts pipelines that end in a
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.extras import need
from adtm.rules import RuleSet
from adtm.tables.columns import Column

OPSET, IR_VERSION = 19, 9
OUTPUTS = ("answer", "votes")


def to_onnx(rules: RuleSet, name: str = "adtm") -> Any:
    """The ONNX model of a rule set: inputs are the table's columns, outputs ``answer`` and ``votes``.

    Parameters
    ----------
    rules : RuleSet
        Of a fitted estimator, ``machine.rules()``, or a few short ones of it.
    name : str
        Of the graph.

    Returns
    -------
    onnx.ModelProto
        ``model.SerializeToString()`` are the bytes of its file.
    """
    graph = _Graph(need("onnx", "ONNX", extra="onnx"))
    together = all(column.kind != "category" for column in rules.columns)
    X = graph.input("X", "DOUBLE", len(rules.columns)) if together else ""

    def value(j: int) -> str:
        kind = "STRING" if _is_text(rules.columns[j]) else "DOUBLE"
        return graph.column(X, j) if together else graph.input(rules.columns[j].name, kind, 1)

    votes = _votes(graph, rules, value)
    made = _answer(graph, rules, votes), graph.cast(votes, "INT64")
    return graph.model(name, dict(zip(OUTPUTS, made, strict=True)))


def register() -> None:
    """Let skl2onnx convert the estimators, alone or in a pipeline; one call, before ``skl2onnx.to_onnx``.

    Classifiers have the outputs ``label``, equal to ``predict``, and ``probabilities``, those of ``predict_proba`` as
    32-bit floats, with skl2onnx's option ``zipmap``; regressors have ``variable``. Inputs that are not texts are read
    as doubles: thresholds are met exactly where the earlier steps of the pipeline compute doubles, too, so give the
    model double inputs.

    Examples
    --------
    >>> from adtm.export.onnx import register
    >>> register()  # doctest: +SKIP
    >>> skl2onnx.to_onnx(pipeline, X[:1], options={"zipmap": False})  # doctest: +SKIP
    """
    from adtm.learning.estimators import ADTMClassifier, ADTMRegressor, TMClassifier

    skl2onnx = need("skl2onnx", "A converter for skl2onnx", extra="onnx")
    for estimator in (ADTMClassifier, TMClassifier, ADTMRegressor):
        options = None if estimator is ADTMRegressor else {"zipmap": [True, False, "columns"], "nocl": [False]}
        skl2onnx.update_registered_converter(estimator, f"Adtm{estimator.__name__}", _shapes, _convert, options=options)


def _shapes(operator: Any) -> None:
    """The types of an operator's outputs, as skl2onnx asks for them before it converts."""
    data_types = need("skl2onnx.common.data_types", "A converter for skl2onnx", extra="onnx")
    machine, rows = operator.raw_operator, operator.inputs[0].get_first_dimension()
    if not hasattr(machine, "classes_"):
        operator.outputs[0].type = data_types.DoubleTensorType([rows, 1])
        return
    width = len(machine.classes_)
    kinds = {"i": "Int64", "u": "Int64", "b": "Int64", "f": "Double"}
    label = getattr(data_types, kinds.get(machine.classes_.dtype.kind, "String") + "TensorType")
    if machine.classes_.dtype.kind == "u" and machine.classes_.max() >= 2**63:
        raise ValueError(f"labels must be below 2**63, as skl2onnx has them, got {machine.classes_.max()}")
    operator.outputs[0].type = label([rows, width] if machine.multilabel_ else [rows])
    operator.outputs[1].type = data_types.FloatTensorType([rows, width])


def _convert(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a machine to skl2onnx's container."""
    machine = operator.raw_operator
    rules = machine.rules()
    graph = _Graph(need("onnx", "ONNX", extra="onnx"), scope.get_unique_operator_name("adtm") + "_")
    places = [(given, j) for given in operator.inputs for j in range(given.get_second_dimension())]

    def value(j: int) -> str:
        (given, at), column = places[j], rules.columns[j]
        if _is_text(column) != ("String" in type(given.type).__name__):
            expected = "texts" if _is_text(column) else "numbers or Booleans"
            raise ValueError(f"column {column.name!r} must be an input of {expected}, got {type(given.type).__name__}")
        name = graph.column(given.full_name, at)
        return name if _is_text(column) else graph.cast(name, "DOUBLE")

    votes = _votes(graph, rules, value)
    answer = _answer(graph, rules, votes)
    made = [graph.node("Reshape", answer, graph.constant(np.array([-1, 1])))]
    if rules.outputs.kind != "value":
        answer = graph.cast(answer, "INT64") if "Int64" in type(operator.outputs[0].type).__name__ else answer
        made = [answer, graph.cast(_probabilities(graph, machine, rules, votes), "FLOAT")]
    graph.add_to(container, dict(zip((each.full_name for each in operator.outputs), made, strict=True)))


def _probabilities(graph: _Graph, machine: Any, rules: RuleSet, votes: str) -> str:
    """What ``predict_proba`` gives, but for the last bit: (rows, classes)."""
    kind, T = rules.outputs.kind, rules.outputs.T
    temperature = None if machine.probability == "shares" else getattr(machine, "temperature_", None)
    if kind == "classes" and temperature is not None:
        return graph.node("Softmax", graph.node("Div", votes, graph.constant(np.array(temperature))), axis=1)
    if kind == "classes" and len(rules.outputs.labels) == 2:
        votes, T = graph.node("MatMul", votes, graph.constant(np.array([[-1.0], [1.0]]))), 2 * T
    if temperature is not None:
        there = graph.node("Sigmoid", graph.node("Div", votes, graph.constant(np.array(temperature))))
    else:
        low, high, width = (graph.constant(np.array(each, np.float64)) for each in (-T, T, 2 * T))
        there = graph.node("Div", graph.node("Sub", graph.node("Clip", votes, low, high), low), width)
    if kind == "labels":
        return there
    if kind == "two" or len(rules.outputs.labels) == 2:
        return graph.node("Concat", graph.node("Sub", graph.constant(np.array(1.0)), there), there, axis=1)
    total = graph.node("ReduceSum", there, graph.constant(np.array([1])), keepdims=1)
    none = graph.node("Equal", total, graph.constant(np.array(0.0)))
    equal = graph.constant(np.array(1 / len(rules.outputs.labels)))
    return graph.node("Where", none, equal, graph.node("Div", there, total))


def _bits(graph: _Graph, rules: RuleSet, value: Callable[[int], str]) -> str:
    """The Boolean features of all rows: (rows, n_features); ``value`` gives a column's."""
    parts, order, at = [], np.empty(rules.n_features, np.int64), 0
    for j, column in enumerate(rules.columns):
        if column.n_bits == 0:
            continue
        parts.append(_column_bits(graph, column, value(j)))
        first = rules.features.first[j]
        order[first : first + column.n_bits] = np.arange(at, at + column.n_bits)
        at += column.n_bits
    joined = graph.node("Concat", *parts, axis=1)
    return graph.cast(graph.node("Gather", joined, graph.constant(order), axis=1), "UINT8")


def _is_text(column: Column) -> bool:
    """Whether a column is given as texts; so is one that held a single category, which is not known, beside gaps."""
    return column.kind == "category" and (column.holds_texts or not column.categories)


def _column_bits(graph: _Graph, column: Column, value: str) -> str:
    """The bits of one column: (rows, n_bits)."""
    is_text = _is_text(column)
    parts = []
    if column.kind == "numeric":
        parts.append(graph.node("LessOrEqual", value, graph.constant(np.array([column.thresholds], np.float64))))
    elif column.kind == "boolean":
        parts.append(graph.node("Greater", value, graph.constant(np.array([[0.5]]))))
    elif column.categories:
        parts.append(graph.node("Equal", value, graph.constant(_known(column))))
    if column.missing:
        empty = graph.constant(np.array([[""]], object)) if is_text else ""
        parts.append(graph.node("Equal", value, empty) if is_text else graph.node("IsNaN", value))
    return parts[0] if len(parts) == 1 else graph.node("Concat", *parts, axis=1)


def _known(column: Column) -> NDArray[Any]:
    """The categories as the runtime compares them, texts or doubles: (1, n_categories)."""
    is_text = _is_text(column)
    try:
        known = [str(each) if is_text else float(each) for each in column.categories]
    except OverflowError:
        known = []
    if len(set(known)) < len(column.categories):
        what = "texts" if is_text else "64-bit floats"
        raise ValueError(f"column {column.name!r} must have categories that differ as {what}, as ONNX compares them")
    if column.missing and "" in known:
        raise ValueError(f"column {column.name!r} must have no empty text as a category: in ONNX it is a missing value")
    return _plain_texts(f"column {column.name!r}", known)[None] if is_text else np.array([known])


def _plain_texts(name: str, texts: Sequence[Any]) -> NDArray[np.object_]:
    """Texts as ONNX holds them, in UTF-8."""
    for each in texts:
        if not each.isascii() and each.encode(errors="replace").decode() != each:
            raise ValueError(f"{name} must hold texts that are valid Unicode, as ONNX writes them, got {each!r:.80}")
    return np.array(texts, dtype=object)


def _votes(graph: _Graph, rules: RuleSet, value: Callable[[int], str]) -> str:
    """The machine's votes as doubles, which hold whole numbers of 53 bits: (rows, n_votes)."""
    rules.require_table("ONNX")
    rules.require_labels("ONNX")
    n, literals = rules.n_features, np.zeros((rules.n_features, len(rules)), np.int8)
    left = np.zeros((1, len(rules)), np.int32)  # votes of a rule when no literal of it that asks for a 1 has one
    for j, rule in enumerate(rules.rules):
        left[0, j] = rule.limit - sum(literal < n for literal in rule.literals)
        for literal in rule.literals:
            literals[literal % n, j] += 1 if literal < n else -1
    held = graph.node("MatMulInteger", _bits(graph, rules, value), graph.constant(literals))
    cast = graph.node("Max", graph.node("Add", held, graph.constant(left)), graph.constant(np.zeros((1, 1), np.int32)))
    return graph.node("MatMul", graph.cast(cast, "DOUBLE"), graph.constant(rules.weights.astype(np.float64)))


def _answer(graph: _Graph, rules: RuleSet, votes: str) -> str:
    outputs = rules.outputs
    if outputs.kind == "value":
        limits = [graph.constant(np.array(limit, np.float64)) for limit in (0, outputs.T)]
        share = graph.node("Div", graph.node("Clip", votes, *limits), limits[1])
        # Everything twice, of which the first is taken: onnxruntime drops Add and Mul of one number that is 0 or 1 when
        # it is rounded to 32 bits.
        ends = outputs.low, outputs.high, outputs.high - outputs.low
        low, high, width = (graph.constant(np.full((1, 2), each, float)) for each in ends)
        inside = graph.node("Add", low, graph.node("Mul", share, width))
        full = graph.node("Equal", share, graph.constant(np.array([[1.0]])))
        return graph.flat(graph.column(graph.node("Where", full, high, inside), 0))
    if outputs.kind == "classes":
        preference = graph.constant(np.array(outputs.preference, np.int64))
        first = graph.node("ArgMax", graph.node("Gather", votes, preference, axis=1), axis=1, keepdims=0)
        return graph.node("Gather", graph.labels(outputs.labels), graph.node("Gather", preference, first))
    needed = graph.constant(1.0 - np.array([outputs.preference[: rules.outputs.n_votes]], np.float64))
    there = graph.cast(graph.node("GreaterOrEqual", votes, needed), "INT64")
    return there if outputs.kind == "labels" else graph.node("Gather", graph.labels(outputs.labels), graph.flat(there))


class _Graph:
    """A graph under construction: nodes, constants and inputs by their names, which begin with ``prefix``."""

    def __init__(self, onnx: Any, prefix: str = "") -> None:
        self._onnx, self._types, self._prefix = onnx, onnx.TensorProto, prefix
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._taken = {"", *OUTPUTS}

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator; returns the name of what it gives."""
        name = self._free(f"{self._prefix}{operator}_{len(self._nodes)}")
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def cast(self, value: str, kind: str) -> str:
        """A value as another type."""
        return self.node("Cast", value, to=getattr(self._types, kind))

    def flat(self, value: str) -> str:
        """One column as a vector."""
        return self.node("Reshape", value, self.constant(np.array([-1])))

    def column(self, matrix: str, j: int) -> str:
        """One column of a matrix: (rows, 1)."""
        return self.node("Gather", matrix, self.constant(np.array([j])), axis=1)

    def constant(self, values: NDArray[Any]) -> str:
        """Add a constant; whole numbers without a size of their own are int64."""
        name = self._free(f"{self._prefix}constant_{len(self._constants)}")
        self._constants.append(self._onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def labels(self, labels: tuple[Any, ...]) -> str:
        """The labels as a constant; the answers are of their type."""
        if any(isinstance(label, str) for label in labels):
            return self.constant(_plain_texts("labels", labels))
        kind: type[Any] | None = None
        if all(type(label) is int for label in labels):  # of which NumPy makes real numbers where some are large
            kind = np.uint64 if max(labels) >= 2**63 else np.int64
        try:
            return self.constant(np.array(labels, kind))
        except OverflowError as error:
            raise ValueError(
                f"labels must be whole numbers of 64 bits, as ONNX has them, got {labels!r:.80}"
            ) from error

    def input(self, name: str, kind: str, width: int) -> str:
        """Add an input of so many columns; returns its name."""
        name = self._free(name.encode(errors="replace").decode())
        made = self._onnx.helper.make_tensor_value_info(name, getattr(self._types, kind), ["rows", width])
        self._inputs.append(made)
        return name

    def _free(self, name: str) -> str:
        """The name, longer where there is one such already."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def add_to(self, container: Any, outputs: dict[str, str]) -> None:
        """Add all to a container of skl2onnx; ``outputs`` says which values have which of its names."""
        container.initializers.extend(self._constants)
        for node in self._nodes:
            attributes = {each.name: self._onnx.helper.get_attribute_value(each) for each in node.attribute}
            made = node.output[0]
            container.add_node(node.op_type, list(node.input), [made], op_version=OPSET, name=made, **attributes)
        for output, made in outputs.items():
            container.add_node("Identity", [made], [output], op_version=OPSET, name=f"{made}_{output}")

    def model(self, name: str, outputs: dict[str, str]) -> Any:
        """The model whose outputs have these names, checked by ONNX itself."""
        helper = self._onnx.helper
        renamed = [helper.make_node("Identity", [value], [output]) for output, value in outputs.items()]
        given = [helper.make_empty_tensor_value_info(output) for output in outputs]
        graph = helper.make_graph([*self._nodes, *renamed], name, self._inputs, given, self._constants)
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION, producer_name="adtm")
        inferred = self._onnx.shape_inference.infer_shapes(model)
        self._onnx.checker.check_model(inferred, full_check=True)
        return inferred
