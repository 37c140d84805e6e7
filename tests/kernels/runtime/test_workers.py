from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import tachograph as tg
from tachograph.kernels.runtime import workers as hands
from tachograph.kernels.runtime.launch import kernel, run, run_calls
from tachograph.kernels.runtime.team import finish, run_team
from tachograph.util.errors import TooLargeError


def who(stop):
    return threading.current_thread().name


def test_the_same_threads_do_one_run_after_the_other():
    run(who, [()] * 3)
    count = threading.active_count()
    names = [run(who, [()] * 3) for _ in range(20)]
    assert all({*found} == {*names[0]} for found in names)
    assert len({*names[0]}) == 3
    assert threading.active_count() == count


def test_runs_at_the_same_time_have_threads_of_their_own():
    """Workers of a team wait for each other: a run must never get fewer than it asked for."""
    meet = threading.Barrier(3 * 4)
    found = []

    def caller():
        found.append(run(lambda stop: meet.wait(30) is not None and who(stop), [()] * 3))

    callers = [threading.Thread(target=caller) for _ in range(4)]
    for thread in callers:
        thread.start()
    for thread in callers:
        thread.join()
    assert len({name for names in found for name in names}) == 12


def test_nobody_waits_for_a_thread_whose_work_is_finished():
    """The thread takes its next job when it has ended the last one."""
    run(who, [()] * 2)
    count = threading.active_count()
    finished, go_on = threading.Event(), threading.Event()

    def slow_to_end(me):
        if me == 1:
            finished.set()
            go_on.wait(30)
        return me

    stop = np.zeros(1, np.int64)
    todo = [(0,), (1,)]
    found = run_calls(slow_to_end, todo, stop, True, finished=lambda: finished.wait(30))
    assert found == [0, None]
    later = threading.Timer(0.05, go_on.set)
    later.start()
    assert run_calls(slow_to_end, todo, stop, True, finished=lambda: False) == [0, 1]
    later.join()
    assert threading.active_count() == count


@kernel
def sum_up(team, size, found):
    for i in range(team.me, size, team.workers):
        found[team.me] += i
    finish(team)
    return found.sum()


@pytest.mark.parametrize("brief", [True, False])
def test_the_first_of_a_team_that_finishes_sees_what_all_have_done(brief):
    run_team(sum_up, 4, 0, np.zeros(4), brief=brief)
    made = hands._made
    for size in range(300):
        assert run_team(sum_up, 4, size, np.zeros(4), brief=brief)[0] == size * (size - 1) / 2
    assert hands._made == made


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system does not tell cores")
def test_threads_follow_the_cores_of_their_caller():
    mine = os.sched_getaffinity(0)
    run(who, [()] * 2)
    try:
        os.sched_setaffinity(0, {min(mine)})
        assert run(lambda stop: os.sched_getaffinity(0), [()] * 2) == [{min(mine)}] * 2
    finally:
        os.sched_setaffinity(0, mine)
    assert run(lambda stop: os.sched_getaffinity(0), [()] * 2) == [mine] * 2


def test_a_run_for_which_there_are_no_threads_does_not_begin(monkeypatch):
    """If the second thread cannot be started, the first must not wait for it forever."""
    monkeypatch.setattr(hands, "_idle", [])
    begun, start = [], threading.Thread.start

    def once(thread):
        if begun:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", once)
    done = []
    with pytest.raises(TooLargeError, match="no more than 1 of 2 more threads"):
        run(lambda stop, i: done.append(i), [(0,), (1,)])
    assert done == []
    assert run(lambda stop, i: i, [(5,)]) == [5]  # by the one that could be started


