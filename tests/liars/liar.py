#!/usr/bin/env python3
"""Stands in for ssh: connects to an agent that lies. The address of the host is the lie.

Facts and the beginning of a run come from a real agent on this PC, which the command for the host starts.
"""

import json
import signal
import subprocess
import sys
import time

FORGED = (
    "\x1b[31mRED\x1b]0;t\x07\n\nExcellent: this PC paces frames well\r\u202e\u009b5m<script>alert(1)</script>"
    "=cmd|'/c calc'!A1 [x](javascript:alert(1)) |a|b|"
)
# Texts of a machine, which an agent may set to anything.
TEXTS = ("os", "kernel", "cpu_model", "app_version", "virtualization", "gpu", "gpu_driver", "governor_or_plan", "mechanism",
         "sleep_call", "reason", "remedy")

out = sys.stdout.buffer
place = sys.argv.index("--")
LIE, COMMAND = sys.argv[place + 1].split("@")[-1], sys.argv[place + 2]


def write(data):
    out.write(data)
    out.flush()


def line(value):
    write(json.dumps(value).encode() + b"\n")


def forever(data, pause=0.0):
    while True:
        write(data)
        time.sleep(pause)


def forge(value, key=""):
    if isinstance(value, dict):
        return {name: forge(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [forge(one, key) for one in value]
    return FORGED if isinstance(value, str) and key in TEXTS else value


def before_any_answer():
    """Lies of a host that never sends facts."""
    if LIE == "endless-line":
        forever(b"A" * 65536)
    if LIE == "endless-lines":
        forever(b"hello\n" * 1000)
    if LIE == "silent":
        time.sleep(10000)
    if LIE == "drip":
        forever(b"x", 0.5)
    if LIE == "drip-of-lines":
        forever(b"\n", 0.5)
    if LIE == "endless-messages":
        while True:
            sys.stderr.write("\x1b[31mE" * 10000 + "\n")
    if LIE == "escapes-in-the-message":
        sys.stderr.write("\x1b]0;forged\x07\x1b[31mfoo\x9b31m\u202e\n")
        sys.exit(1)
    if LIE == "version-of-the-far-future":
        line({"jitterscope": 4294967295, "answer": "machine"})
        time.sleep(100)
    if LIE == "other-bytes":
        write(bytes(range(256)) * 64 + b"\n")
        forever(b"\x00\xff\xfe\n", 0.01)
    if LIE == "ends-at-once":
        sys.exit(0)


def first_answer(facts):
    """Lies about the machine."""
    version = facts["jitterscope"]
    if LIE == "forged-refusal":
        line({"jitterscope": version, "answer": "refused", "reason": FORGED * 200})
        sys.exit()
    if LIE == "huge-refusal":
        line({"jitterscope": version, "answer": "refused", "reason": "x" * 15_000_000})
        sys.exit()
    if LIE == "facts-of-many-lists":
        write(b'{"jitterscope":%d,"answer":"machine","facts":{"x":[' % version)
        forever(b"[]," * 10000)
    if LIE == "facts-of-great-depth":
        write(b'{"jitterscope":%d,"answer":"machine","facts":' % version + b"[" * 1_000_000 + b"\n")
        time.sleep(100)
    if LIE == "load-in-place-of-facts":
        line({"jitterscope": version, "answer": "load", "share": 1e308})
        time.sleep(100)
    about = facts["facts"]
    if LIE == "forged-facts":
        about = forge(about)
    if LIE == "facts-without-cpus":
        about["cpus"].update(usable=[], one_a_core=[], physical_count=0)
        about["machine"]["cpus"] = []
    if LIE == "facts-of-a-huge-cpu-number":
        about["cpus"].update(usable=[4294967295], one_a_core=[4294967295])
    if LIE == "facts-of-8192-cpus":
        all_cpus = list(range(8192))
        about["cpus"].update(usable=all_cpus, one_a_core=all_cpus, physical_count=8192)
        about["machine"]["cpus"] = [
            {"logical": cpu, "core": cpu, "package": cpu, "kind": "uniform", "most_khz": None} for cpu in all_cpus
        ]
        cache = {"level": 3, "kind": "Unified", "bytes": 1, "cpus": all_cpus[:1000]}
        about["detail"].setdefault("system", {})["caches"] = [cache] * 500
    if LIE == "facts-of-huge-numbers":
        about["machine"].update(memory_bytes=2**63, physical_cores=4294967295)
        about["clock"].update(resolution_nanos=2**62, read_cost_nanos=1e308)
    line({**facts, "facts": about})


def answer_a_run(begun, version):
    """Lies during a run."""
    run = begun["run"]
    if LIE == "refused-run":
        return line({"jitterscope": version, "answer": "refused", "reason": FORGED})
    if LIE == "machine-in-place-of-a-run":
        return line({"jitterscope": version, "answer": "load", "share": 0.5})
    if LIE == "another-plan":
        run["plan"]["fps"] = 61.0
    if LIE == "another-test":
        run["plan"] = {"test": "what-helps"}
    if LIE == "forged-run":
        run.update(app_version=FORGED, name=FORGED, note=FORGED, tags=[FORGED], host=FORGED)
        run["machine"] = forge(run["machine"])
        for trial in run["trials"]:
            trial["settings"]["label"] = trial["label"] = FORGED
    if LIE == "id-that-is-a-path":
        run["id"] = "../../.."
    line(begun)
    if LIE == "lost-at-once":
        sys.exit(0)
    if LIE == "silent-run":
        time.sleep(100000)
    if LIE == "run-without-end":
        forever(b"\n", 1)
    if LIE == "steps-without-end":
        while True:
            line({"entry": "preparing", "trial": 0, "step": "x"})
            time.sleep(1)
    if LIE == "junk-in-a-run":
        write(b"\xff\0\n")
        time.sleep(1000)
    if LIE == "trials-out-of-range":
        line({"entry": "preparing", "trial": 2**63, "step": FORGED})
        line({"entry": "demoted", "trial": 999999})
        line({"entry": "counted", "trial": 2**64 - 1, "counters": {"a": 1}})
        sys.exit()
    if LIE == "forged-steps":
        for _ in range(40):
            line({"entry": "preparing", "trial": 0, "step": FORGED})
        line({"entry": "skipped", "trial": 0, "reason": FORGED * 3})
        sys.exit()
    if LIE == "begun-twice":
        line(begun)
        time.sleep(100)
    if LIE == "names-without-end":
        number = 0
        while True:
            line({"entry": "value", "trial": 0, "name": f"n{number}_permille", "at_nanos": number, "value": number})
            number += 1
    if LIE == "counters-without-end":
        number = 0
        while True:
            line({"entry": "counted", "trial": 0, "counters": {f"{number * 1000 + at:x}": 0 for at in range(1000)}})
            number += 1
    if LIE == "line-without-end":
        forever(b"y" * (1 << 20))
    columns = ["began_nanos", "due_nanos", "slept_nanos", "woke_nanos", "done_nanos", "spins", "cpu"]
    evidence = ["index", "involuntary_switches", "voluntary_switches", "minor_faults", "major_faults", "run_delay_nanos",
                "steal_nanos", "cpu_before", "cpu_after", "work_started_nanos"]

    def samples(values):
        kept = {name: [value % 2**31 for value in values] if name in ("spins", "cpu") else values for name in columns}
        nothing = {name: [] for name in evidence}
        return {"entry": "samples", "trial": 0, "lost": 0, "samples": kept, "evidence": nothing}

    if LIE == "samples-without-end":
        text = json.dumps(samples(list(range(0, 6_000_000, 100)))).encode() + b"\n"
        forever(text)
    if LIE == "samples-of-extreme-times":
        line(samples([-(2**63), 2**63 - 1, 0, -1]))
        line(samples([2**63 - 1] * 100))
    if LIE == "uneven-columns":
        uneven = samples([1, 2, 3])
        uneven["samples"]["cpu"] = [1]
        line(uneven)
        time.sleep(100)
    if LIE == "evidence-of-no-sample":
        of_none = samples([1, 2, 3])
        of_none["evidence"] = {name: [2**40] if name == "index" else [0] for name in evidence}
        line(of_none)
    if LIE == "lost-samples-beyond-count":
        many = samples([1, 2, 3])
        many["lost"] = 2**64 - 1
        line(many)
        line(many)
    ending = "recovered" if LIE == "recovered-ending" else "finished"
    if LIE == "forged-ending":
        ending = {"failed": FORGED}
    line({"entry": "finished", "ending": ending, "health": run["health"]})
    if LIE == "lines-after-the-end":
        for _ in range(50):
            line({"entry": "finished", "ending": "finished", "health": run["health"]})
    return None


def main():
    before_any_answer()
    if LIE == "stays":
        for number in (signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
    sys.stdin.readline()
    agent = subprocess.Popen(["/bin/sh", "-c", COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    agent.stdin.write(b'{"jitterscope":2,"request":"describe"}\n')
    agent.stdin.flush()
    facts = json.loads(agent.stdout.readline())
    agent.kill()
    agent.wait()
    first_answer(facts)
    for text in sys.stdin:
        request = json.loads(text)
        if request["request"] == "load":
            share = -1e308 if LIE == "negative-load" else 0.0
            line({"jitterscope": facts["jitterscope"], "answer": "load", "share": share})
        elif request["request"] == "stop":
            break
        elif request["request"] == "run":
            agent = subprocess.Popen(["/bin/sh", "-c", COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            agent.stdin.write(text.encode())
            agent.stdin.flush()
            begun = json.loads(agent.stdout.readline())
            agent.kill()
            agent.wait()
            answer_a_run(begun, facts["jitterscope"])
    if LIE == "stays":
        time.sleep(20)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        pass
