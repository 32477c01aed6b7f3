#!/usr/bin/env python3
"""Compares the frame loop with cyclictest: one thread each, the same policy and interval.

    cargo build --release
    engine/benches/compare_cyclictest.py [--rounds 5] [--seconds 12] [--cpus N,M] [--program PATH]
                                        [--policy rr|fifo|other] [--burners 0] [--no-deep-idle]
                                        [--in-turns] [--trace auto|off]

Prints p50 and p99 of wake-up lateness of both, the median of the ratios of the pairs, and how much CPU
time all programs used. Needs cyclictest (Debian: rt-tests) and permission to use the policy.

How fast an idle virtual machine wakes up drifts by a third within seconds, so that runs in turns differ by
more than the programs do. So both run at the same time, on one CPU each, and then with the CPUs exchanged:
that is a pair, and its ratio is the geometric mean of both halves.

cyclictest's main thread keeps its CPU awake, as it wakes up 100 times a second: the same bare loop wakes
10 us earlier with such a thread. So that thread is held on the CPU of the measuring one, and the frame
loop's CPU gets it too, from a cyclictest that measures nothing meanwhile.

With --in-turns one runs after the other, on the last CPU.

By default, cyclictest holds /dev/cpu_dma_latency at 0, which keeps CPUs out of deep idle states for as
long as it runs. That is a setting of the machine and not of the program, so both sides get the same:
the machine's own idle states (cyclictest with --default-system), or with --no-deep-idle none of them
(cyclictest as it is, the frame loop with its option of that name).
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

PERIOD_NANOS = 16_667_000
# Its measuring thread wakes up once in a thousand seconds.
COMPANION = [
    "cyclictest", "--threads=1", "--policy=other", "--interval=1000000000", "--default-system", "--quiet",
]


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


def run_cyclictest(options, cpu):
    """Lateness of each wake-up in ns; cyclictest counts whole microseconds, rounded down."""
    command = [
        "taskset", "--cpu-list", str(cpu), "cyclictest", "--threads=1", f"--affinity={cpu}", f"--policy={options.policy}",
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


def run_ours(options, cpu):
    """Lateness of each wake-up in ns."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        priority = "normal" if options.policy == "other" else f"{options.policy}:10"
        command = [
            options.program, "frame-loop", "--fps", repr(1e9 / PERIOD_NANOS),
            "--duration", f"{options.seconds}s", "--work", "0s", "--wait", "os-sleep",
            "--load-threads", "0", "--priority", priority, "--cpu", str(cpu),
            "--trace", options.trace, "--no-save", "--quiet", "--format", "json", "--out", out,
        ]
        if options.no_deep_idle:
            command.append("--no-deep-idle")
        companion = subprocess.Popen(["taskset", "--cpu-list", str(cpu), *COMPANION],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            subprocess.run(command, check=True)
        finally:
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
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=12)
    parser.add_argument("--cpus", default=",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[-2:]))
    parser.add_argument("--program", default="target/release/jitterscope-cli")
    parser.add_argument("--policy", choices=["rr", "fifo", "other"], default="rr")
    parser.add_argument("--burners", type=int, default=0, help="processes that compute during the test")
    parser.add_argument("--no-deep-idle", action="store_true")
    parser.add_argument("--in-turns", action="store_true", help="one after the other, for a single CPU")
    parser.add_argument("--trace", choices=["auto", "off"], default="auto")
    options = parser.parse_args()
    if not shutil.which("cyclictest"):
        sys.exit("cyclictest is not installed; Debian has it in rt-tests")
    cpus = [int(cpu) for cpu in options.cpus.split(",")]
    if not options.in_turns and len(cpus) != 2:
        sys.exit("--cpus takes two CPUs; with a single one, use --in-turns")

    load = f"{options.burners} programs computing" if options.burners else "no load"
    idle = "no deep idle" if options.no_deep_idle else "idle states as the machine has them"
    print(f"{options.policy} 10, {PERIOD_NANOS / 1e6} ms, {options.seconds} s each, trace {options.trace}, "
          f"{load}, {idle}")
    print(f"{'pair':>4} {'CPU':>3} {'tool':<12} {'count':>6} {'p50 us':>8} {'p99 us':>8} {'max us':>8} "
          f"{'busy %':>7}")
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
               for _ in range(options.burners)]
    try:
        found = [pair(number, options, cpus) for number in range(1, options.rounds + 1)]
    finally:
        for burner in burners:
            burner.kill()
    for percent in (50, 99):
        ours = statistics.median(half["jitterscope"][percent] for halves in found for half in halves)
        theirs = statistics.median(half["cyclictest"][percent] for halves in found for half in halves)
        ratios = [statistics.geometric_mean(half["jitterscope"][percent] / half["cyclictest"][percent]
                                            for half in halves) for halves in found]
        print(f"p{percent}: jitterscope {ours / 1e3:.1f} us, cyclictest {theirs / 1e3:.1f} us, ratios "
              f"{' '.join(f'{ratio:.3f}' for ratio in ratios)}, median {statistics.median(ratios):.3f}")


def pair(number, options, cpus):
    """Both tools: at the same time and then with their CPUs exchanged, or one after the other."""
    if not options.in_turns:
        return [half(number, options, (("jitterscope", first), ("cyclictest", second)))
                for first, second in (cpus, cpus[::-1])]
    turn = ["jitterscope", "cyclictest"][::1 if number % 2 else -1]
    return [{name: percentiles for name in turn
             for percentiles in half(number, options, ((name, cpus[-1]),)).values()}]


def half(number, options, placed):
    """Runs the tools on their CPUs at the same time; their percentiles by name."""
    run = {"jitterscope": run_ours, "cyclictest": run_cyclictest}
    before = busy_ticks()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        running = [(name, cpu, pool.submit(run[name], options, cpu)) for name, cpu in placed]
        done = [(name, cpu, task.result()) for name, cpu, task in running]
    busy = (busy_ticks() - before) / (options.seconds * os.sysconf("SC_CLK_TCK")) * 100
    found = {}
    for name, cpu, late in done:
        found[name] = {percent: nearest_rank(late, percent) for percent in (50, 99)}
        print(f"{number:>4} {cpu:>3} {name:<12} {len(late):>6} {found[name][50] / 1e3:>8.1f} "
              f"{found[name][99] / 1e3:>8.1f} {max(late) / 1e3:>8.1f} {busy:>7.1f}", flush=True)
    return found


if __name__ == "__main__":
    main()
