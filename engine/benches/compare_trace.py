#!/usr/bin/env python3
"""Compares the frame loop with and without a trace: lateness, CPU time, and memory.

    cargo build --release
    engine/benches/compare_trace.py [--rounds 5] [--seconds 30] [--fps 240] [--cpu N] [--program PATH]
    engine/benches/compare_trace.py --gaps [--rounds 5] [--seconds 30] [--program PATH]
    engine/benches/compare_trace.py --memory [--minutes 10, at most 60]

Without --memory, runs with and without a trace alternate under load, and p50 and p99 lateness of both
are printed with their ratios and with the CPU time of reading the trace. With --gaps, the same for the
scheduling gaps of all CPUs: the longest gap, how many there are, and how many in the first second, in
which the trace is opened. With --memory, one traced run is watched: its memory must stay bounded.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

LONGEST_MINUTES = 10
PRIORITIES = ["normal", "above-normal", "highest", "time-critical", "below-normal", "idle"]


def nearest_rank(values, percent):
    """The smallest value with at least this share of values at or below it."""
    ordered = sorted(values)
    rank = max(1, -(-len(ordered) * percent // 100))
    return ordered[int(rank) - 1]


def command(options, trace, seconds, out):
    return [options.program, "frame-loop", "--fps", str(options.fps), "--duration", f"{seconds}s",
            "--work", "1ms", "--wait", "os-sleep", "--load-threads", str(os.cpu_count()),
            "--cpu", str(options.cpu), "--trace", trace, "--no-save", "--quiet", "--format", "json",
            "--out", out]


def measure(options, trace):
    """Lateness of each frame in ns, and CPU time of reading the trace as a share of one CPU."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        subprocess.run(command(options, trace, options.seconds, out), check=True)
        with open(out, encoding="utf-8") as file:
            trial = json.load(file)["trials"][0]
    samples, counters = trial["samples"], trial["counters"]
    late = [woke - due for woke, due in zip(samples["woke_nanos"], samples["due_nanos"])]
    return late, counters.get("trace_read_nanos", 0) / counters["wall_nanos"], counters


def alternate(options):
    found = {"off": {50: [], 99: []}, "auto": {50: [], 99: []}}
    costs = []
    print(f"{options.rounds} rounds of {options.seconds} s at {options.fps} FPS, CPU {options.cpu}, loaded")
    print(f"{'round':>5} {'trace':<5} {'frames':>7} {'p50 us':>8} {'p99 us':>9} {'reading':>8} {'source':>6} "
          f"{'lost':>5}")
    for number in range(1, options.rounds + 1):
        # Whoever is first has the same conditions as often.
        for trace in ("off", "auto") if number % 2 else ("auto", "off"):
            late, cost, counters = measure(options, trace)
            p50, p99 = nearest_rank(late, 50), nearest_rank(late, 99)
            found[trace][50].append(p50)
            found[trace][99].append(p99)
            if trace == "auto":
                costs.append(cost)
            print(f"{number:>5} {trace:<5} {len(late):>7} {p50 / 1e3:>8.1f} {p99 / 1e3:>9.1f} {cost:>8.2%} "
                  f"{counters.get('trace_source', 0):>6} {counters.get('trace_lost_count', 0):>5}")
    for percent in (50, 99):
        ratios = [on / off for on, off in zip(found["auto"][percent], found["off"][percent])]
        print(f"p{percent}: median ratio on/off {statistics.median(ratios):.3f} "
              f"(each {', '.join(f'{ratio:.3f}' for ratio in ratios)})")
    print(f"CPU time of reading the trace: median {statistics.median(costs):.2%} of one CPU, "
          f"at most {max(costs):.2%}")


def measure_gaps(options, trace):
    """Longest gap in ns, gaps per second, gaps in the first second of all CPUs, and the CPU time of reading."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        subprocess.run([options.program, "scheduling-gaps", "--duration", f"{options.seconds}s", "--trace", trace,
                        "--no-save", "--quiet", "--format", "json", "--out", out], check=True)
        with open(out, encoding="utf-8") as file:
            trials = json.load(file)["trials"]
    longest, count, first = 0, 0, 0
    for trial in trials:
        samples = trial["samples"]
        lengths = [woke - due for woke, due in zip(samples["woke_nanos"], samples["due_nanos"])]
        longest, count = max([longest, *lengths]), count + len(lengths)
        first += sum(due < 1_000_000_000 for due in samples["due_nanos"])
    counters = trials[0]["counters"]
    cost = counters.get("trace_read_nanos", 0) / max(counters.get("wall_nanos", 0), options.seconds * 1_000_000_000)
    return longest, count / options.seconds, first, cost


def alternate_gaps(options):
    found = {"off": [], "auto": []}
    print(f"{options.rounds} rounds of {options.seconds} s, gaps of all CPUs")
    print(f"{'round':>5} {'trace':<5} {'longest us':>10} {'per second':>10} {'first second':>12} {'reading':>8}")
    for number in range(1, options.rounds + 1):
        # Whoever is first has the same conditions as often.
        for trace in ("off", "auto") if number % 2 else ("auto", "off"):
            longest, rate, first, cost = measure_gaps(options, trace)
            found[trace].append((longest, rate, first))
            print(f"{number:>5} {trace:<5} {longest / 1e3:>10.1f} {rate:>10.1f} {first:>12} {cost:>8.2%}")
    for place, name in enumerate(("longest gap", "gaps per second", "gaps in the first second")):
        pairs = zip(found["auto"], found["off"])
        ratios = [on[place] / max(off[place], 1) for on, off in pairs]
        print(f"{name}: median ratio on/off {statistics.median(ratios):.3f} "
              f"(each {', '.join(f'{ratio:.3f}' for ratio in ratios)})")


def resident_megabytes(process):
    with open(f"/proc/{process}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def watch_memory(options):
    with tempfile.TemporaryDirectory() as folder:
        seconds = options.minutes * 60
        # One configuration lasts 10 minutes at most: a longer run has several.
        each = max(1, -(-options.minutes // LONGEST_MINUTES))
        arguments = command(options, "auto", seconds // each, os.path.join(folder, "run.json"))
        arguments[arguments.index("--load-threads") + 1] = "0"
        for priority in PRIORITIES[:each]:
            arguments += ["--priority", priority]
        process = subprocess.Popen(arguments)
        began, seen = time.monotonic(), []
        while process.poll() is None:
            time.sleep(5)
            if process.poll() is None and time.monotonic() - began < seconds:
                seen.append(resident_megabytes(process.pid))
                if len(seen) % 12 == 0:
                    print(f"{len(seen) // 12:>4} min {seen[-1]:>7.1f} MB")
    print(f"memory: {seen[0]:.1f} MB at first, {max(seen):.1f} MB at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--fps", type=int, default=240)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--program", default="target/release/jitterscope-cli")
    parser.add_argument("--gaps", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--minutes", type=int, default=10)
    options = parser.parse_args()
    if not os.path.exists(options.program):
        sys.exit(f"there is no {options.program}")
    if options.memory:
        watch_memory(options)
    elif options.gaps:
        alternate_gaps(options)
    else:
        alternate(options)


if __name__ == "__main__":
    main()
