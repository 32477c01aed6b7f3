"""Measures under load and checks that each late frame's segments add up to its lateness.

Usage: balance.py JITTERSCOPE_CLI [SECONDS]

Prints how many late frames of a loaded run (60 s) have segments that equal the lateness within 5 us, and
what the others say is missing. Ends with 1 below 99%.
"""
import os
import sys
import tempfile

from faults import CPU, accounts, measure

SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
LATE_MICROS = 833


def main():
    folder = tempfile.mkdtemp(prefix="jitterscope-balance-")
    load = {"--load-threads": str(os.cpu_count()), "--work": "2ms", "--cpu": str(CPU)}
    run = measure(folder, SECONDS, load)
    frames = accounts(folder, run, LATE_MICROS)
    off = []
    for late, source, segments in frames:
        rest = late - sum(length for length, _ in segments)
        if abs(rest) > 5:
            off.append((late, rest, source))
    balanced = len(frames) - len(off)
    print(f"segments equal the lateness within 5 us in {balanced} of {len(frames)} late frames")
    for late, rest, source in off[:20]:
        print(f"  {late:.1f} us late, {rest:.1f} us missing: {source}")
    sys.exit(1 if not frames or balanced < 0.99 * len(frames) else 0)


if __name__ == "__main__":
    main()
