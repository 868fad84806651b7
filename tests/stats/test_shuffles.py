import subprocess
import sys
from collections import Counter
from itertools import product
from math import factorial, prod

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.stats.random_words import FRACTION_BITS, MAX_RUNS, Draws
from kaiwa.stats.resampling import Threads, shuffled_means, sums_by_numpy
from kaiwa.stats.shuffle_kernel import sums_compiled


@pytest.mark.parametrize(("topics", "runs", "trials"), [(20, 3, 300), (5, 2, 300), (7, 44, 100), (3, 300, 20)])
def test_the_compiled_path_gives_the_same_bits_as_numpy(topics: int, runs: int, trials: int) -> None:
    """The result does not depend on the path."""
    by_topic = np.random.default_rng(1).random((topics, runs))
    ours = sums_compiled(by_topic, 5, 0, trials, Draws.of(runs))
    assert np.array_equal(ours, sums_by_numpy(by_topic, 5, 0, trials, Draws.of(runs)))


def test_refused_words_are_drawn_again_alike_on_both_paths() -> None:
    """With limits raised so that most words are refused, the paths still agree."""
    fair = Draws.of(5)
    strict = Draws(fair.per_word, fair.products, fair.limits + np.uint64(3 << (FRACTION_BITS - 2)))
    by_topic = np.random.default_rng(2).random((4, 5))
    ours = sums_compiled(by_topic, 9, 0, 200, strict)
    assert np.array_equal(ours, sums_by_numpy(by_topic, 9, 0, 200, strict))


@pytest.mark.parametrize("threads", [1, 3])
def test_means_do_not_depend_on_threads(threads: int) -> None:
    """Any number of threads gives the trials in the same order with the same bits."""
    by_topic = np.random.default_rng(3).random((10, 100))
    alone = np.concatenate(list(shuffled_means(by_topic, trials=6000, key=4)))
    shared = np.concatenate(list(shuffled_means(by_topic, trials=6000, key=4, workers=Threads(threads))))
    assert np.array_equal(alone, shared)


def test_later_trials_continue_earlier_ones() -> None:
    """Trials 30 to 50 are the same whether or not trials 0 to 30 ran with them."""
    by_topic = np.random.default_rng(3).random((6, 4))
    whole = np.concatenate(list(shuffled_means(by_topic, trials=50, key=4)))
    later = np.concatenate(list(shuffled_means(by_topic, trials=20, key=4, first=30)))
    assert np.array_equal(whole[30:], later)


def test_every_shuffle_is_equally_likely() -> None:
    """Over 96,000 trials the 24 orders of four scores come up alike (chi-square, 23 df, 99.9% point 49.73)."""
    by_topic = np.array([[1.0, 2.0, 4.0, 8.0]])
    orders = Counter(map(tuple, sums_by_numpy(by_topic, 11, 0, 96_000, Draws.of(4)).tolist()))
    assert len(orders) == 24
    assert sum((count - 4000) ** 2 / 4000 for count in orders.values()) < 49.73


