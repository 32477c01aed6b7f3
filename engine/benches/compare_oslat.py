#!/usr/bin/env python3
"""Compares scheduling gaps with oslat: the same CPU and policy (normal), interleaved.

    cargo build --release
    engine/benches/compare_oslat.py [--rounds 3] [--seconds 20] [--cpu N] [--program PATH]

Prints the longest gap, the gaps of 10 us and more, and clock reads per second of both, the medians of the
rounds, their ratios, and how much CPU time other programs used. Needs oslat (Debian: rt-tests).
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

GAP_MICROS = 10
BUCKETS = 1024


def busy_ticks():
    """CPU ticks of all CPUs that were not idle, since the machine started."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(word) for word in stat.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4]


def run_oslat(options):
    """The biggest gap in us, gaps of 10 us and more, clock reads a second."""
    other = next((cpu for cpu in sorted(os.sched_getaffinity(0)) if cpu != options.cpu), options.cpu)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "oslat.json")
        command = ["oslat", "--duration", f"{options.seconds}s", "-c", str(options.cpu), "-C", str(other),
                   "-b", str(BUCKETS), "-q", f"--json={out}"]
        subprocess.run(command, check=True, capture_output=True)
        with open(out, encoding="utf-8") as file:
            thread = json.load(file)["thread"]["0"]
    # Bucket n holds differences of n - 1 to n us, the last one all that are longer.
    counts = {int(bucket): count for bucket, count in thread["histogram"].items()}
    long = sum(count for bucket, count in counts.items() if GAP_MICROS < bucket)
    return thread["max"], long, sum(counts.values()) / thread["duration"]


def run_ours(options):
    """The biggest gap in us, gaps of 10 us and more, clock reads a second."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        command = [options.program, "scheduling-gaps", "--cpus", "chosen", "--duration", f"{options.seconds}s",
                   "--cpu", str(options.cpu), "--no-save", "--quiet", "--format", "json", "--out", out]
        subprocess.run(command, check=True)
        with open(out, encoding="utf-8") as file:
            trial = json.load(file)["trials"][0]
    samples = trial["samples"]
    gaps = [woke - due for woke, due in zip(samples["woke_nanos"], samples["due_nanos"])]
    long = sum(GAP_MICROS * 1000 <= gap for gap in gaps)
    counters = trial["counters"]
    return max(gaps) / 1000, long, counters["clock_readings_count"] / options.seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--program", default="target/release/jitterscope-cli")
    options = parser.parse_args()
    if not shutil.which("oslat"):
        sys.exit("oslat is not installed; Debian has it in rt-tests")
    tools = {"oslat": run_oslat, "jitterscope": run_ours}
    found = {name: [] for name in tools}
    print(f"CPU {options.cpu}, normal policy, {options.seconds} s each")
    print(f"{'round':>5} {'tool':<12} {'longest us':>10} {'>= 10 us':>9} {'reads/s':>12} {'busy %':>7}")
    for round_number in range(1, options.rounds + 1):
        for name, measure in tools.items():
            before = busy_ticks()
            biggest, long, reads = measure(options)
            busy = (busy_ticks() - before) / (options.seconds * os.sysconf("SC_CLK_TCK")) * 100
            found[name].append((biggest, long, reads))
            print(f"{round_number:>5} {name:<12} {biggest:>10.1f} {long:>9} {reads:>12.0f} {busy:>7.1f}")
    for place, figure in enumerate(("biggest", "gaps of 10 us and more", "clock reads a second")):
        ours, theirs = (statistics.median(values[place] for values in found[name])
                        for name in ("jitterscope", "oslat"))
        ratio = f"{ours / theirs:.3f}" if theirs else "none"
        print(f"{figure}: jitterscope {ours:.1f}, oslat {theirs:.1f}, ratio {ratio}")


if __name__ == "__main__":
    main()
