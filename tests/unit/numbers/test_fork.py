"""A child process computes, whatever the threads of its parent were doing when it was made."""

import multiprocessing
import os
import sys
import threading

import flint
import pytest

from exactdp import Binomial, shift_profile
from exactdp.caching import cached_property
from exactdp.numbers import balls

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system makes no child processes by forking")


def answer(connection):
    delta = shift_profile(Binomial(5000, "1/3")).delta(eps="1/7")
    connection.send((delta.lower, delta.upper, flint.ctx.prec))


def forked_answer():
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=answer, args=(sender,))
    child.start()
    try:
        assert receiver.poll(20), "the child hangs"
        return receiver.recv()
    finally:
        child.kill()
        child.join()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Python 3.12 warns of forks beside threads
def test_a_child_of_a_process_whose_threads_compute_gives_the_same_answers():
    here = shift_profile(Binomial(5000, "1/3")).delta(eps="1/7")
    inside, leave = threading.Event(), threading.Event()

    def compute():
        with balls.precision(1000), balls.precision(2000):
            inside.set()
            leave.wait(60)

    threads = [threading.Thread(target=compute, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        assert inside.wait(20)
        assert forked_answer() == (here.lower, here.upper, 53)
    finally:
        leave.set()
        for thread in threads:
            thread.join()
    assert flint.ctx.prec == 53


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_made_inside_a_block_stays_inside():
    with balls.precision(777):
        if not (child := os.fork()):
            inner = flint.ctx.prec
            with balls.precision(99):
                pass
            os._exit(inner == flint.ctx.prec == 777)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert flint.ctx.prec == 53


def test_a_cached_property_holds_no_lock():
    """Each of two instances waits for the other one's property to begin, which one lock for both would forbid."""
    begun = [threading.Event(), threading.Event()]

    class Pair:
        def __init__(self, which):
            self.which = which

        @cached_property
        def value(self):
            """Which one it is."""
            begun[self.which].set()
            return self.which if begun[1 - self.which].wait(20) else None

    pair = [Pair(0), Pair(1)]
    thread = threading.Thread(target=lambda: pair[1].value, daemon=True)
    thread.start()
    assert pair[0].value == 0
    thread.join()
    assert vars(pair[1])["value"] == pair[1].value == 1
    assert Pair.value.__doc__ == "Which one it is."


def test_no_other_cached_property_is_used():
    loaded = [module for name, module in sys.modules.items() if name.startswith("exactdp.") and module is not None]
    used = {vars(module)["cached_property"] for module in loaded if "cached_property" in vars(module)}
    assert used == {cached_property}
