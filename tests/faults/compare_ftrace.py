"""Compares who had the CPU with the kernel's own ftrace of the same seconds. Needs root.

Usage: compare_ftrace.py JITTERSCOPE_CLI [SECONDS]

Records sched_switch in an ftrace instance of its own while a loaded frame loop is measured, and compares,
for 20 late frames, the threads that had the measured CPU between due and woke: the same ones, in the same
order, at the same times within 20 us (the two records of a switch are written one after the other). A kernel
that writes no tracepoint while a CPU is idle lacks switches that the run has; they are counted.
Ends with 1 where a frame differs.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from faults import CLI, CPU, measure

SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
FRAMES = 20
LATE_MICROS = 833
NEAR_MICROS = 20
INSTANCE = Path("/sys/kernel/tracing/instances/jitterscope")
SWITCH = re.compile(r"\[(\d+)\]\s+\S+\s+(\d+\.\d+): sched_switch: .* next_comm=(.*) next_pid=(\d+) next_prio")


class Ftrace:
    """Records events of one CPU until it is left."""

    def __init__(self, *events):
        self.events = [INSTANCE / "events" / event / "enable" for event in events]

    def __enter__(self):
        INSTANCE.mkdir(exist_ok=True)
        (INSTANCE / "trace_clock").write_text("mono")
        (INSTANCE / "buffer_size_kb").write_text("65536")
        (INSTANCE / "tracing_cpumask").write_text(f"{1 << CPU:x}")
        for event in self.events:
            event.write_text("1")
        (INSTANCE / "trace").write_text("")
        return self

    def __exit__(self, *_):
        for event in self.events:
            event.write_text("0")
        INSTANCE.rmdir()

    def text(self):
        return (INSTANCE / "trace").read_text(errors="replace")

    def switches(self):
        """Each switch on the CPU: microseconds, thread."""
        found = []
        for line in self.text().splitlines():
            part = SWITCH.search(line)
            if part:
                found.append((float(part[2]) * 1e6, int(part[4])))
        return found


def recorded(trial):
    """Each switch that the run has: microseconds from the trial's start, thread."""
    columns = trial["trace"]["columns"]
    rows = zip(columns["at_nanos"], columns["event"], columns["cpu"], columns["thread"])
    return sorted((at / 1000, thread) for at, event, cpu, thread in rows if event == 1 and cpu == CPU)


def offset_of(own_raw, own_recorded):
    """What to add to the run's times for those of ftrace: by the measuring thread's own switches."""
    best = (0, 0.0)
    probe = own_recorded[len(own_recorded) // 2]
    for raw in own_raw:
        offset = raw - probe
        near = sum(any(abs(one + offset - other) < NEAR_MICROS for other in own_raw[:4000])
                   for one in own_recorded[:12])
        best = max(best, (near, offset))
    nearest = (min((one - own - best[1] for one in own_raw), key=abs) for own in own_recorded)
    return best[1] + statistics.median([one for one in nearest if abs(one) < NEAR_MICROS] or [0.0])


def between(switches, begin, end):
    """Who had the CPU from begin to end: the last switch before, and those within."""
    # A switch near a bound may lie at either side of it in the other record.
    begin, end = begin + NEAR_MICROS, end - NEAR_MICROS
    before = [one for one in switches if one[0] <= begin][-1:]
    return [(0.0, thread) for _, thread in before] + [
        (at - begin, thread) for at, thread in switches if begin < at <= end]


def main():
    folder = tempfile.mkdtemp(prefix="jitterscope-ftrace-")
    load = {"--load-threads": str(os.cpu_count()), "--work": "2ms"}
    with Ftrace("sched/sched_switch") as ftrace:
        run = measure(folder, SECONDS, load)
        raw = ftrace.switches()
    shown = subprocess.run([CLI, "--data-dir", folder, "runs", "show", run, "--format", "json"],
                           capture_output=True, text=True, check=True)
    trial = json.loads(shown.stdout)["trials"][-1]
    own = trial["counters"]["trace_thread"]
    saved = recorded(trial)
    offset = offset_of([at for at, thread in raw if thread == own],
                       [at for at, thread in saved if thread == own])
    samples = trial["samples"]
    late = [(due / 1000, woke / 1000) for due, woke in zip(samples["due_nanos"], samples["woke_nanos"])
            if woke - due > LATE_MICROS * 1000]
    late = sorted(late, key=lambda one: one[0] - one[1])[:FRAMES]
    same = 0
    for due, woke in late:
        ours, theirs = between(saved, due, woke), between(raw, due + offset, woke + offset)
        times, rest = [], list(ours)
        for at, thread in theirs:
            while rest and (rest[0][1] != thread or abs(rest[0][0] - at) > NEAR_MICROS):
                rest.pop(0)
            if not rest:
                break
            times.append(abs(rest.pop(0)[0] - at))
        # Only a switch out of idle can be missing there.
        is_blind = trial["counters"].get("trace_is_blind_when_idle", 0)
        idle = sum(before == 0 for (_, before), _ in zip(ours, ours[1:]))
        is_same = len(times) == len(theirs) > 0 and len(ours) - len(theirs) <= (idle if is_blind else 0)
        same += is_same
        more = len(ours) - len(theirs)
        words = (f"same{f', and {more} that ftrace lacks' if more else ''}" if is_same
                 else f"DIFFERENT: {ours} / {theirs}")
        print(f"due {due / 1e6:9.6f} s, {woke - due:9.1f} us late, {len(ours):>3} occupants, {words}, "
              f"times differ by at most {max(times, default=0):.1f} us")
    print(f"the same occupants at the same times in {same} of {len(late)} late frames")
    sys.exit(1 if not late or same < len(late) else 0)


if __name__ == "__main__":
    main()
