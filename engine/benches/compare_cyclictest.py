#!/usr/bin/env python3
"""Compares the frame loop with cyclictest: one thread, the same CPU, policy, and interval, interleaved.

    cargo build --release
    engine/benches/compare_cyclictest.py [--rounds 3] [--seconds 30] [--cpu N] [--program PATH]
                                        [--policy rr|fifo|other] [--burners 0] [--no-deep-idle]
                                        [--no-companion] [--trace auto|off]

Prints p50 and p99 of wake-up lateness of both, their ratios, and how much CPU time other programs
used. Needs cyclictest (Debian: rt-tests) and permission to use the policy.

By default, cyclictest holds /dev/cpu_dma_latency at 0, which keeps CPUs out of deep idle states for as
long as it runs. That is a setting of the machine and not of the program, so both sides get the same:
the machine's own idle states (cyclictest with --default-system), or with --no-deep-idle none of them
(cyclictest as it is, the frame loop with its option of that name).

cyclictest's main thread wakes up 100 times a second, which keeps an idle machine awake: the same bare loop
wakes 10 us earlier with such a thread. So the frame loop gets one too, unless --no-companion is given.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

PERIOD_NANOS = 16_667_000
COMPANION = "import time\nwhile True: time.sleep(0.01)"


def busy_ticks():
    """CPU ticks of all CPUs that were not idle, since the machine started."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(word) for word in stat.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4]


def nearest_rank(values, percent):
    """The smallest value with at least this share of values at or below it."""
    ordered = sorted(values)
    rank = max(1, -(-len(ordered) * percent // 100))
    return ordered[int(rank) - 1]


def run_cyclictest(options):
    """Lateness of each wake-up in ns; cyclictest counts whole microseconds, rounded down."""
    command = [
        "cyclictest", "--threads=1", f"--affinity={options.cpu}", f"--policy={options.policy}",
        f"--interval={PERIOD_NANOS // 1000}", f"--duration={options.seconds}", "--histogram=20000",
        "--quiet",
    ]
    if options.policy != "other":
        command.append("--priority=10")
    if not options.no_deep_idle:
        command.append("--default-system")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    late = []
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 2 and words[0].isdigit() and words[1].isdigit():
            # The middle of the microsecond, so that rounding down favours neither side.
            late += [int(words[0]) * 1000 + 500] * int(words[1])
    return late


def run_ours(options):
    """Lateness of each wake-up in ns."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        priority = "normal" if options.policy == "other" else f"{options.policy}:10"
        command = [
            options.program, "frame-loop", "--fps", repr(1e9 / PERIOD_NANOS),
            "--duration", f"{options.seconds}s", "--work", "0s", "--wait", "os-sleep",
            "--load-threads", "0", "--priority", priority, "--cpu", str(options.cpu),
            "--trace", options.trace, "--no-save", "--quiet", "--format", "json", "--out", out,
        ]
        if options.no_deep_idle:
            command.append("--no-deep-idle")
        companion = None if options.no_companion else subprocess.Popen([sys.executable, "-c", COMPANION])
        try:
            subprocess.run(command, check=True)
        finally:
            if companion:
                companion.kill()
                companion.wait()
        with open(out, encoding="utf-8") as file:
            trial = json.load(file)["trials"][0]
    if not trial["granted"]["as_requested"]:
        sys.exit(f"not granted here: {trial['granted']}")
    samples = trial["samples"]
    return [woke - due for woke, due in zip(samples["woke_nanos"], samples["due_nanos"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--program", default="target/release/jitterscope-cli")
    parser.add_argument("--policy", choices=["rr", "fifo", "other"], default="rr")
    parser.add_argument("--burners", type=int, default=0, help="processes that compute during the test")
    parser.add_argument("--no-deep-idle", action="store_true")
    parser.add_argument("--no-companion", action="store_true")
    parser.add_argument("--trace", choices=["auto", "off"], default="auto")
    options = parser.parse_args()
    if not shutil.which("cyclictest"):
        sys.exit("cyclictest is not installed; Debian has it in rt-tests")

    tools = {
        "cyclictest": lambda: run_cyclictest(options),
        "jitterscope": lambda: run_ours(options),
    }
    found = {name: {50: [], 99: []} for name in tools}
    load = f"{options.burners} programs computing" if options.burners else "no load"
    idle = "no deep idle" if options.no_deep_idle else "idle states as the machine has them"
    print(f"CPU {options.cpu}, {options.policy} 10, {PERIOD_NANOS / 1e6} ms, {options.seconds} s each, "
          f"{load}, {idle}")
    print(f"{'round':>5} {'tool':<12} {'count':>6} {'p50 us':>8} {'p99 us':>8} {'max us':>8} {'busy %':>7}")
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
               for _ in range(options.burners)]
    try:
        measure_in_turns(options, tools, found)
    finally:
        for burner in burners:
            burner.kill()
    for percent in (50, 99):
        ours = statistics.median(found["jitterscope"][percent])
        theirs = statistics.median(found["cyclictest"][percent])
        print(f"p{percent}: jitterscope {ours / 1e3:.1f} us, cyclictest {theirs / 1e3:.1f} us, "
              f"ratio {ours / theirs:.3f}")


def measure_in_turns(options, tools, found):
    """A line for each tool in each round, and their percentiles into `found`."""
    for round_number in range(1, options.rounds + 1):
        for name, measure in tools.items():
            before = busy_ticks()
            late = measure()
            busy = (busy_ticks() - before) / (options.seconds * os.sysconf("SC_CLK_TCK")) * 100
            p50, p99 = nearest_rank(late, 50), nearest_rank(late, 99)
            found[name][50].append(p50)
            found[name][99].append(p99)
            print(f"{round_number:>5} {name:<12} {len(late):>6} {p50 / 1e3:>8.1f} {p99 / 1e3:>8.1f} "
                  f"{max(late) / 1e3:>8.1f} {busy:>7.1f}")


if __name__ == "__main__":
    main()
