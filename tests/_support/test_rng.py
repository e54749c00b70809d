import numpy as np
import pytest

from abrank import ArgumentError
from abrank._support.rng import entropy, stream


def test_entropy_of_a_seed_is_the_seed() -> None:
    assert entropy(12) == 12
    assert entropy(np.int64(12)) == 12  # type: ignore[arg-type]


def test_entropy_of_a_generator_advances_it() -> None:
    generator = np.random.default_rng(3)
    first, second = entropy(generator), entropy(generator)
    assert first != second
    assert first == entropy(np.random.default_rng(3))


def test_entropy_of_none_differs_each_time() -> None:
    assert entropy(None) != entropy(None)


def test_entropy_of_a_spawned_seed_sequence_is_its_own() -> None:
    parent = np.random.SeedSequence(5)
    child, second = parent.spawn(2)
    assert len({entropy(parent), entropy(child), entropy(second)}) == 3


@pytest.mark.parametrize("rng", [-1, 1.5, "7", True])
def test_entropy_refuses(rng) -> None:
    with pytest.raises(ArgumentError, match="rng"):
        entropy(rng)


def test_stream_depends_on_names_not_on_call_order() -> None:
    first = stream(1, "permutation").integers(2**62)
    stream(1, "bootstrap").integers(2**62)
    assert stream(1, "permutation").integers(2**62) == first
    assert stream(1, "bootstrap").integers(2**62) != first
    assert stream(2, "permutation").integers(2**62) != first
