#!/usr/bin/env python3
"""Makes a folder of runs of a fleet out of a few real ones, with known differences.

  tests/fleet/generate.py RUNS OUT [--machines 200] [--runs 10] [--seed 1]

RUNS holds three saved runs: idle.jitterscope.json and loaded.jitterscope.json of the frame loop, the latter with a
trace, and sleep.jitterscope.json of sleep accuracy. OUT gets the runs and known.json with what is different:

- 4 machines have 5 times the lateness of the others
- a driver makes frames 15% later on a third of the machines; a kernel and a game change nothing on the others
- 5 machines have another power plan, 3 another timer slack
- a program delays frames on 30 machines only
Each machine differs from the others by a few percent, and each run from the next, at random.
"""

import argparse
import copy
import datetime
import json
import random
from pathlib import Path

WORST = [7, 61, 102, 180]
OTHER_PLAN = [3, 33, 63, 93, 123]
OTHER_SLACK = [5, 50, 150]
CULPRIT = "fleet-updater"
DRIVER_CHANGE = 1.15


def scaled(run, factor):
    """Returns a copy of a run whose lateness is this many times as high."""
    run = copy.deepcopy(run)
    for trial in run["trials"]:
        samples = trial["samples"]
        for at, due in enumerate(samples["due_nanos"]):
            woke, done = samples["woke_nanos"][at], samples["done_nanos"][at]
            moved = due + round((woke - due) * factor)
            samples["woke_nanos"][at] = moved
            samples["done_nanos"][at] = moved + done - woke
    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--machines", type=int, default=200)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    base = {name: json.loads((options.source / f"{name}.jitterscope.json").read_text())
            for name in ["idle", "loaded", "sleep"]}
    options.out.mkdir(parents=True, exist_ok=True)
    start = datetime.datetime(2026, 11, 2, 4, 0, 0)
    number = 0
    with_culprit = list(range(100, 130))
    for machine in range(options.machines):
        of_machine = draw.lognormvariate(0, 0.1) * (5 if machine in WORST else 1)
        third = machine % 3
        for count in range(options.runs):
            is_after = options.runs // 2 <= count
            name = {options.runs - 2: "sleep", options.runs - 1: "loaded"}.get(count, "idle")
            factor = of_machine * draw.lognormvariate(0, 0.06)
            if third == 1 and is_after:
                factor *= DRIVER_CHANGE
            # The loaded run has a trace, whose records belong to its samples as they are.
            run = scaled(base[name], 1 if name == "loaded" else factor)
            number += 1
            run["id"] = f"{number:08x}"
            began = start + datetime.timedelta(days=count, seconds=machine * 30)
            run["started_at"] = began.isoformat() + "Z"
            run["host"] = f"lab-{machine:03}.example"
            run["tags"] = [f"driver:{'581.2' if third == 1 and is_after else '581.1'}",
                           f"game:{'1.4' if third == 2 and is_after else '1.3'}"]
            run["machine"]["kernel"] = "6.18.1" if third == 0 and is_after else "6.18.0"
            plan = "powersave" if machine in OTHER_PLAN else "performance"
            run["machine"]["governor_or_plan"] = plan
            for trial in run["trials"]:
                slack = 1 if machine in OTHER_SLACK else 50_000
                if trial["granted"]:
                    trial["granted"]["timer_slack_nanos"] = slack
                if name == "loaded" and machine in with_culprit and trial["trace"]:
                    names = trial["trace"]["names"]
                    # The first program that is not part of Jitterscope or the kernel.
                    own = ("jitterscope", "interrupt", "IRQ", "[")
                    program = next(at for at, it in enumerate(names)
                                   if not it.isupper() and all(word not in it for word in own))
                    names[program] = CULPRIT
            file = f"{began:%Y-%m-%d}-{run['plan']['test']}-{run['id']}.jitterscope.json"
            (options.out / file).write_text(json.dumps(run, separators=(",", ":")))
    known = {
        "worst": [f"lab-{machine:03}" for machine in WORST],
        "power plan": [f"lab-{machine:03}" for machine in OTHER_PLAN],
        "timer slack": [f"lab-{machine:03}" for machine in OTHER_SLACK],
        "driver change": DRIVER_CHANGE,
        "culprit": CULPRIT,
        "culprit machines": len(with_culprit),
        "runs": number,
    }
    (options.out.parent / "known.json").write_text(json.dumps(known, indent=1))
    print(f"{number} runs of {options.machines} machines in {options.out}")


if __name__ == "__main__":
    main()