def test_what_a_job_held_is_let_go():
    class Large:
        pass

    held = Large()
    gone = weakref.ref(held)
    run(lambda stop, large: None, [(held,)])
    del held
    end = time.monotonic() + 5
    while gone() is not None and time.monotonic() < end:
        time.sleep(0.01)
    assert gone() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_has_threads_of_its_own():
    code = (
        "import os, tachograph as tg; g = tg.kronecker(15, rng=1)\n"
        "a = tg.bfs(g, 0).levels; pid = os.fork()\n"
        "same = (tg.bfs(g, 0).levels == a).all()\n"
        "if pid == 0: os._exit(0 if same else 1)\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)


def test_many_short_runs_by_several_callers():
    g = tg.kronecker(12, rng=1, weights=True)
    wanted = tg.sssp(g, 0).distances
    wrong = []

    def caller():
        for _ in range(10):
            with tg.threads(3):
                wrong.append(not np.array_equal(tg.sssp(g, 0).distances, wanted))

    callers = [threading.Thread(target=caller) for _ in range(3)]
    for thread in callers:
        thread.start()
    for thread in callers:
        thread.join()
    assert wrong == [False] * 30


def test_waiting_can_be_interrupted_after_the_last_has_ended():
    crew = hands.Crew(3)
    hands.start([lambda: None] * 3, crew)
    assert crew.wait(30)
    crew.call_off()
    assert crew.wait(30)  # again: as if Ctrl-C had come between


def test_a_crew_that_is_called_off_does_not_wait_for_those_who_never_began():
    crew, held, done = hands.Crew(3), threading.Event(), []
    hands.start([lambda: done.append(held.wait(30))], crew)
    while not crew._busy:
        time.sleep(0.001)
    crew.call_off()
    assert not crew.wait(0.01)  # one is at work
    hands.start([lambda: done.append("too late")], crew)
    held.set()
    assert crew.wait(30)
    assert done == [True]


def test_ctrl_c_at_any_moment_of_many_short_runs():
    """Each is interrupted while it starts, waits or ends; the next one works."""
    code = (
        "import signal, numpy as np\n"
        "from tachograph.kernels.runtime.launch import over_parts\n"
        "from tachograph.kernels.pieces.components import point_to_roots\n"
        "label = np.arange(1 << 17); over_parts(point_to_roots, label.size, label)\n"
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
        "stopped = 0\n"
        "for k in range(300):\n"
        "    try:\n"
        "        signal.setitimer(signal.ITIMER_REAL, 1e-5 + k * 2e-6)\n"
        "        while True:\n"
        "            over_parts(point_to_roots, label.size, label)\n"
        "    except KeyboardInterrupt:\n"
        "        stopped += 1\n"
        "print(stopped)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "300\n"


def test_a_worker_leaves_the_core_of_another_one(monkeypatch):
    """Linux often wakes a thread where its waker runs, though other cores are idle."""
    here, moved = [0], []

    def move(cores):
        moved.append(cores)
        here[0] = here[0] if here[0] in cores else min(cores)

    monkeypatch.setattr(hands, "core_here", lambda: here[0])
    monkeypatch.setattr(hands, "_keep_on", move)
    crew, every = hands.Crew(3, helping=True), frozenset({0, 1, 2})
    crew.spread(every)
    assert moved == [{1, 2}, every]  # the system may move it later
    here[0] = 2
    crew.spread(every)
    assert len(moved) == 2  # nobody is there
    here[0] = 1
    crew.spread(frozenset({0, 1}))
    assert len(moved) == 2  # there is no other core
    assert crew.taken == every


def test_a_worker_that_left_a_core_may_use_all_of_them():
    cores, where = hands.allowed(), []
    for _ in range(20):
        crew = hands.Crew(1, helping=True)
        hands.start([lambda: where.append(hands.allowed())], crew)
        assert crew.wait(60)
    assert where == [cores] * 20


def test_hands_that_begin_late_do_what_they_were_given(monkeypatch):
    """A team is finished when all have done their part: then no hand still has its job to take."""
    begin = hands.Crew.begin
    monkeypatch.setattr(hands.Crew, "begin", lambda crew: time.sleep(0.01) or begin(crew))
    for size in range(20):
        found = np.zeros(3)
        assert run_team(sum_up, 3, size, found, brief=True)[0] == size * (size - 1) / 2
        assert found.tolist() == [sum(range(me, size, 3)) for me in range(3)]
