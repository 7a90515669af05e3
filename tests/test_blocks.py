"""Dask arrays: AML and CPCM read them block by block and answer as they do for the whole array."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone

from umlbook import AML, CPCM, NAML, LatentClassPairs, _blocks
from umlbook._blocks import BlockData, BlockRows
from umlbook._landmarks import LandmarkWarning
from umlbook.algebra import (
    cluster_means,
    mean_and_scatter,
    nearest_center,
    nearest_with_distance,
    scatter_about,
)
from umlbook.rivals import RCA

da = pytest.importorskip("dask.array")

pytestmark = pytest.mark.filterwarnings("ignore::umlbook._landmarks.LandmarkWarning")

MODELS = {
    "AML": lambda **known: AML(3, random_state=0, **known),
    "AML, one component": lambda **known: AML(3, n_components=1, random_state=0, **known),
    "CPCM": lambda **known: CPCM(3, random_state=0, **known),
    "CPCM without guard": lambda **known: CPCM(3, guard=False, random_state=0, **known),
}


@pytest.fixture
def problem(rng):
    """Three clusters, not centred, of unequal size and spread, a column that repeats another."""
    y = rng.choice(3, size=3500, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(3500, 4)) * [1.0, 0.7, 1.3, 5.0] + [2.0, -30.0, 0.0, 7.0]
    X[:, :3] += 4.0 * np.eye(3)[y]
    return np.column_stack([X, 3 * X[:, 1]]), y


@pytest.fixture
def blocks(problem):
    """The same in blocks of unequal length, which are cut between columns too."""
    return da.from_array(problem[0], chunks=((1000, 1, 1499, 1000), (2, 3)))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("start", [False, True])
def test_a_dask_array_gives_what_the_array_gives(name, start, problem, blocks, rng):
    X, y = problem
    key = "init" if name.startswith("AML") else "starts"
    known = {key: np.where(rng.random(len(y)) < 0.3, rng.permutation(y), y)} if start else {}
    whole, ours = MODELS[name](**known).fit(X), MODELS[name](**known).fit(blocks)
    assert np.array_equal(ours.labels_, whole.labels_) and isinstance(ours.labels_, np.ndarray)
    np.testing.assert_allclose(ours.objective_path_, whole.objective_path_, rtol=1e-9)
    np.testing.assert_allclose(ours.metric_, whole.metric_, rtol=1e-6, atol=1e-9)
    assert (ours.n_iter_, ours.converged_) == (whole.n_iter_, whole.converged_)
    if name.startswith("CPCM"):
        np.testing.assert_allclose(ours.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(
            ours.canonical_correlations_, whole.canonical_correlations_, rtol=1e-9
        )


@pytest.mark.parametrize("name", ["AML", "CPCM"])
def test_steps_of_a_dask_array_are_those_of_the_array(name, problem, blocks):
    both = (list(MODELS[name]().steps(data)) for data in (problem[0], blocks))
    for one, other in zip(*both, strict=True):
        assert np.array_equal(one.labels, other.labels)
        assert one.objective == pytest.approx(other.objective, rel=1e-9)
        assert one.before == pytest.approx(other.before, rel=1e-9)


@pytest.mark.parametrize("name", ["AML", "CPCM"])
def test_new_rows_in_blocks_are_placed_when_they_are_computed(name, problem, blocks):
    X, _ = problem
    model = MODELS[name]().fit(blocks)
    assert isinstance(model.predict(blocks), da.Array)
    assert np.array_equal(model.predict(blocks).compute(), model.labels_)
    np.testing.assert_allclose(model.transform(blocks).compute(), model.transform(X), atol=1e-9)
    with pytest.raises(ValueError, match="5 features"):
        model.predict(blocks[:, :3])


@pytest.mark.parametrize("name", ["AML", "CPCM"])
def test_a_local_cluster_gives_what_the_array_gives(name, problem, blocks):
    distributed = pytest.importorskip("distributed")
    whole = MODELS[name]().fit(problem[0])
    with (
        distributed.LocalCluster(2, threads_per_worker=1, processes=False, dashboard_address=None)
        as cluster,
        distributed.Client(cluster),
    ):  # fmt: skip
        spread = MODELS[name]().fit(blocks)
    assert np.array_equal(spread.labels_, whole.labels_)
    assert spread.objective_ == pytest.approx(whole.objective_, rel=1e-9)


def test_what_algorithms_ask_of_rows_is_the_same_for_blocks(problem, blocks, rng):
    X, y = problem
    data = BlockData(blocks.rechunk({1: -1}))
    rows = BlockRows(data, rng.normal(size=(5, 2)), rng.normal(size=2))
    plain, centers = rows.offset + (X - X.mean(axis=0)) @ rows.coef, rng.normal(size=(3, 2))
    R = rng.normal(size=(2, 2))
    np.testing.assert_allclose(data.mean, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(data.scatter, len(X) * np.cov(X.T, bias=True), rtol=1e-9)
    for one, other in ((rows, plain), (rows @ R, plain @ R)):
        np.testing.assert_allclose(cluster_means(one, y, 3), cluster_means(other, y, 3), atol=1e-9)
        for ours, theirs in zip(
            (*mean_and_scatter(one), *nearest_with_distance(one, centers)),
            (*mean_and_scatter(other), *nearest_with_distance(other, centers)),
            strict=True,
        ):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
        found = nearest_center(one, centers)
        assert scatter_about(one, centers, found) == pytest.approx(
            scatter_about(other, centers, found)
        )


def test_a_pass_over_the_blocks_finds_labels_and_their_sums(problem, blocks, monkeypatch):
    """X'X, landmarks, their labels for all rows and the start's sums; then one a Lloyd round."""
    reads = []
    counted = blocks.map_blocks(lambda block: (reads.append(1), block)[1], dtype=float)
    counted = counted.rechunk({1: -1})
    rounds = []
    step = _blocks.block_pass

    def pass_(X, **known):
        rounds.append(1)
        return step(X, **known)

    monkeypatch.setattr(_blocks, "block_pass", pass_)
    reads.clear()
    MODELS["AML"]().fit(counted)
    n_blocks = blocks.npartitions
    assert len(rounds) % counted.npartitions == 0
    assert len(reads) <= n_blocks * (4 + len(rounds) // counted.npartitions)


def test_few_rows_are_read_at_once(problem, blocks):
    model = MODELS["AML"](n_landmarks=None, n_init=1)
    whole = clone(model).fit(problem[0][:2000])
    assert np.array_equal(model.fit(blocks[:2000]).labels_, whole.labels_)


def test_an_empty_cluster_is_filled_as_in_memory(problem, blocks):
    """From these labels a cluster of one row loses it in the first round."""
    X, y = problem
    start = np.where(y == 2, 1, y)
    start[np.argmin(np.sum((X - X[start == 1].mean(axis=0)) ** 2, axis=1))] = 2
    whole, ours = (AML(3, init=start, random_state=0).fit(data) for data in (X, blocks))
    assert np.array_equal(ours.labels_, whole.labels_)


@pytest.mark.parametrize(
    "model",
    [NAML(), LatentClassPairs(), AML(relaxed=True), CPCM(predictor="lda"),
     CPCM(predictor="kernel-ridge"), RCA()],
    ids=lambda model: repr(model),
)  # fmt: skip
def test_methods_that_need_all_rows_refuse_blocks(model, blocks):
    with pytest.raises(TypeError, match=r"cannot read a dask array .* give X.compute\(\)"):
        model.fit(blocks)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda X: da.where(X > 9, np.nan, X), "NaN or infinity"),
        (lambda X: X[X[:, 0] > 0], r"compute_chunk_sizes\(\)"),
        (lambda X: X[:, 0], "Expected 2D array"),
        (lambda X: X.astype(str), "encode it as numbers"),
        (lambda X: X * 0.0, "no feature that varies"),
    ],
)
@pytest.mark.parametrize("name", ["AML", "CPCM"])
def test_blocks_that_cannot_be_learned_from_are_refused(name, change, error, blocks):
    with pytest.raises(ValueError, match=error):
        MODELS[name]().fit(change(blocks))


@pytest.mark.parametrize("name", ["AML", "CPCM"])
def test_starts_are_not_compared_on_all_rows_of_blocks(name, blocks):
    with pytest.raises(ValueError, match=r"n_landmarks=None .*, or (init|starts) as an array"):
        MODELS[name](n_landmarks=None).fit(blocks)
    with pytest.warns(LandmarkWarning):
        MODELS[name]().fit(blocks)


def test_importing_and_fitting_arrays_imports_no_dask():
    code = "import sys, numpy as np; from umlbook import *; "
    code += "AML(2).fit(np.eye(9)); sys.exit('dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
