#!/usr/bin/env python3
"""Measures whether journals that are synced make frames later, on a quiet disk and beside a storm of writes and syncs.

    tests/faults/syncs.py PROGRAM [ROUNDS [SECONDS [FOLDER]]]

Each of ROUNDS (8) rounds runs a frame loop of 240 FPS for SECONDS (12) four times, in random order: with and
without the storm, and with and without the syncs of the journal, which a preloaded library leaves out. Runs are saved
below FOLDER (a new one in the current directory), which must be on a real disk. Prints p50, p99, p99.9, and maximum
lateness of each, and for both disks the ratio with syncs to without, each the median of the rounds with its range.
Ends with status 1 where the journal was not synced every few seconds, or where syncs made p99 later by 10% or more in
all but one round. Needs a quiet machine, and a program that is not linked statically.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if 2 < len(sys.argv) else 8
SECONDS = int(sys.argv[3]) if 3 < len(sys.argv) else 12
FOLDER = pathlib.Path(sys.argv[4] if 4 < len(sys.argv) else ".")
LOOP = ["frame-loop", "--fps", "240", "--duration", f"{SECONDS}s", "--warm-up", "1s", "--wait", "os-sleep", "--work",
        "200us", "--load-threads", "0", "--quiet", "--trace", "off"]
# Counts syncs of files, and leaves them out where SYNCS is "none".
SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static atomic_int calls;
static int is_left_out(void) { const char *mode = getenv("SYNCS"); return mode && !strcmp(mode, "none"); }
int fdatasync(int file) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
    atomic_fetch_add(&calls, 1);
    return is_left_out() ? 0 : real(file);
}
__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("SYNCS_COUNT");
    FILE *to = path ? fopen(path, "w") : NULL;
    if (to) { fprintf(to, "%d\n", calls); fclose(to); }
}
"""
STORM = "while :; do dd if=/dev/zero of=storm bs=1M count=32 conv=fdatasync status=none; sync; done"


def percentile(late, share):
    return late[min(len(late) - 1, int(len(late) * share))] / 1000


def measure(folder, library, syncs, has_storm):
    """Lateness in us at four percentiles, and how often the journal was synced."""
    data, count = folder / "runs", folder / "count"
    shutil.rmtree(data, ignore_errors=True)
    storm = None
    if has_storm:
        storm = subprocess.Popen(["sh", "-c", STORM], cwd=folder, start_new_session=True)
    try:
        env = dict(os.environ, LD_PRELOAD=str(library), SYNCS=syncs, SYNCS_COUNT=str(count))
        subprocess.run([PROGRAM, "--data-dir", str(data), *LOOP], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=env)
    finally:
        if storm:
            os.killpg(storm.pid, signal.SIGKILL)
            storm.wait()
    [path] = data.glob("*.jitterscope.json")
    samples = json.loads(path.read_text())["trials"][0]["samples"]
    late = sorted(woke - due for woke, due in zip(samples["woke_nanos"], samples["due_nanos"]))
    return [percentile(late, share) for share in (0.5, 0.99, 0.999, 1.0)], int(count.read_text())


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="jitterscope-syncs-", dir=FOLDER)).resolve()
    library = folder / "syncs.so"
    (folder / "syncs.c").write_text(SOURCE)
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, folder / "syncs.c", "-ldl"], check=True)
    arms = [(storm, syncs) for storm in (False, True) for syncs in ("real", "none")]
    found = {arm: [] for arm in arms}
    random.seed(1)
    is_bad = False
    try:
        for number in range(ROUNDS):
            for storm, syncs in random.sample(arms, len(arms)):
                late, count = measure(folder, library, syncs, storm)
                found[storm, syncs].append(late)
                words = " ".join(f"{value:9.1f}" for value in late)
                print(f"round {number + 1} {'storm' if storm else 'quiet'} {syncs:4} {words} us, {count} syncs",
                      flush=True)
                is_bad |= count < (SECONDS - 2) // 5
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if is_bad:
        print("the journal was not synced every few seconds")
    for storm in (False, True):
        for at, name in enumerate(("p50", "p99", "p99.9", "max")):
            pairs = zip(found[storm, "real"], found[storm, "none"])
            ratios = [real[at] / none[at] for real, none in pairs]
            middle, low, high = statistics.median(ratios), min(ratios), max(ratios)
            print(f"{'storm' if storm else 'quiet'} {name:5} x {middle:.2f} ({low:.2f} to {high:.2f})")
            later = sum(1.1 <= ratio for ratio in ratios)
            is_bad |= name == "p99" and 1 < len(ratios) <= later + 1
    sys.exit(is_bad)


if __name__ == "__main__":
    main()
