#!/usr/bin/env python3
"""Compares real runs of one setting with each other, and with runs that are late by 200 us in 5% of frames.

    tests/faults/pairs.py PROGRAM [COUNT]

Alternates COUNT (10) runs of 240 FPS over 5 s with as many in which every 20th sleep ends 200 us late. Prints
p50 and p99 of each, and the outcomes: of all pairs without the delay, with the other runs as history and
without any, and of each run with its delayed neighbor. Ends with status 1 where more than 5% of equal pairs are
called better or worse, or fewer than 9 of 10 delays are found; needs a quiet machine.
"""

import collections
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
COUNT = int(sys.argv[2]) if 2 < len(sys.argv) else 10
LOOP = ["frame-loop", "--fps", "240", "--duration", "5s", "--warm-up", "1s", "--wait", "os-sleep", "--work", "200us",
        "--load-threads", "0", "--quiet", "--trace", "off"]
CALLED = ("better", "worse", "mixed")


def command(folder, *arguments):
    return [PROGRAM, "--data-dir", str(folder), *arguments]


def measure(folder, library=None):
    before = set(folder.glob("*.jitterscope.json"))
    env = dict(os.environ)
    if library:
        env.update(LD_PRELOAD=str(library), JITTERSCOPE_FAULT="brief")
    subprocess.run(command(folder, *LOOP), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
    [path] = set(folder.glob("*.jitterscope.json")) - before
    return path


def compared(history, one, other):
    shown = subprocess.run(command(history, "compare", str(one), str(other), "--format", "json"), check=True,
                           capture_output=True, text=True)
    comparison = json.loads(shown.stdout)
    return comparison["outcomes"][1], comparison["noise_floor_repeats"]


def percentiles(path):
    samples = json.loads(path.read_text())["trials"][0]["samples"]
    late = sorted(woke - due for woke, due in zip(samples["woke_nanos"], samples["due_nanos"]))
    return [late[int(len(late) * share)] / 1000 for share in (0.5, 0.99)]


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="jitterscope-pairs-"))
    library = folder / "late.so"
    source = pathlib.Path(__file__).with_name("late.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
    plain, delayed, nothing = (folder / name for name in ("plain", "delayed", "nothing"))
    for one in (plain, delayed, nothing):
        one.mkdir()
    runs, late = [], []
    for _ in range(COUNT):
        runs.append(measure(plain))
        late.append(measure(delayed, library))
        for name, path in (("plain", runs[-1]), ("delayed", late[-1])):
            p50, p99 = percentiles(path)
            print(f"{name:8} p50 {p50:8.1f} us, p99 {p99:8.1f} us")
            sys.stdout.flush()
    bad = False
    for name, history in (("history", plain), ("no history", nothing)):
        pairs = [compared(history, one, other) for one, other in itertools.combinations(runs, 2)]
        counts = collections.Counter(outcome for outcome, _ in pairs)
        print(f"equal pairs, {name} of {pairs[0][1]} runs: {dict(counts)}")
        bad |= 0.05 * len(pairs) < sum(counts[word] for word in CALLED)
        bad |= 0.05 * len(pairs) < counts["differs"]
        found = collections.Counter(compared(history, one, other)[0] for one, other in zip(runs, late))
        print(f"200 us on 5% of the frames, {name}: {dict(found)}")
        bad |= found["worse"] + found["differs"] < 0.9 * COUNT
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
