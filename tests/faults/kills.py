#!/usr/bin/env python3
"""Kills the command line at random moments of all six tests, and looks at what the next start finds.

    tests/faults/kills.py PROGRAM [COUNT] [SEED]

Each time: what was not yet in the journal when the program was killed (in seconds), whether the next start
recovers the run, and whether a thread, a temporary file, or a damaged run is left. Prints a table and ends
with status 1 if more than a second was lost, or anything was left.
"""

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
    "game tick": ["game-tick", "--preset", "quick"],
}


def realtime_threads(pid):
    """Threads of a process that still exist, with their policy."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except FileNotFoundError:
        return 0
    return len(tasks)


def once(program, arguments, folder, delay):
    """Kills one run; returns seconds not in the journal (None without a journal), samples, and what is left."""
    command = [program, "--data-dir", folder, *arguments, "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    killed = time.time()
    process.wait()
    left = []
    if realtime_threads(process.pid):
        left.append("threads")
    files = list(pathlib.Path(folder).iterdir())
    journals = [file for file in files if file.name.endswith(".partial")]
    lost = max((killed - file.stat().st_mtime for file in journals), default=None)
    listed = subprocess.run(
        [program, "--data-dir", folder, "runs", "list"], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        left.append(f"runs list: {listed.stderr.strip()}")
    samples = 0
    for file in pathlib.Path(folder).iterdir():
        if file.name.endswith(".jitterscope.json"):
            run = json.loads(file.read_text())
            samples += sum(len(next(iter(trial["samples"].values()), [])) for trial in run["trials"])
        elif "index" not in file.name:
            left.append(file.name)
    return lost, samples, left


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if 2 < len(sys.argv) else 14
    random.seed(int(sys.argv[3]) if 3 < len(sys.argv) else 1)
    found = {name: [] for name in TESTS}
    for at in range(count):
        name = list(TESTS)[at % len(TESTS)]
        with tempfile.TemporaryDirectory() as folder:
            found[name].append(once(program, TESTS[name], folder, random.uniform(0.2, 4.0)))
    print(f"{'test':22} {'kills':>5} {'in a test':>12} {'recovered':>9} {'most lost':>10}  left")
    failed = False
    for name, results in found.items():
        # Before the first sample there is nothing to lose.
        lost = [seconds for seconds, samples, _ in results if seconds is not None and samples]
        left = sorted({word for _, _, words in results for word in words})
        recovered = sum(0 < samples for _, samples, _ in results)
        most = max(lost, default=0.0)
        failed |= 1.0 < most or bool(left)
        print(f"{name:22} {len(results):5} {len(lost):12} {recovered:9} {most:8.2f} s  {', '.join(left) or 'nothing'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
