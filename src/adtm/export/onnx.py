"""A machine as an ONNX model of standard operators, exact in whole numbers; it answers from the columns of the table.

    bits     Gather, LessOrEqual, Equal, IsNaN: the Boolean features of a row
    rules    MatMulInteger of bits and literals, plus what a rule has to lose, not below 0
    votes    MatMul with the weights
    answer   of equal votes the first in the order of preference: Gather, ArgMax, Gather

Where all columns are numbers or Booleans the input is one matrix ``X`` of doubles, NaN being a missing value. Otherwise
each column is an input of its own, [rows, 1] and by its name: doubles, or texts, "" being a missing one. Machines with
patches are left out. Needs the extra ``onnx``; running a model is left to a runtime.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adtm.extras import need
from adtm.rules import RuleSet
from adtm.tables.columns import Column

OPSET, IR_VERSION = 19, 9


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
    rules.require_table("ONNX")
    graph = _Graph(need("onnx", "ONNX", extra="onnx"))
    bits = graph.node("Cast", _bits(graph, rules), to=graph.types.UINT8)
    votes = _votes(graph, rules, bits)
    return graph.model(name, {"answer": _answer(graph, rules, votes), "votes": graph.cast(votes, "INT64")})


def _bits(graph: _Graph, rules: RuleSet) -> str:
    """The Boolean features of all rows: (rows, n_features)."""
    together = all(column.kind != "category" for column in rules.columns)
    X = graph.input("X", "DOUBLE", len(rules.columns)) if together else ""
    parts, order, at = [], np.empty(rules.n_features, np.int64), 0
    for j, column in enumerate(rules.columns):
        if column.n_bits == 0:
            continue
        value = graph.node("Gather", X, graph.constant(np.array([j])), axis=1) if together else _input(graph, column)
        parts.append(_column_bits(graph, column, value))
        first = rules.features.first[j]
        order[first : first + column.n_bits] = np.arange(at, at + column.n_bits)
        at += column.n_bits
    joined = graph.node("Concat", *parts, axis=1)
    return graph.node("Gather", joined, graph.constant(order), axis=1)


def _input(graph: _Graph, column: Column) -> str:
    is_text = column.kind == "category" and any(isinstance(each, str) for each in column.categories)
    return graph.input(column.name, "STRING" if is_text else "DOUBLE", 1)


def _column_bits(graph: _Graph, column: Column, value: str) -> str:
    """The bits of one column: (rows, n_bits)."""
    is_text = column.kind == "category" and any(isinstance(each, str) for each in column.categories)
    parts = []
    if column.kind == "numeric":
        parts.append(graph.node("LessOrEqual", value, graph.constant(np.array([column.thresholds], np.float64))))
    elif column.kind == "boolean":
        parts.append(graph.node("Greater", value, graph.constant(np.array([[0.5]]))))
    elif is_text:
        known = np.array([[str(each) for each in column.categories]], object)
        parts.append(graph.node("Equal", value, graph.constant(known)))
    else:
        parts.append(graph.node("Equal", value, graph.constant(np.array([column.categories], np.float64))))
    if column.missing:
        empty = graph.constant(np.array([[""]], object)) if is_text else ""
        parts.append(graph.node("Equal", value, empty) if is_text else graph.node("IsNaN", value))
    return parts[0] if len(parts) == 1 else graph.node("Concat", *parts, axis=1)


def _votes(graph: _Graph, rules: RuleSet, bits: str) -> str:
    """The machine's votes as doubles, which hold whole numbers of 53 bits: (rows, n_votes)."""
    n, literals = rules.n_features, np.zeros((rules.n_features, len(rules)), np.int8)
    left = np.zeros((1, len(rules)), np.int32)  # votes of a rule when no literal of it that asks for a 1 has one
    for j, rule in enumerate(rules.rules):
        left[0, j] = rule.limit - sum(literal < n for literal in rule.literals)
        for literal in rule.literals:
            literals[literal % n, j] += 1 if literal < n else -1
    held = graph.node("MatMulInteger", bits, graph.constant(literals))
    cast = graph.node("Max", graph.node("Add", held, graph.constant(left)), graph.constant(np.zeros((1, 1), np.int32)))
    return graph.node("MatMul", graph.cast(cast, "DOUBLE"), graph.constant(rules.weights.astype(np.float64)))


def _answer(graph: _Graph, rules: RuleSet, votes: str) -> str:
    outputs = rules.outputs
    if outputs.kind == "value":
        limits = [graph.constant(np.array(limit, np.float64)) for limit in (0, outputs.T)]
        share = graph.node("Div", graph.node("Clip", votes, *limits), limits[1])
        low, high = (graph.constant(np.array([[end]], np.float64)) for end in (outputs.low, outputs.high))
        inside = graph.node("Add", low, graph.node("Mul", share, graph.node("Sub", high, low)))
        return graph.flat(
            graph.node("Where", graph.node("Equal", share, graph.constant(np.array([[1.0]]))), high, inside)
        )
    if outputs.kind == "classes":
        preference = graph.constant(np.array(outputs.preference, np.int64))
        first = graph.node("ArgMax", graph.node("Gather", votes, preference, axis=1), axis=1, keepdims=0)
        return graph.node("Gather", graph.labels(outputs.labels), graph.node("Gather", preference, first))
    needed = graph.constant(1.0 - np.array([outputs.preference[: rules.outputs.n_votes]], np.float64))
    there = graph.cast(graph.node("GreaterOrEqual", votes, needed), "INT64")
    return there if outputs.kind == "labels" else graph.node("Gather", graph.labels(outputs.labels), graph.flat(there))


class _Graph:
    """A graph under construction: nodes, constants and inputs by their names."""

    def __init__(self, onnx: Any) -> None:
        self._onnx, self.types = onnx, onnx.TensorProto
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._types: dict[str, int] = {}

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator; returns the name of what it gives."""
        name = f"{operator}_{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, [name], **attributes))
        return name

    def cast(self, value: str, kind: str) -> str:
        """A value as another type."""
        return self.node("Cast", value, to=getattr(self.types, kind))

    def flat(self, value: str) -> str:
        """One column as a vector."""
        return self.node("Reshape", value, self.constant(np.array([-1])))

    def constant(self, values: NDArray[Any]) -> str:
        """Add a constant; whole numbers without a size of their own are int64."""
        name = f"constant_{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def labels(self, labels: tuple[Any, ...]) -> str:
        """The labels as a constant; the answers are of their type."""
        plain = np.array(labels)
        return self.constant(plain.astype(object) if plain.dtype.kind == "U" else plain)

    def input(self, name: str, kind: str, width: int) -> str:
        """Add an input of so many columns."""
        made = self._onnx.helper.make_tensor_value_info(name, getattr(self.types, kind), ["rows", width])
        self._inputs.append(made)
        return name

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
