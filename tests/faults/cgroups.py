#!/usr/bin/env python3
"""Runs all tests with fewer CPUs, with half a CPU, and as nobody, and looks at what they applied and graded.

    tests/faults/cgroups.py PROGRAM [CASE...]

Makes control groups of version 1, so it needs root. Version 2 is tried with files of its layout mounted in
place of the real ones, and real CPUs restricted by affinity. Prints a table: run, verdict, CPUs used, what each
configuration applied, and its warnings. Ends with status 1 where a test failed, ran on another CPU, graded a
disturbed run Fair or Poor, graded more threads than CPUs, or named the reason of a denial wrongly.
"""

import ctypes
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

NOBODY = 65534
HANG = 180
CONTROLLERS = pathlib.Path("/sys/fs/cgroup")
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 1 << 14, 1 << 18
libc = ctypes.CDLL(None, use_errno=True)
ALL = sorted(os.sched_getaffinity(0))
ONE = ALL[-1:]

# An ordinary user who may request real-time: by a capability, as a hard limit of 0 cannot be raised everywhere.
RAISING = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=+sys_nice",
           "--ambient-caps=+sys_nice"]
LOOP = ["frame-loop", "--wait", "os-sleep", "--duration", "2s", "--warm-up", "0s"]
TESTS = {
    "sleep accuracy": ["sleep-accuracy", "--sleep", "1ms", "--count", "200"],
    "spin strategies": ["spin-strategies", "--preset", "quick"],
    "scheduling gaps": ["scheduling-gaps", "--duration", "2s"],
    "frame loop": [*LOOP, "--priority", "normal", "--priority", "highest", "--priority", "fifo:10", "--cpu", "none",
                   "--cpu", "performance"],
    "real-time": ["real-time", "--duration", "2s", "--block", "1s", "--policy", "rr:10", "--policy", "deadline"],
    "game tick": ["game-tick", "--players", "300", "--npcs", "50", "--iterations", "3", "--iteration", "300ms",
                  "--warm-up", "0s"],
    "quick check": ["quick", "--scale", "0.1"],
}
BANDWIDTH, PERMISSION, ONLY_ONE = "no real-time bandwidth", "no permission to use real-time", "can use only one"


class Case:
    """What is limited, and why real-time is denied; None where it is granted."""

    def __init__(self, denial=None, cpus=ALL, quota=None, bandwidth=None, later=None, nobody=False, may_raise=False,
                 second_version=False):
        self.denial, self.cpus, self.quota, self.bandwidth, self.later = denial, cpus, quota, bandwidth, later
        self.nobody, self.may_raise, self.second_version = nobody, may_raise, second_version


CASES = {
    "nothing": Case(),
    "1 of 2 CPUs": Case(ONLY_ONE, cpus=ONE),
    "50% quota": Case(BANDWIDTH, quota=50),
    "50%, real-time 40%": Case(quota=50, bandwidth=40),
    "50% after 1 s": Case(BANDWIDTH, quota=50, later="quota"),
    "1 CPU after 1 s": Case(cpus=ONE, later="cpus"),
    "nobody": Case(PERMISSION, nobody=True),
    "nobody, may raise": Case(nobody=True, may_raise=True),
    "same, no bandwidth": Case(BANDWIDTH, quota=200, nobody=True, may_raise=True),
    "nobody, 1 CPU, 50%": Case(ONLY_ONE, cpus=ONE, quota=50, nobody=True),
    "version 2: 1 CPU, 50%": Case(ONLY_ONE, cpus=ONE, quota=50, second_version=True),
}
# These look at a change in mid-run, or at one denial.
SHORT = {"50% after 1 s": ["frame loop"], "1 CPU after 1 s": ["frame loop"], "same, no bandwidth": ["frame loop"],
         "50%, real-time 40%": ["frame loop", "real-time"]}


class Group:
    """A control group of version 1 under one controller, removed at the end."""

    def __init__(self, controller):
        self.folder = CONTROLLERS / controller / f"jitterscope-{os.getpid()}"
        self.folder.mkdir()

    def set(self, file, value):
        (self.folder / file).write_text(str(value))

    def add(self, pid):
        (self.folder / "cgroup.procs").write_text(str(pid))

    def remove(self):
        for _ in range(100):
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.05)


def groups_of(case):
    if case.second_version:
        return [], lambda: None
    found, changes = [], []
    if case.cpus != ALL:
        sets = Group("cpuset")
        sets.set("cpuset.mems", (CONTROLLERS / "cpuset/cpuset.mems").read_text().strip())
        few, every = (",".join(map(str, cpus)) for cpus in (case.cpus, ALL))
        sets.set("cpuset.cpus", every if case.later else few)
        changes.append(lambda: sets.set("cpuset.cpus", few))
        found.append(sets)
    if case.quota:
        times = Group("cpu")
        times.set("cpu.cfs_period_us", 100_000)
        limit = lambda: times.set("cpu.cfs_quota_us", case.quota * 1000)
        if not case.later:
            limit()
        if case.bandwidth and (times.folder / "cpu.rt_runtime_us").exists():
            times.set("cpu.rt_runtime_us", case.bandwidth * 10_000)
        changes.append(limit)
        found.append(times)
    return found, lambda: [change() for change in changes]


def as_version_2(case):
    """Files of version 2 in place of the control groups of this process."""
    libc.unshare(CLONE_NEWNS)
    libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    if libc.mount(b"none", str(CONTROLLERS).encode(), b"tmpfs", 0, None):
        raise OSError(ctypes.get_errno(), "control groups cannot be replaced")
    (CONTROLLERS / "cpu.max").write_text(f"{case.quota * 1000} 100000\n")
    (CONTROLLERS / "cpu.stat").write_text("usage_usec 1\nnr_throttled 0\nthrottled_usec 0\n")
    (CONTROLLERS / "cpuset.cpus.effective").write_text(",".join(map(str, case.cpus)) + "\n")
    os.sched_setaffinity(0, case.cpus)


