"""Policies as OpenCL C, so that a device can ask them itself: no trip to the host at every level.

The functions of ``rules.py``, and those of users, are read as Python and written down again; so there
is one text of each rule. What is understood is arithmetic, comparisons, conditions, loops over
``range``, functions of ``math``, numbers from outside, and other such functions. All numbers are
doubles. Whoever writes more than that is asked by the host.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable
from typing import Any

from .state import State

__all__ = ["in_c"]

#: What the arguments and variables of functions can be: a state, parameters, several numbers, one.
STATE, PARAMETERS, SEVERAL, NUMBER = "state", "parameters", "several", "number"
DECLARED = {STATE: "const double *{}", PARAMETERS: "__global const double *{}", NUMBER: "double {}"}
SAME_NAME = (
    "log",
    "log2",
    "log10",
    "log1p",
    "exp",
    "expm1",
    "sqrt",
    "asinh",
    "tanh",
    "floor",
    "ceil",
)
MATH: dict[Any, str] = {getattr(math, name): name for name in SAME_NAME}
MATH |= {
    abs: "fabs",
    math.fabs: "fabs",
    math.pow: "pow",
    int: "trunc",
    float: "",
    min: "fmin",
    max: "fmax",
}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
CALLS = {ast.Pow: "pow", ast.Mod: "modulo", ast.FloorDiv: "floored"}
COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
HELPERS = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
double floored(double a, double b) { return floor(a / b); }
double modulo(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
"""


class _NotUnderstood(Exception):
    """Something that this file does not know how to write in C."""


def in_c(door: Callable[..., object]) -> str | None:
    """Return OpenCL C with ``int choose(const double *s, __global const double *p)``, or None.

    ``door`` is a function of the state and of parameters; an answer other than 0 means pull.

    >>> in_c(len) is None  # not written in Python
    True
    """
    writer = _Writer()
    try:
        name, gives = writer.function(door, (STATE, PARAMETERS))
    except (_NotUnderstood, OSError, TypeError, ValueError, SyntaxError):
        return None
    head = "int choose(const double *s, __global const double *p)"
    text = "\n".join([HELPERS, *writer.written, f"{head} {{ return {name}(s, p) != 0; }}", ""])
    return text if gives is None and text.isascii() else None


