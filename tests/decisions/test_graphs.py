"""The registry of graphs: what each fork is fitted to and tested on."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import graphs
from tachograph.decisions.generators import layers
from tachograph.decisions.trainer import FORKS


def test_every_row_has_a_known_part_for_a_known_fork():
    for row in graphs.registry().values():
        assert row.parts
        assert set(row.parts) <= set(FORKS)
        assert set(row.parts.values()) <= set(graphs.PARTS)


@pytest.mark.parametrize("fork", ["direction", "times"])
def test_many_graphs_are_learned_from_and_others_judged_on(fork):
    assert len(graphs.names_of(fork, "fit")) >= 40
    assert len(graphs.names_of(fork, "test")) >= 16


@pytest.mark.parametrize("fork", FORKS)
def test_every_fork_has_graphs_to_fit_that_need_no_data(fork, monkeypatch):
    monkeypatch.delenv("TACHOGRAPH_DATA", raising=False)
    assert len(graphs.present(graphs.names_of(fork, "fit"))) >= 8


def test_graphs_are_made_by_name():
    assert graphs.graph_named("kronecker-11").weighted
    assert graphs.graph_named("grid-60").weights.max() <= 255
    assert graphs.graph_named("kronecker-14-real").weights.dtype == np.float32
    assert not graphs.graph_named("kronecker 9 8").weighted
    assert graphs.graph_named("layers 3 4").meta["sink"] == 13
    with pytest.raises(tg.InputError, match="takes rows columns"):
        graphs.graph_named("road 5")


def test_a_missing_file_is_told_from_a_missing_data_set():
    with pytest.raises(
        tg.InputError, match=r"^there is no file a/b, and there is no data set 'a/b'"
    ):
        graphs.graph_named("a/b")
    with pytest.raises(tg.InputError, match=r"^there is no data set 'nowhere'"):
        graphs.graph_named("nowhere")
    with pytest.raises(tg.InputError, match=r"^there is no data set 'nowhere.txt'"):
        tg.dataset("nowhere.txt")


def test_random_weights_are_the_same_both_ways():
    g = graphs.weighted(tg.kronecker(6, rng=2))
    assert g.weights.min() >= 1
    assert np.array_equal(g.to_scipy().toarray(), g.to_scipy().toarray().T)
    assert graphs.weighted(g) is g


def test_hashes_tell_graphs_apart():
    one, other = tg.kronecker(6, rng=2), tg.kronecker(6, rng=3)
    assert graphs.hash_of(one) == graphs.hash_of(tg.kronecker(6, rng=2))
    assert len({graphs.hash_of(g) for g in (one, other, graphs.weighted(one))}) == 3


def test_layers_are_a_flow_problem():
    g = layers(5, 7, 2, rng=1)
    assert (g.n, g.m) == (37, 4 * 7 * 2 + 14)
    assert 0 < tg.maximum_flow(g, verify=True).value < 7 * 2 * 1000
    assert g.degrees[:28].tolist() == [2] * 28
    assert pytest.approx(g.meta["sink"]) == 36
