#!/usr/bin/env python3
"""Kills the command line at random moments of all tests and of a recording, and looks at what the next start finds.

    tests/faults/kills.py PROGRAM [COUNT] [SEED] [--signals COUNT] [--at-once COUNT] [--only NAME] [--idle]

Each time: whether the recovered run has every sample that was in the journal, how much time two entries of the journal are
apart by the clock of the samples, how long the journal had not been written when the program was killed, and whether a
thread, a temporary file, or a damaged run is left. With `--signals`, as many programs get SIGINT, SIGTERM, or SIGHUP
instead, which must save the run and leave no journal.

Prints a table and ends with status 1 if a sample that was in the journal is missing, anything is left, or entries are more
than 1.3 s apart (what helps: 2 s). Needs normal priority: at a nice value of 19 beside compilers, the thread that collects
samples waits for a CPU for seconds. The time since the last write counts only with `--idle`: on a busy PC, the program waits
for a CPU as well.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

TESTS = {
    "frame loop, RR": ["frame-loop", "--fps", "144", "--duration", "5s", "--warm-up", "0s", "--wait", "os-sleep", "--priority", "rr:10"],
    "frame loop, load": ["frame-loop", "--fps", "60", "--duration", "5s", "--warm-up", "0s", "--wait", "os-sleep"],
    "sleep accuracy": ["sleep-accuracy"],
    "spin strategies": ["spin-strategies", "--preset", "quick"],
    "scheduling gaps": ["scheduling-gaps", "--duration", "6s"],
    "real-time, DEADLINE": ["real-time", "--policy", "deadline", "--policy", "rr:10"],
    "game tick": ["game-tick", "--preset", "quick", "--warm-up", "0s"],
    "what helps": ["what-helps"],
    "recording": ["record", "--memory", "4"],
}
# How long the first sample takes, in seconds: the warm-up of a game tick has at least 20 cycles.
BEFORE = {"game tick": 10.0}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def entries_of(journal):
    """The complete entries of a journal."""
    try:
        data = journal.read_bytes()
    except OSError:
        return []
    found = []
    for line in data[: data.rfind(b"\n") + 1].splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


def samples_in(entries):
    """The number of samples and records of canaries in entries."""
    count = 0
    for entry in entries:
        if entry.get("entry") == "samples":
            count += len(entry["samples"]["done_nanos"])
        if entry.get("entry") == "recorded":
            count += sum(len(canary["at_nanos"]) for canary in entry["more"]["canaries"])
    return count


def longest_pause(entries):
    """The longest time between the ends of two entries, in seconds, by the clock of the samples of one trial."""
    ends, longest = {}, 0.0
    for entry in entries:
        if entry.get("entry") == "samples" and entry["samples"]["done_nanos"]:
            trial = entry["trial"]
            end = entry["samples"]["done_nanos"][-1] / 1e9
            longest = max(longest, end - ends.get(trial, end))
            ends[trial] = end
        if entry.get("entry") == "recorded":
            end = entry["more"]["length_nanos"] / 1e9
            longest = max(longest, end - ends.get("recording", end))
            ends["recording"] = end
    return longest


def samples_of(run):
    count = sum(len(trial["samples"]["done_nanos"]) for trial in run["trials"])
    recording = run.get("recording") or {"canaries": []}
    return count + sum(len(canary["at_nanos"]) for canary in recording["canaries"])


def once(program, name, delay, signals):
    """Ends one program; returns what was found."""
    with tempfile.TemporaryDirectory() as folder:
        runtime = pathlib.Path(folder, "runtime")
        runtime.mkdir(mode=0o700)
        runs = pathlib.Path(folder, "runs")
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime)}
        command = [program, "--data-dir", str(runs), *TESTS[name], "--quiet"]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
            # A job in the background ignores signals, and so would the program.
            preexec_fn=lambda: [signal.signal(one, signal.SIG_DFL) for one in SIGNALS],
        )
        time.sleep(delay + BEFORE.get(name, 0.0))
        journals = list(runs.glob("*.partial")) if runs.exists() else []
        before = [entries_of(journal) for journal in journals]
        has_ended = process.poll() is not None
        for number in signals:
            process.send_signal(number)
            time.sleep(0.05 if 1 < len(signals) else 0)
        killed = time.time()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return name, None, 0.0, 0, ["hung"]
        left = []
        if os.path.exists(f"/proc/{process.pid}/task"):
            left.append("threads")
        remaining = list(runs.glob("*.partial")) if runs.exists() else []
        unwritten = max((killed - file.stat().st_mtime for file in remaining), default=None)
        # A second signal ends the program at once, and the next start recovers the run.
        if signal.SIGKILL not in signals and len(signals) == 1 and remaining and not has_ended:
            left.append("a journal after a signal")
        pause = max((longest_pause(entries_of(file)) for file in remaining), default=0.0)
        in_journal = sum(samples_in(entries) for entries in before)
        listed = subprocess.run(
            [program, "--data-dir", str(runs), "runs", "list"], capture_output=True, text=True, check=False, env=environment
        )
        if listed.returncode:
            left.append(f"runs list: {listed.stderr.strip()}")
        recovered = 0
        for file in runs.iterdir() if runs.exists() else []:
            if file.name.endswith(".jitterscope.json"):
                recovered += samples_of(json.loads(file.read_text()))
            elif "index" not in file.name:
                left.append(file.name)
        if recovered < in_journal:
            left.append(f"{in_journal - recovered} samples of the journal are missing")
        return name, unwritten, pause, recovered, left


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("count", type=int, nargs="?", default=18)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--signals", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--only", default="", help="part of the name of the tests")
    parser.add_argument("--idle", action="store_true")
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    randomness = random.Random(given.seed)
    names = [name for name in TESTS if given.only in name]
    tasks = [(names[at % len(names)], randomness.uniform(0.2, 5.0), [signal.SIGKILL]) for at in range(given.count)]
    for at in range(given.signals):
        signals = [randomness.choice(SIGNALS) for _ in range(randomness.choice([1, 1, 2]))]
        tasks.append((names[at % len(names)], randomness.uniform(0.2, 5.0), signals))
    with concurrent.futures.ThreadPoolExecutor(given.at_once) as pool:
        results = list(pool.map(lambda task: (task[2], once(program, task[0], task[1], task[2])), tasks))
    print(f"seed {given.seed}")
    print(f"{'test':20} {'ended by':8} {'times':>5} {'recovered':>9} {'longest pause':>13} {'unwritten':>10}  left")
    failed = False
    for name in TESTS:
        for is_killed in (True, False):
            own = [one for signals, one in results if one[0] == name and (signals == [signal.SIGKILL]) == is_killed]
            if not own:
                continue
            # Before the first sample there is nothing to lose.
            unwritten = max((one[1] for one in own if one[1] is not None and one[3]), default=0.0)
            pause = max(one[2] for one in own)
            recovered = sum(0 < one[3] for one in own)
            left = sorted({word for one in own for word in one[4]})
            most = 2.0 if name == "what helps" else 1.3
            failed |= bool(left) or most < pause or (given.idle and most < unwritten)
            how = "SIGKILL" if is_killed else "signals"
            words = ", ".join(left) or "nothing"
            print(f"{name:20} {how:8} {len(own):5} {recovered:9} {pause:11.2f} s {unwritten:8.2f} s  {words}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
