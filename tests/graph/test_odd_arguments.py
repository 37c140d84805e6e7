"""Arguments of other types and values than the constructors of graphs are made for."""

from __future__ import annotations

import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import tachograph as tg
from tests.graph.test_build import rows_of

EDGES = [0, 1], [1, 2]


@pytest.mark.parametrize("no", [0, np.False_, np.int8(0)], ids=lambda v: type(v).__name__)
def test_any_no_is_a_no(no):
    g = tg.Graph.from_edges(*EDGES, directed=no)
    assert not g.directed
    assert g.arcs == 4


@pytest.mark.parametrize("odd", ["false", 0.0, [], float("nan")], ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", ["directed", "symmetrize", "drop_self_loops", "relabel"])
def test_flags_are_true_or_false(name, odd):
    with pytest.raises(tg.InputError, match=f"{name} = .*True or False"):
        tg.Graph.from_edges(*EDGES, **{name: odd})


@pytest.mark.parametrize("odd", [None, "no", 0.5], ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("name", ["directed", "copy"])
def test_flags_of_rows(name, odd):
    with pytest.raises(tg.InputError, match=f"{name} = .*True or False"):
        tg.Graph.from_csr([0, 1], [0], **{name: odd})


def test_names_that_numpy_would_make_equal():
    g = tg.Graph.from_edges(["a\0", "a"], ["b", "b"], relabel=True)
    assert g.names.tolist() == ["a", "a\0", "b"]
    with pytest.raises(tg.InputError, match="found int, str"):
        tg.Graph.from_edges([1, "1"], ["2", 2], relabel=True)
    g = tg.Graph.from_edges([2**63, 2**63 + 1], [1, 1], relabel=True)
    assert g.names.tolist() == [1, 2**63, 2**63 + 1]
    own = np.array(["x", "y"], np.dtypes.StringDType())
    assert tg.Graph.from_edges(own, own, relabel=True).names.tolist() == ["x", "y"]


@pytest.mark.parametrize(("kind", "bits"), [(np.float16, 11), (np.float32, 24), (np.float64, 53)])
def test_short_floats_that_stand_for_several_ids(kind, bits):
    last = 2**bits - 1
    g = tg.Graph.from_edges(np.array([last], kind), [1], relabel=True)
    assert g.names.tolist() == [1, last]
    with pytest.raises(tg.InputError, match=rf"2\*\*{bits}, where each stands for several ids"):
        tg.Graph.from_edges(np.array([last + 2], kind), [1], relabel=True)  # is last + 1


@pytest.mark.parametrize(
    "odd", [(v for v in [0, 1]), {0, 1}, map(int, "01")], ids=lambda v: type(v).__name__
)
def test_what_is_no_array(odd):
    with pytest.raises(tg.InputError, match="source is a .*: pass a list or an array"):
        tg.Graph.from_edges(odd, [1, 2])


@pytest.mark.parametrize(
    "odd", [-1, 3, 1.0, None, "1", 2**63, 2**70, [0]], ids=lambda v: type(v).__name__
)
def test_rows_of_vertices_that_are_not_there(odd):
    with pytest.raises(tg.InputError, match="there is no vertex .*: ids go from 0 to 2"):
        tg.path(3).row(odd)
    with pytest.raises(tg.InputError, match="the graph has none"):
        tg.Graph.from_edges([], []).row(odd)


@pytest.mark.parametrize("odd", [1, None, "ab", 1.5, np.array(1)], ids=lambda v: type(v).__name__)
def test_one_vertex_is_no_list(odd):
    g = tg.Graph.from_edges(["a"], ["b"], relabel=True)
    for call in (g.ids_of, g.subgraph):
        with pytest.raises(tg.InputError, match="no list of vertices"):
            call(odd)


@pytest.mark.parametrize(
    "odd", [None, 1, "x", [1, 2], np.arange(3), object()], ids=lambda v: type(v).__name__
)
def test_what_is_no_graph(odd):
    made = tg.Graph.from_networkx, tg.Graph.from_pandas, tg.Graph.from_scipy, tg.Graph.from_arrow
    calls = (
        tg.disjoint_union,
        lambda g: tg.write(g, "g.el"),
        lambda g: tg.simulate("bfs", g, "v100"),
    )
    for call in (*made, *calls):
        with pytest.raises(tg.InputError):
            call(odd)


#: Matrices whose arrays lie, as SciPy lets one make them; what to say of each. In a process of its own,
#: because SciPy ends it.
LIES = {
    "sp.csc_array(np.eye(3)).indices": 99_999_999,
    "sp.csc_array(np.eye(3)).indptr": [0, 10**8, 2, 3],
    "sp.coo_array(np.eye(3)).coords[0]": -70_000_000,
    "sp.bsr_array(np.eye(4), blocksize=(2, 2)).indptr": [0, 10**8, 2],
}


def test_matrices_that_lie():
    lines = ["import numpy as np, scipy.sparse as sp, tachograph as tg"]
    for made, lie in LIES.items():
        matrix, array = made.split(").", 1)
        lines += [
            f"m = {matrix})",
            f"m.{array}[:] = {lie}",
            "try:\n    tg.Graph.from_scipy(m)\nexcept tg.InputError as error:\n    print(error)",
        ]
    ran = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert ran.returncode == 0, ran
    assert ran.stdout.count("the matrix cannot be used") == len(LIES)


def test_matrices_of_other_shapes_and_rows_that_do_not_fit():
    for odd in (np.array([1, 0]), np.ones((2, 2, 2)), np.ones((2, 3))):
        with pytest.raises(tg.InputError, match="needs a square matrix"):
            tg.Graph.from_scipy(sp.coo_array(odd))
    lists = sp.lil_array(np.eye(4))
    lists.rows[0] = [1, 2, 3]
    with pytest.raises(tg.InputError, match="other numbers of indices and values"):
        tg.Graph.from_scipy(lists)


def test_what_only_fills_a_matrix_is_no_arc():
    blocks = sp.bsr_array(np.eye(4), blocksize=(2, 2))
    assert tg.Graph.from_scipy(blocks).m == 4
    said = sp.csr_array(np.ones((2, 2), bool))
    said.data[1] = False
    assert rows_of(tg.Graph.from_scipy(said)) == [[(0, None)], [(0, None), (1, None)]]
    assert said.nnz == 4
    sp.save_npz("said.npz", said)
    with pytest.raises(tg.FileFormatError, match="eliminate_zeros"):
        tg.read("said.npz")
    sp.save_npz("list.npz", said.tocoo())
    with pytest.raises(tg.FileFormatError, match="holds a coo matrix: save it as csr"):
        tg.read("list.npz")


def test_columns_that_are_numbers():
    frame = pd.DataFrame([[7, 0, 1], [8, 1, 2]])
    g = tg.Graph.from_pandas(frame, source=1, target=2, weight=0)
    assert rows_of(g) == [[(1, 7)], [(2, 8)], []]
    assert not tg.Graph.from_pandas(frame, source=1, target=2, weight=np.False_).weighted


class Stream:
    def __init__(self, found):
        self.found = found

    def __arrow_c_stream__(self, requested_schema=None):
        if self.found is None:
            raise KeyError("x")
        return self.found


@pytest.mark.parametrize(
    "odd",
    [
        Stream(None),
        Stream(5),
        pa.Table,
        pl.DataFrame({"source": [0], "target": [1]}).lazy(),
        pd.DataFrame({"source": pd.arrays.SparseArray([0]), "target": [1]}),
    ],
    ids=lambda odd: type(odd).__name__,
)
def test_tables_that_give_no_data(odd):
    made = tg.Graph.from_pandas if isinstance(odd, pd.DataFrame) else tg.Graph.from_arrow
    with pytest.raises(tg.InputError, match=r"cannot be used|collect\(\)"):
        made(odd)
    with pytest.raises(tg.InputError):
        tg.bfs(odd, 0)


def test_tables_that_contradict_the_call():
    table = pa.table({"source": [0], "target": [1], "weight": [2.5]})
    with pytest.raises(tg.InputError, match="both the sources and the targets"):
        tg.Graph.from_pandas(table.to_pandas(), source="target")
    with pytest.raises(tg.InputError, match="n cannot be given with relabel"):
        tg.Graph.from_arrow(table, n=5, relabel=True)
    for odd in ([], b"x", 1.5):
        with pytest.raises(tg.InputError, match="weight = "):
            tg.Graph.from_arrow(table, weight=odd)
    with pytest.raises(tg.InputError, match="the name of an attribute"):
        tg.Graph.from_networkx(nx.path_graph(3), weight=[])


def test_names_that_files_cannot_hold():
    g = tg.Graph.from_networkx(nx.Graph([((1, 2), (3, 4)), ("a", 1)]))
    assert g.subgraph([(1, 2), (3, 4)]).names.tolist() == [(1, 2), (3, 4)]
    for name in ("g.csv", "g.parquet", "g.arrow", "g.tgraph"):
        with pytest.raises(tg.InputError, match="not int, str, tuple"):
            tg.write(g, name)
    numbers = tg.Graph.from_networkx(nx.Graph([(np.int64(5), np.int64(7))]))
    tg.write(numbers, "g.tgraph")
    assert tg.read("g.tgraph").names.tolist() == [5, 7]
    assert numbers.to_arrow()["target"].to_pylist() == [7]


@pytest.mark.parametrize(
    "odd", [None, 3, b"g.el", ["g.el"], np.arange(2)], ids=lambda v: type(v).__name__
)
def test_paths_and_names_that_are_none(odd):
    calls = tg.read, tg.read_coordinates, tg.dataset
    for call in (*calls, lambda p: tg.write(tg.path(2), p), lambda p: tg.read("x", format=[p])):
        with pytest.raises(tg.InputError, match="is needed"):
            call(odd)
    for call in (tg.plan, tg.what_if, tg.simulate):
        with pytest.raises(tg.InputError, match="the name of a task is needed"):
            call(odd, tg.path(2), *["v100"] * (call is tg.simulate))


@pytest.mark.parametrize("name", ["\ud800.el", "a\0b.el"], ids=lambda v: type(v).__name__)
def test_names_that_no_file_can_have(name):
    with pytest.raises(tg.InputError, match="no file can have that name"):
        tg.write(tg.path(2), name)


@pytest.mark.parametrize(
    "odd", [[["a", "b"]], [[1, 2], [3]], [[2**70, 1]]], ids=lambda v: type(v).__name__
)
def test_coordinates_that_are_no_numbers(odd):
    with pytest.raises(tg.InputError, match="numbers"):
        tg.write_coordinates(odd, "c.co")


@pytest.mark.parametrize("odd", ["x", [], np.arange(2), 1j, 1.5], ids=lambda v: type(v).__name__)
def test_numbers_of_threads_and_machines(odd):
    with pytest.raises(tg.InputError, match="threads = .*whole number"), tg.threads(odd):
        pass
    with pytest.raises(tg.InputError, match="what_if needs names of machines"):
        tg.what_if("wcc", tg.path(2), odd)
    with pytest.raises(tg.InputError):
        tg.simulate("wcc", tg.path(2), "accugraph", memory=odd)


def test_numbers_that_are_very_large():
    with pytest.raises(tg.InputError, match="a number of bytes"), tg.limits(memory="9" * 400):
        pass
    assert tg.tree(5, 2**40).degrees.tolist() == [4, 1, 1, 1, 1]


def test_what_is_needed_instead_of_per_cent():
    for call, said in (
        (
            lambda: tg.bfs(tg.path(2), 0, deadline="5%"),
            "a number of seconds, such as 0.5 for 500 ms, is",
        ),
        (
            lambda: tg.pagerank(tg.path(2), damping="5%"),
            "a number, such as 0.05 for 5 %, is needed",
        ),
    ):
        with pytest.raises(tg.InputError, match=said):
            call()


class Silent:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    ("odd", "said"),
    [(10**5000, "<number of 16,610 bits>"), ((10**5000,), "<tuple>"), (Silent(), "<Silent>")],
    ids=["number", "tuple", "object"],
)
def test_what_python_does_not_write_is_named(odd, said):
    g = tg.Graph.from_edges(["a"], ["b"], relabel=True)
    with pytest.raises(tg.InputError, match=f"there is no vertex named {said}"):
        g.id_of(odd)
    with pytest.raises(tg.InputError, match=f"there is no vertex {said}: ids go"):
        tg.path(2).row(odd)
    if not isinstance(odd, int):
        with pytest.raises(tg.InputError, match=f"damping = {said}: a number is needed"):
            tg.pagerank(g, damping=odd)


def test_a_misspelled_argument_of_read_is_named():
    with pytest.raises(TypeError, match=r"^read\(\) .*'sorce'; did you mean source\?"):
        tg.read("x.csv", sorce="package")


def test_words_where_ids_are_wanted_are_quoted():
    with pytest.raises(
        tg.InputError, match="source has text, such as 'a b'; ids are whole numbers"
    ):
        tg.Graph.from_edges(["a b"], ["c"])


def test_warnings_name_the_line_that_called():
    for call in (
        lambda: tg.pagerank(tg.star(9), max_iter=1),
        lambda: tg.pagerank(tg.path(3), threads=10**6),
        lambda: tg.write(tg.Graph.from_edges(["a"], ["b"], relabel=True), "a.mtx"),
    ):
        with pytest.warns(tg.TachographWarning) as told:
            call()
        assert {warning.filename for warning in told} == {__file__}
