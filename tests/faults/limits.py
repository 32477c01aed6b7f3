#!/usr/bin/env python3
"""Runs the command line with too little of everything, and looks at how it ends and what it keeps.

    tests/faults/limits.py PROGRAM [NAME...]

As root, the program runs as nobody: with a limit on processes, open files, memory, and file sizes, on a disk
of 256 KB, without /proc, on one CPU, with a clock that goes back by an hour, with a date beyond the calendar,
and with a thread of FIFO 50 on its CPU until Ctrl+C. After each command, the limit is gone and the runs are
listed. Prints a table: command, exit status, samples saved, samples after the listing, and the message. Ends
with status 1 where a signal ended the program, it hung, it failed without a message, or a saved run changed.
"""

import ctypes
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NOBODY = 65534
HANG = 120
HANG_AFTER_STOP = 10
KB = 1024
libc = ctypes.CDLL(None, use_errno=True)

LOOP = ["frame-loop", "--fps", "1000", "--wait", "os-sleep", "--work", "0us", "--warm-up", "0s"]
# The journal of the long loop exceeds 1 MB; its run does not fit into 256 KB either.
COMMANDS = {
    "frame-loop": [*LOOP, "--duration", "2s"],
    "frame-loop, long": [*LOOP, "--duration", "20s", "--load-threads", "0"],
    "scheduling-gaps": ["scheduling-gaps", "--duration", "1s"],
    "real-time": ["real-time", "--duration", "1s", "--policy", "rr:10"],
    "game-tick": ["game-tick", "--players", "200", "--npcs", "50", "--iterations", "1", "--iteration", "300ms",
                  "--warm-up", "0s"],
    "runs list": ["runs", "list"],
    "export": ["export", "RUN", "--as", "html", "--out", "FOLDER/report.html"],
    "import": ["import", "FOLDER/frames.csv", "--save"],
}
SHORT = [name for name in COMMANDS if name != "frame-loop, long"]


def limit(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def without_proc():
    """A mount namespace with an empty folder in place of /proc."""
    libc.unshare(0x20000)
    libc.mount(b"none", b"/", None, 1 << 18 | 1 << 14, None)
    if libc.mount(b"none", b"/proc", b"tmpfs", 0, None):
        raise OSError(ctypes.get_errno(), "/proc cannot be hidden")


def on_one_cpu():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


# What is set before the program starts, and the commands that are tried.
LIMITS = {
    "as nobody": (None, list(COMMANDS)),
    "2 processes": (limit(resource.RLIMIT_NPROC, 2), SHORT),
    "8 open files": (limit(resource.RLIMIT_NOFILE, 8), SHORT),
    "100 MB of memory": (limit(resource.RLIMIT_AS, 100 * KB * KB), SHORT),
    "files of 1 MB": (limit(resource.RLIMIT_FSIZE, KB * KB), list(COMMANDS)),
    "disk of 256 KB": (None, list(COMMANDS)),
    "no /proc": (without_proc, SHORT),
    "one CPU": (on_one_cpu, SHORT),
}


def as_nobody(prepare):
    def work():
        if prepare and prepare is without_proc:
            prepare()
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        if prepare and prepare is not without_proc:
            prepare()
    return work


def hog(cpu):
    """A process that takes a CPU with FIFO 50; returns its id."""
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {cpu})
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        while True:
            pass
    return child


