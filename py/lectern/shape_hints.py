"""Hints for arrays that do not fit: both shapes, the axes that must agree, and often the repair."""

from __future__ import annotations

import re

from lectern.hint_rules import Case, Rules
from lectern.operands import Operand, Shape

RULES = Rules()


def _ints(text: str) -> Shape:
    return tuple(map(int, re.findall(r"\d+", text)))


def _named(operand: Operand) -> str:
    return f"`{operand.text}` has shape {operand.shape}"


@RULES.add(ValueError, r"matmul: .*mismatch in its core dimension.*size (\d+) is different from (\d+)")
def _matmul(case: Case) -> str | None:
    inner = "the last axis of the left must be as long as the last but one of the right"
    pair = case.operands()
    if not pair:
        return f"In A @ B {inner}. Here the left has {case[2]} and the right {case[1]}."
    left, right = pair
    if len(right.shape) == 1:
        inner = "the last axis of the left must be as long as the vector on the right"
    said = f"{_named(left)} and {_named(right)}. In A @ B {inner}; here these are {case[2]} and {case[1]}."
    if len(right.shape) >= 2 and left.shape[-1] == right.shape[-1]:
        flipped = f"{right.text}.T" if len(right.shape) == 2 else f"{right.text}.swapaxes(-1, -2)"
        said += f" `{flipped}` would fit."
    return said


@RULES.add(ValueError, r"matmul: Input operand \d does not have enough dimensions")
def _matmul_number(_: Case) -> str:
    return "@ multiplies matrices and vectors, and one side here is a single number. For a number use *."


@RULES.add(ValueError, r"shapes \(([\d,]+)\) and \(([\d,]+)\) not aligned: (\d+) \(dim \d+\) != (\d+)")
def _dot(case: Case) -> str:
    left, right = _ints(case[1]), _ints(case[2])
    said = f"Left is {left}, right is {right}: the last axis of the left ({case[3]}) must be as long as "
    said += "the vector on the right" if len(right) == 1 else "the last but one of the right"
    said += f" ({case[4]})."
    fits = len(right) == 2 and right[1] == left[-1]
    return said + (" The right one transposed, with .T, would fit." if fits else "")


@RULES.add(ValueError, r"with remapped shapes .*?: \(([\d,]+)\)->\S+ \(([\d,]+)\)->")
def _matmul_batches(case: Case) -> str:
    left, right = _ints(case[1]), _ints(case[2])
    return (
        f"The shapes are {left} and {right}. @ works on the last two axes; all axes before them must be "
        f"equal or 1, and here they are {left[:-2]} and {right[:-2]}."
    )


@RULES.add(ValueError, r"could not be broadcast together with shapes \(([\d,]*)\) \(([\d,]*)\)")
def _broadcast(case: Case) -> str:
    left, right = _ints(case[1]), _ints(case[2])
    axis, a, b = _first_difference(left, right)
    names = case.operands()
    who = f"{_named(names[0])}, {_named(names[1])}." if names else f"The shapes are {left} and {right}."
    return (
        f"{who} Axes are compared from the right and must be equal or 1; axis {axis} has {a} and {b}. "
        "A None in the index adds an axis of length 1, as in x[:, None]."
    )


def _first_difference(left: Shape, right: Shape) -> tuple[str, int, int]:
    for back, (a, b) in enumerate(zip(reversed(left), reversed(right), strict=False), start=1):
        if a != b and 1 not in (a, b):
            return f"−{back}", a, b
    raise ValueError("these shapes go together")


@RULES.add(ValueError, r"could not broadcast input array from shape \(([\d,]*)\) into shape \(([\d,]*)\)")
def _assignment(case: Case) -> str:
    return (
        f"The place on the left has shape {_ints(case[2])}, the value on the right {_ints(case[1])}. "
        "Assigning needs shapes that are equal, or differ only by axes of length 1."
    )


@RULES.add(ValueError, r"cannot reshape array of size (\d+) into shape \(?([^)]*)")
def _reshape(case: Case) -> str:
    shape = tuple(int(n) for n in re.findall(r"-?\d+", case[2].replace("newaxis", "-1")))
    size = int(case[1])
    known = 1
    for n in shape:
        known *= n if n != -1 else 1
    if -1 in shape:
        return f"{size} numbers do not divide evenly: the other axes of {shape} take {known} at a time."
    product = " · ".join(map(str, shape))
    equation = f"{product} = {known}" if len(shape) > 1 else product
    return (
        f"Reshaping keeps every number: {equation}, but the array has {size}. "
        "One axis may be −1, and NumPy works it out."
    )


@RULES.add(
    ValueError,
    r"along dimension (\d+), the array at index (\d+) has size (\d+) and .* at index (\d+) has size (\d+)",
)
def _concatenate(case: Case) -> str:
    return (
        f"Arrays {case[2]} and {case[4]} (counted from 0) differ at axis {case[1]}: {case[3]} and {case[5]}. "
        "Only the axis along which they are joined may differ; choose it with axis=…"
    )


@RULES.add(ValueError, r"inhomogeneous shape|setting an array element with a sequence")
def _ragged(_: Case) -> str:
    return (
        "The rows have different lengths, so they form no matrix. Make them equally long, perhaps by padding."
    )


@RULES.add(ValueError, r"(too many|not enough) values to unpack \(expected (?:at least )?(\d+)")
def _unpack(case: Case) -> str:
    return (
        f"There are {case[2]} names on the left of the =, and {case[1]} values on the right. "
        "With x.shape, there must be as many names as x has axes (x.ndim)."
    )


@RULES.add(IndexError, r"index (-?\d+) is out of bounds for (?:axis (\d+) with )?size (\d+)")
def _index(case: Case) -> str:
    axis, size = case[2] or "0", int(case[3])
    if not size:
        return f"Axis {axis} is empty, so there is nothing to index."
    return (
        f"Axis {axis} has length {size}: indices go from 0 to {size - 1}, "
        f"or from −{size} to −1 counted from the end."
    )


@RULES.add(IndexError, r"too many indices for array: array is (\d+)-dimensional, but (\d+) were indexed")
def _too_many_indices(case: Case) -> str:
    axes = "1 axis" if case[1] == "1" else f"{case[1]} axes"
    return (
        f"The array has {axes}, the brackets hold {case[2]} indices. Its .shape shows which axes there are."
    )


@RULES.add(ValueError, r"axis (-?\d+) is out of bounds for array of dimension (\d+)")
def _axis(case: Case) -> str:
    n = int(case[2])
    if not n:
        return "This is a single number: it has no axes."
    return (
        f"An array with {n} {'axis' if n == 1 else 'axes'} has axis 0 to {n - 1}; the last is always axis −1."
    )


@RULES.add(ValueError, r"axes don't match array|repeated axis in transpose")
def _transpose(_: Case) -> str:
    return (
        "transpose names every axis exactly once: with three axes, some order of 0, 1, 2. "
        "To swap two of them, use swapaxes."
    )


@RULES.add(ValueError, r"einstein sum|operand has more dimensions than subscripts")
def _einsum(_: Case) -> str:
    return 'In einsum every operand needs one letter per axis, as in np.einsum("hqd,hkd->hqk", Q, K).'


@RULES.add(ValueError, r"all input arrays must have the same shape")
def _stack(_: Case) -> str:
    return "np.stack needs equal shapes. To join along an axis that exists, use np.concatenate."
