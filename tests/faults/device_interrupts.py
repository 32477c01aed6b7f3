"""Delays frames by a disk's interrupts and compares what the program says with the kernel's ftrace. Needs root.

Usage: device_interrupts.py JITTERSCOPE_CLI [SECONDS]

Three processes on another CPU read a file past the cache, so that the disk interrupts the CPU of a 1 000 FPS loop
whose frames are accounted for above 50 us. An ftrace instance of its own records the disk's handlers. Where one of them ran
between due and woke, the account must name the device, for as long as ftrace says within 5 us or a fifth; where none did, it
must not. One that ran while the loop still slept, as its timer had not fired, delayed nothing. With JITTERSCOPE_WRAP, such as `setpriv --reuid 65534 --regid 65534 --clear-groups`, interrupts may be unseen: then
no frame may have a cause that hides them. Prints a confusion matrix; ends with 1 where more than 5% of the frames
differ, and with 77 where no disk interrupts the measured CPU.
"""
import json
import mmap
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from faults import CLI, CPU, OTHER_CPU, WRAP, accounts, fork, measure, now
from compare_ftrace import Ftrace, offset_of, recorded

SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
LATE_MICROS = 50
NEAR_MICROS = 5
FRAMES = 200
HANDLER = re.compile(r"\s(\d+\.\d+): irq_handler_(entry|exit): irq=(\d+)")
# Causes under which an interrupt may be hidden, where interrupts are not recorded: each names no one.
NAMELESS = {"Not observable here", "No event recorded", "Interrupt or softirq"}


def read_past_the_cache(path, until):
    os.sched_setaffinity(0, {OTHER_CPU})
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    pages = os.fstat(file).st_size // 4096
    page = mmap.mmap(-1, 4096)
    at = 0
    while now() < until:
        os.preadv(file, [page], at * 7919 % pages * 4096)
        at += 1


def interrupts():
    """How often each interrupt of a device came on the measured CPU, by its number."""
    lines = Path("/proc/interrupts").read_text().splitlines()
    column = lines[0].split().index(f"CPU{CPU}") + 1
    rows = (line.split() for line in lines[1:])
    return {int(row[0][:-1]): int(row[column]) for row in rows if row[0][:-1].isdigit()}


def handlers(text, irq):
    """When each handler of an interrupt ran: its begin and end in microseconds."""
    found, begin = [], None
    for at, edge, number in HANDLER.findall(text):
        if int(number) != irq:
            continue
        if edge == "entry":
            begin = float(at) * 1e6
        elif begin is not None:
            found.append((begin, float(at) * 1e6))
            begin = None
    return found


def main():
    if OTHER_CPU is None:
        sys.exit(77)
    folder = tempfile.mkdtemp(prefix="jitterscope-interrupts-")
    os.chmod(folder, 0o777)
    file = Path(os.environ.get("JITTERSCOPE_DISK", ".")) / ".jitterscope-interrupts"
    file.write_bytes(os.urandom(1 << 20) * 64)
    os.sync()
    options = {"--fps": "1000", "--wait": "hybrid:100us"}
    if not WRAP:
        options["--priority"] = "fifo:10"
    before = interrupts()
    try:
        with Ftrace("sched/sched_switch", "irq/irq_handler_entry", "irq/irq_handler_exit") as ftrace:
            run = measure(folder, SECONDS, options, during=lambda _: [
                fork(read_past_the_cache, file, now() + SECONDS + 2) for _ in range(3)])
            raw, text = ftrace.switches(), ftrace.text()
    finally:
        file.unlink()
    irq, count = max(((irq, count - before.get(irq, 0)) for irq, count in interrupts().items()), key=lambda one: one[1])
    if count < 100 * SECONDS:
        sys.exit(77)
    shown = subprocess.run([CLI, "--data-dir", folder, "runs", "show", run, "--format", "json"],
                           capture_output=True, text=True, check=True)
    trial = json.loads(shown.stdout)["trials"][-1]
    own = trial["counters"]["trace_thread"]
    saved = recorded(trial)
    offset = offset_of([at for at, thread in raw if thread == own], [at for at, thread in saved if thread == own])
    samples = trial["samples"]
    late = [(due / 1000 + offset, woke / 1000 + offset)
            for due, woke in zip(samples["due_nanos"], samples["woke_nanos"]) if woke - due > LATE_MICROS * 1000]
    frames = list(zip(late, accounts(folder, run, LATE_MICROS)))
    ran = handlers(text, irq)
    matrix, differs, longest = Counter(), 0, 0.0
    for (due, woke), (_, source, segments) in frames[1:FRAMES + 1]:
        truth = sum(max(0.0, min(end, woke) - max(begin, due)) for begin, end in ran)
        named = sum(length for length, who in segments if who.endswith(f"IRQ {irq}"))
        longest = max(longest, truth)
        # Records of the same edge are written one after the other: a handler of less may lie at either side of a bound.
        is_sure = truth > 1.0
        if "Kernel trace" in source and "lost" not in source:
            slept = any(who == "OS timer fired late" for _, who in segments)
            is_hidden = slept and not named and truth <= 2 * NEAR_MICROS
            # Some kernels write nothing into a program's ring while the CPU is idle: that part is not observable.
            is_unseen = sum(length for length, who in segments if who == "Not observable here") >= truth - named > 0
            is_near = abs(named - truth) <= max(NEAR_MICROS, truth / 5)
            is_right = is_hidden or is_unseen or is_near and (named > 0 or not is_sure)
            said = ("the device" if named else "still asleep" if is_sure and is_hidden
                    else "not observable" if is_unseen else "another cause")
        else:
            is_right = not named and (not is_sure or any(who in NAMELESS for _, who in segments) or not segments)
            said = "not observable" if is_right else "another cause"
        matrix["interrupted" if is_sure else "not interrupted", said] += 1
        differs += not is_right
        if not is_right:
            print(f"DIFFERS: handlers ran {truth:.1f} us, named {named:.1f} us ({source}): {segments}")
    print(f"IRQ {irq}: {count} interrupts on CPU {CPU} in {SECONDS} s, at most {longest:.1f} us of handlers in a frame")
    for (truth, said), frames in sorted(matrix.items()):
        print(f"{truth:<16} {said:<16} {frames}")
    sys.exit(1 if sum(matrix.values()) < 20 * differs or not any(truth == "interrupted" for truth, _ in matrix) else 0)


if __name__ == "__main__":
    main()