class Place:
    """A folder of runs with one saved run, a capture to import, and the program, for nobody."""

    def __init__(self, program, kilobytes=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jitterscope-limits-"))
        self.is_mounted = kilobytes is not None
        if self.is_mounted:
            options = f"size={kilobytes}k,mode=777"
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", self.folder], check=True)
        self.folder.chmod(0o777)
        self.program = program
        (self.folder / "frames.csv").write_text("fps,frametime\n" + "60,16.667\n" * 200)
        saved = self.run([*LOOP, "--duration", "100ms", "--load-threads", "0", "--quiet"], None, None)
        if saved.returncode:
            sys.exit(f"the first run was not saved: {saved.stderr}")
        [self.saved] = self.runs()
        self.content = self.saved.read_bytes()

    def runs(self):
        return sorted(self.folder.glob("*.jitterscope.json"))

    def samples(self):
        """Samples in all runs but the first, and files that are neither a run nor part of this place."""
        count, others = 0, []
        known = {"frames.csv", "report.html", "index.jitterscope.cache"}
        for path in self.folder.iterdir():
            if path.name.endswith(".jitterscope.json"):
                if path != self.saved:
                    run = json.loads(path.read_text())
                    trials = run.get("trials", [])
                    count += sum(len(next(iter(trial["samples"].values()), [])) for trial in trials)
                    frames = run.get("capture", {}).get("frames", [])
                    count += sum(len(one["frame_times_nanos"]) for one in frames)
            elif path.name not in known:
                others.append(path.name)
        return count, others

    def command(self, arguments):
        run = self.saved.name.split(".")[0].rsplit("-", 1)[1] if arguments[0] == "export" else ""
        words = [word.replace("RUN", run).replace("FOLDER", str(self.folder)) for word in arguments]
        return [self.program, "--data-dir", str(self.folder), *words]

    def run(self, arguments, prepare, during, fault=None):
        env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        if fault:
            env.update(LD_PRELOAD=str(pathlib.Path(self.program).with_name("late.so")), JITTERSCOPE_FAULT=fault)
        process = subprocess.Popen(
            self.command(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
            preexec_fn=as_nobody(prepare), env=env)
        try:
            if during:
                during(process)
            out, error = process.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return subprocess.CompletedProcess(arguments, "hangs", "", "")
        return subprocess.CompletedProcess(arguments, process.returncode, out, error)

    def remove(self):
        if self.is_mounted:
            subprocess.run(["umount", self.folder], check=True)
        shutil.rmtree(self.folder)


def last_words(error):
    """The lines that say what happened; paths are cut short."""
    lines = [line for line in error.strip().split("\n") if line]
    return " | ".join(lines[-2:])


class Table:
    def __init__(self):
        self.bad = 0
        print(f"{'limit':18} {'command':18} {'status':>6} {'seconds':>7} {'kept':>7} {'later':>7}  message")

    def row(self, where, name, place, ended, seconds, problems):
        before, _ = place.samples()
        if place.is_mounted:
            # Room for what waits in a journal.
            subprocess.run(["mount", "-o", "remount,size=64m", place.folder], check=True)
        listed = place.run(["runs", "list"], None, None)
        after, left = place.samples()
        if ended.returncode == "hangs" or ended.returncode < 0 or ended.returncode == 101:
            problems.append("ended badly")
        if ended.returncode not in (0, "hangs") and not ended.stderr.strip():
            problems.append("no message")
        if listed.returncode:
            problems.append(f"later: {last_words(listed.stderr)}")
        if not place.saved.exists() or place.saved.read_bytes() != place.content:
            problems.append("the saved run changed")
        problems += [f"left: {name}" for name in left]
        words = last_words(ended.stderr).replace(str(place.folder), "…")
        print(f"{where:18} {name:18} {ended.returncode!s:>6} {seconds:7.1f} {before:7} {after:7}  {words}")
        for problem in problems:
            self.bad += 1
            print(f"{'':18} PROBLEM: {problem}")
        sys.stdout.flush()


def limited(table, program, where):
    prepare, names = LIMITS[where]
    for name in names:
        place = Place(program, 256 if where == "disk of 256 KB" else None)
        began = time.monotonic()
        ended = place.run(COMMANDS[name], prepare, None)
        table.row(where, name, place, ended, time.monotonic() - began, [])
        place.remove()


def misled(table, program):
    """The clock goes back by an hour, or the date is in the year 30000."""
    source = pathlib.Path(__file__).with_name("late.c")
    library = pathlib.Path(program).with_name("late.so")
    if subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=False).returncode:
        print("skipped: no C compiler")
        return
    for where, fault in {"clock goes back": "back", "year 30000": "date"}.items():
        for name in ["frame-loop", "runs list", "import"]:
            place = Place(program)
            began = time.monotonic()
            ended = place.run(COMMANDS[name], None, None, fault)
            table.row(where, name, place, ended, time.monotonic() - began, [])
            place.remove()


def starved(table, program):
    """A hog of FIFO 50 takes the measuring thread's CPU, or the only one; Ctrl+C comes after 3 s."""
    cpus = sorted(os.sched_getaffinity(0))
    long = [*LOOP, "--duration", "60s", "--load-threads", "0"]
    cases = {
        "its thread": (None, [*long, "--cpu", str(cpus[-1])]),
        "all its CPUs": (on_one_cpu, long),
        "all, from the start": (on_one_cpu, long),
    }
    for name, (prepare, arguments) in cases.items():
        place = Place(program)
        problems, stopped, pids = [], [0.0], []
        is_late = name != "all, from the start"
        if not is_late:
            pids.append(hog(cpus[-1]))

        def during(process):
            time.sleep(1.5)
            if is_late:
                pids.append(hog(cpus[-1]))
            time.sleep(3)
            process.send_signal(signal.SIGINT)
            stopped[0] = time.monotonic()

        ended = place.run(arguments, prepare, during)
        seconds = time.monotonic() - stopped[0]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        if HANG_AFTER_STOP < seconds:
            problems.append("Ctrl+C took too long")
        table.row("FIFO 50 hog", name, place, ended, seconds, problems)
        if name == "its thread":
            [run] = [path for path in place.runs() if path != place.saved]
            shown = place.run(["runs", "show", run.name.split(".")[0]], None, None)
            cautions = [line.strip() for line in shown.stdout.split("\n") if line.strip().startswith("Starved")]
            print(f"{'':18} {' '.join(cautions) or 'PROBLEM: not shown as starved'}")
            table.bad += not cautions
        place.remove()


def main():
    if os.geteuid():
        print("skipped: only root can start the program as nobody")
        sys.exit(77)
    # Nobody may not read where it was built.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="jitterscope-program-"))
    folder.chmod(0o755)
    program = shutil.copy(sys.argv[1], folder / "jitterscope-cli")
    wanted = sys.argv[2:] or [*LIMITS, "clock", "hog"]
    table = Table()
    for where in LIMITS:
        if where in wanted:
            limited(table, str(program), where)
    if "clock" in wanted:
        misled(table, str(program))
    if "hog" in wanted:
        starved(table, str(program))
    shutil.rmtree(folder)
    print(f"{table.bad} problems")
    sys.exit(1 if table.bad else 0)


if __name__ == "__main__":
    main()