def test_topics_are_shuffled_independently() -> None:
    """The 36 joint orders of two topics come up alike (chi-square, 35 df, 99.9% point 66.62)."""
    by_topic = np.array([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    orders = Counter(map(tuple, sums_by_numpy(by_topic, 12, 0, 72_000, Draws.of(3)).tolist()))
    assert len(orders) == 36
    assert sum((count - 2000) ** 2 / 2000 for count in orders.values()) < 66.62


def test_draws_from_one_word_are_exactly_uniform() -> None:
    """With 48 bits made 8, every accepted fraction gives each pair of draws below 5 and 4 equally often."""
    bits, bounds = 8, (5, 4)
    size, share = 1 << bits, 5 * 4
    seen: Counter[tuple[int, int]] = Counter()
    for fraction in range(size):
        if fraction * share % size >= size % share:
            first, left = divmod(fraction * bounds[0], size)
            seen[first, left * bounds[1] // size] += 1
    assert set(seen) == set(product(range(5), range(4)))
    assert len(set(seen.values())) == 1


def test_a_key_gives_the_shuffles_it_always_gave() -> None:
    """Printed by version 0.1.0: p-values that were published with a seed must come out again."""
    by_topic = np.arange(12.0).reshape(2, 6) ** 2
    assert next(shuffled_means(by_topic, trials=2, key=7)).tolist() == [
        [18.0, 65.0, 44.5, 26.5, 50.5, 48.5],
        [37.0, 42.5, 26.0, 61.0, 32.0, 54.5],
    ]
    many = next(shuffled_means(np.outer([1, 3], np.arange(44.0)), trials=1, key=7))
    assert many[0, :6].tolist() == [16.5, 10.0, 66.5, 39.5, 8.0, 36.5]


@pytest.mark.parametrize(("runs", "per_word"), [(2, 1), (3, 2), (44, 5), (129, 4), (300, 3), (1625, 3), (1626, 2)])
def test_a_word_serves_as_many_draws_as_keep_refusals_rare(runs: int, per_word: int) -> None:
    """As long as runs to that power stays within 2^32; together the bounds of all draws make up every shuffle."""
    draws = Draws.of(runs)
    assert draws.per_word == per_word
    assert prod(map(int, draws.products)) == factorial(runs)
    assert all(int(limit) == 2**48 % int(product) for limit, product in zip(draws.limits, draws.products, strict=True))


@pytest.mark.parametrize("runs", [1, MAX_RUNS])
def test_runs_beyond_what_a_word_can_draw_are_refused(runs: int) -> None:
    """2 to 65,535 runs."""
    with pytest.raises(InputError, match="2 to 65535 runs"):
        next(shuffled_means(np.zeros((1, runs)), trials=1, key=1))


def test_an_install_where_nothing_may_be_written_still_compiles() -> None:
    """When numba finds no folder for its machine code, the kernel is compiled for the process alone."""
    look = (
        "import numba.core.caching as caching, numpy as np\n"
        "refuse = classmethod(lambda cls, function, path: None)\n"
        "for locator in caching._CacheLocator.__subclasses__():\n"
        "    locator.from_function = refuse\n"
        "from kaiwa.stats.random_words import Draws\n"
        "from kaiwa.stats.shuffle_kernel import sums_compiled\n"
        "print(sums_compiled(np.eye(3), 5, 0, 1, Draws.of(3)).sum())"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "3.0"


def test_progress_counts_the_trials_of_this_call() -> None:
    """Also if earlier trials were shuffled in another call."""
    seen: list[tuple[int, int]] = []
    blocks = shuffled_means(
        np.eye(3), trials=50, key=1, first=100, progress=lambda done, total: seen.append((done, total))
    )
    assert sum(len(block) for block in blocks) == 50
    assert seen == [(50, 50)]


def test_up_to_65535_runs_can_be_shuffled() -> None:
    """A place among the runs takes 16 bits of a word beside the 48 of a fraction."""
    with pytest.raises(InputError, match="1 run; a comparison takes 2 to 65535 runs"):
        next(shuffled_means(np.zeros((3, 1)), trials=1, key=1))


def test_without_the_compiler_every_thread_uses_numpy() -> None:
    """Many threads try to load a module whose import fails; none of them finds a half-loaded one."""
    script = (
        "import sys, numpy as np\n"
        "sys.modules['numba'] = None\n"
        "sys.setswitchinterval(1e-6)\n"
        "from kaiwa.stats import resampling\n"
        "from kaiwa.stats.resampling import Threads\n"
        "resampling.COMPILED_FROM = resampling.SHUFFLE_CELLS = 1\n"
        "by_topic = np.random.default_rng(1).random((4, 3))\n"
        "means = resampling.shuffled_means(by_topic, trials=400, key=2, workers=Threads(8))\n"
        "print(sum(len(block) for block in means))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("400\n", "")