class _Writer:
    """The functions that were written so far, helpers first."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.known: dict[object, tuple[str, int | None]] = {}

    def function(self, given: object, kinds: tuple[str, ...]) -> tuple[str, int | None]:
        """Write a function for such arguments; return its name, and how many numbers it gives, if not
        one.
        """
        python: Any = getattr(given, "py_func", given)
        if (python, kinds) not in self.known:
            self.known[python, kinds] = "", None  # it may not call itself
            text = _Function(self, python, kinds, f"f{len(self.known)}")
            self.written.append(text.c())
            self.known[python, kinds] = text.name, text.gives
        name, gives = self.known[python, kinds]
        if not name:
            raise _NotUnderstood
        return name, gives


class _Function:
    """One function, for arguments of these kinds."""

    def __init__(self, writer: _Writer, python: Any, kinds: tuple[str, ...], name: str) -> None:
        tree = ast.parse(textwrap.dedent(inspect.getsource(python))).body[0]
        if not isinstance(tree, ast.FunctionDef):  # a lambda has no lines of its own
            raise _NotUnderstood
        arguments = [argument.arg for argument in tree.args.args]
        if len(arguments) != len(kinds) or tree.args.defaults or tree.args.kwonlyargs:
            raise _NotUnderstood
        self.writer, self.name, self.tree = writer, name, tree
        self.kinds = dict(zip(arguments, kinds, strict=True))
        self.arguments = arguments
        outer = inspect.getclosurevars(python)
        self.outer = {**outer.builtins, **outer.globals, **outer.nonlocals}
        self.sizes: dict[str, int] = {}
        self.gives: int | None = None

    def c(self) -> str:
        body = [self._statement(one) for one in self.tree.body]
        own = [name for name in self.kinds if name not in self.arguments]
        lines = [
            f"double v_{n}[{self.sizes[n]}];" if n in self.sizes else f"double v_{n} = 0;"
            for n in own
        ]
        given = [DECLARED[self.kinds[name]].format(f"v_{name}") for name in self.arguments]
        given += ["double *out"] * (self.gives is not None)
        kind, last = ("double", "return 0.0;") if self.gives is None else ("void", "")
        head = f"{kind} {self.name}({', '.join(given)})"
        return "\n".join([head, "{", *lines, *body, last, "}"])

    # -- statements -------------------------------------------------------------------------------

    def _block(self, statements: list[ast.stmt]) -> str:
        return "\n".join(self._statement(one) for one in statements)

    def _statement(self, one: ast.stmt) -> str:
        match one:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return ""
            case ast.Return(value=ast.Tuple(elts=parts)):
                self.gives = len(parts)
                return (
                    " ".join(f"out[{i}] = {self._number(x)};" for i, x in enumerate(parts))
                    + " return;"
                )
            case ast.Return(value=ast.expr() as value):
                return f"return {self._number(value)};"
            case ast.If(test=test, body=body, orelse=rest):
                other = f" else {{\n{self._block(rest)}\n}}" if rest else ""
                return f"if ({self._condition(test)}) {{\n{self._block(body)}\n}}{other}"
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                return (
                    f"v_{name} = {self._operation(op, self._variable(name), self._number(value))};"
                )
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return self._assignment(name, value)
            case ast.Assign(targets=[ast.Tuple(elts=[*names])], value=ast.Call() as call):
                held = f"held{len(self.sizes)}"
                first = self._several(held, call)
                taken = [
                    f"{self._new(n.id)} = v_{held}[{i}];"
                    for i, n in enumerate(names)
                    if isinstance(n, ast.Name)
                ]
                return " ".join([first, *taken])
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[stop])
            ):
                limit, begin = self._number(stop), self._new(name)
                head = f"for ({begin} = 0; {begin} < {limit}; {begin} += 1)"
                return f"{head} {{\n{self._block(one.body)}\n}}"
        raise _NotUnderstood

    def _assignment(self, name: str, value: ast.expr) -> str:
        """A variable becomes a number, or the several numbers that one of two functions gives."""
        match value:
            case ast.IfExp(test=test, body=ast.Call() as one, orelse=ast.Call() as other):
                if self._gives(one) and self._gives(other):
                    choice = self._several(name, one), self._several(name, other)
                    return f"if ({self._condition(test)}) {{ {choice[0]} }} else {{ {choice[1]} }}"
        return f"{self._new(name)} = {self._number(value)};"

    def _new(self, name: str) -> str:
        if self.kinds.setdefault(name, NUMBER) != NUMBER:
            raise _NotUnderstood
        return f"v_{name}"

    def _variable(self, name: str) -> str:
        if self.kinds.get(name) != NUMBER:
            raise _NotUnderstood
        return f"v_{name}"

    def _several(self, name: str, call: ast.Call) -> str:
        """Let a function write several numbers to an array."""
        called, gives, given = self._called(call)
        if gives is None or self.kinds.setdefault(name, SEVERAL) != SEVERAL:
            raise _NotUnderstood
        self.sizes[name] = gives
        return f"{called}({', '.join([*given, f'v_{name}'])});"

    # -- expressions ------------------------------------------------------------------------------

    def _number(self, one: ast.expr) -> str:
        match one:
            case ast.Constant(value=bool() | int() | float() as value):
                return repr(float(value))
            case ast.Name(id=name) if name in self.kinds:
                return self._variable(name)
            case ast.Name(id=name) if isinstance(self.outer.get(name), bool | int | float):
                return repr(float(self.outer[name]))
            case ast.Attribute(value=ast.Name(id=name), attr=field) if (
                self.kinds.get(name) == STATE
            ):
                return f"v_{name}[{State._fields.index(field)}]"
            case ast.Subscript(value=ast.Name(id=name), slice=at) if self.kinds.get(name) in (
                PARAMETERS,
                SEVERAL,
            ):
                return f"v_{name}[(int)({self._number(at)})]"
            case ast.BinOp(left=left, op=op, right=right):
                return self._operation(op, self._number(left), self._number(right))
            case ast.UnaryOp(op=ast.USub(), operand=value):
                return f"(-{self._number(value)})"
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()) if _is_truth(one):
                return f"(double)({self._condition(one)})"
            case ast.IfExp(test=test, body=body, orelse=rest):
                return f"({self._condition(test)} ? {self._number(body)} : {self._number(rest)})"
            case ast.Call():
                return self._call(one)
        raise _NotUnderstood

    def _condition(self, one: ast.expr) -> str:
        """Return what is true or false in C."""
        match one:
            case ast.UnaryOp(op=ast.Not(), operand=value):
                return f"!({self._condition(value)})"
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [self._number(x) for x in (left, *others)]
                signs = [COMPARED[type(op)] for op in ops if type(op) in COMPARED]
                if len(signs) != len(ops):
                    raise _NotUnderstood
                pairs = zip(sides, signs, sides[1:], strict=False)
                return "(" + " && ".join(f"{a} {sign} {b}" for a, sign, b in pairs) + ")"
            case ast.BoolOp(op=op, values=values):
                sign = " && " if isinstance(op, ast.And) else " || "
                return "(" + sign.join(self._condition(x) for x in values) + ")"
        return f"({self._number(one)} != 0)"

    def _operation(self, op: ast.operator, left: str, right: str) -> str:
        if type(op) in CALLS:
            return f"{CALLS[type(op)]}({left}, {right})"
        if type(op) not in SIGNS:
            raise _NotUnderstood
        return f"({left} {SIGNS[type(op)]} {right})"

    def _call(self, call: ast.Call) -> str:
        known = self._outer(call.func)
        if isinstance(known, Callable) and known in MATH:  # type: ignore[arg-type]
            name, given = MATH[known], [self._number(x) for x in call.args]
            if known in (min, max):
                made = given[0]
                for other in given[1:]:
                    made = f"{name}({made}, {other})"
                return made
            return f"{name}({', '.join(given)})"
        called, gives, given = self._called(call)
        if gives is not None:
            raise _NotUnderstood
        return f"{called}({', '.join(given)})"

    def _outer(self, named: ast.expr) -> object:
        """What a name outside of the function means."""
        match named:
            case ast.Name(id=name):
                return self.outer.get(name)
            case ast.Attribute(value=ast.Name(id=name), attr=field):
                return getattr(self.outer.get(name), field, None)
        return None

    def _gives(self, call: ast.Call) -> bool:
        return self._called(call)[1] is not None

    def _called(self, call: ast.Call) -> tuple[str, int | None, list[str]]:
        """Return the C name of what is called, how many numbers it gives (None: one), its arguments."""
        kinds, given = [], []
        for argument in call.args:
            kind, text = self._argument(argument)
            kinds.append(kind)
            given.append(text)
        known = self._outer(call.func)
        if call.keywords or not callable(known):
            raise _NotUnderstood
        name, gives = self.writer.function(known, tuple(kinds))
        return name, gives, given

    def _argument(self, one: ast.expr) -> tuple[str, str]:
        match one:
            case ast.Name(id=name) if self.kinds.get(name) in (STATE, PARAMETERS):
                return self.kinds[name], f"v_{name}"
            case ast.Call(func=ast.Name(id="read_state"), args=[ast.Name(id=name)]):
                return self.kinds[name], f"v_{name}"
        return NUMBER, self._number(one)


def _is_truth(one: ast.expr) -> bool:
    """Whether an expression is true or false, and not one of two numbers, as ``a or b`` may be."""
    match one:
        case ast.BoolOp(values=values):
            return all(_is_truth(x) for x in values)
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
    return False