def starter(case, groups):
    def work():
        for group in groups:
            group.add(os.getpid())
        if case.second_version:
            as_version_2(case)
        if case.nobody and not case.may_raise:
            resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    return work


def policy_words(policy):
    return policy if isinstance(policy, str) else " ".join(f"{name} {value}" for name, value in policy.items()
                                                            if not isinstance(value, dict)) or next(iter(policy))


class Check:
    def __init__(self, program):
        self.program, self.bad = program, 0

    def problem(self, words):
        self.bad += 1
        print(f"    PROBLEM: {words}")

    def once(self, name, case, test):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="jitterscope-cgroups-"))
        folder.chmod(0o777)
        groups, change = groups_of(case)
        command = [self.program, "--data-dir", str(folder)]
        process = None
        raising = RAISING if case.may_raise else []
        try:
            process = subprocess.Popen([*raising, *command, *TESTS[test], "--quiet"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, cwd="/", preexec_fn=starter(case, groups))
            if case.later:
                time.sleep(1)
                change()
            out, error = process.communicate(timeout=HANG)
        finally:
            if process and process.poll() is None:
                process.kill()
                process.wait()
            for group in groups:
                group.remove()
        print(f"{name}: {test}")
        if process.returncode:
            self.problem(f"status {process.returncode}: {error.strip()[-200:]}")
        runs = sorted(folder.glob("*.jitterscope.json"), key=lambda path: path.stat().st_mtime)
        if len(runs) != (5 if test == "quick check" else 1):
            self.problem(f"{len(runs)} runs were saved")
        if test == "quick check":
            print("    " + " ".join(out.split("\n\n")[-1].split())[:160])
            if case.quota and " likely " in out:
                self.problem("a verdict accuses the PC")
        for path in runs:
            shown = subprocess.run([*command, "runs", "show", str(path), "--format", "json"], capture_output=True,
                                   text=True, check=True)
            self.run(case, test, json.loads(shown.stdout))
        shutil.rmtree(folder)
        sys.stdout.flush()

    def run(self, case, test, run):
        report = run["report"]
        print(f"    {report['verdict']} [{report['grade'] or 'no grade'}]")
        shown = set()
        for trial in run["trials"]:
            applied = trial["granted"]
            if applied is None:
                words = f"{trial['label']}: {trial['skipped'] or 'not run'}"
            else:
                refusals = [one["reason"] for one in applied["refusals"]]
                on = sorted({cpu for cpu in trial["samples"]["cpu"] if cpu is not None})
                words = (f"{trial['label']}: {policy_words(applied['policy'])} on CPUs {applied['cpus']}"
                         f"{'' if applied['as_requested'] else ', not as requested: ' + '; '.join(refusals)}")
                self.trial(case, trial, applied, on)
            if words not in shown:
                shown.add(words)
                print(f"      {words}")
        cautions = [one for one in report["cautions"] if "CPU quota" in one or "CPUs available" in one]
        for caution in cautions:
            print(f"      warning: {caution}")
        if bool(case.quota) != any("CPU quota" in one for one in cautions) and test != "quick check":
            self.problem("the warning of a quota is missing, or there is no quota")
        if case.later == "cpus" and not any("changed" in one for one in cautions):
            self.problem("the change of the CPUs is not a warning")
        if any("throttled for" in one and "for 0 ms" not in one for one in cautions):
            if report["grade"] in ("Fair", "Poor"):
                self.problem(f"a throttled run is graded {report['grade']}")
        if test == "scheduling gaps" and len(run["trials"]) != len(case.cpus):
            self.problem(f"{len(run['trials'])} probes on {len(case.cpus)} CPUs")
        for row in report["tables"][0]["rows"]:
            threads = row["values"].get("threads_count") or 1
            if len(case.cpus) < threads and row["values"].get("grade"):
                self.problem(f"{threads} threads on {len(case.cpus)} CPUs are graded")

    def trial(self, case, trial, applied, on):
        cpus = ALL if case.later else case.cpus
        if not set(on) <= set(cpus):
            self.problem(f"{trial['label']} ran on CPUs {on}")
        if not case.later and not set(applied["cpus"]) <= set(cpus):
            self.problem(f"{trial['label']} may run on CPUs {applied['cpus']}")
        wanted = trial["settings"]["conditions"]["priority"]
        is_fixed = isinstance(wanted, dict) and ("fifo" in wanted or "round-robin" in wanted)
        if is_fixed or wanted == "highest":
            reasons = " ".join(one["reason"] for one in applied["refusals"])
            if case.denial and case.denial not in reasons:
                self.problem(f"{trial['label']} was not denied by '{case.denial}': {reasons or 'granted'}")
            if not case.denial and is_fixed and not applied["as_requested"]:
                self.problem(f"{trial['label']} was denied: {reasons}")


def main():
    if os.geteuid() or not (CONTROLLERS / "cpuset/cpuset.cpus").exists() or len(ALL) < 2:
        print("skipped: only root can limit CPUs, with control groups of version 1 and two CPUs")
        sys.exit(77)
    # Nobody may not read where it was built.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="jitterscope-program-"))
    folder.chmod(0o755)
    check = Check(str(shutil.copy(sys.argv[1], folder / "jitterscope-cli")))
    for name in sys.argv[2:] or CASES:
        for test in SHORT.get(name, TESTS):
            check.once(name, CASES[name], test)
    shutil.rmtree(folder)
    print(f"{check.bad} problems")
    sys.exit(1 if check.bad else 0)


if __name__ == "__main__":
    main()
