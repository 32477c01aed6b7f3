#!/usr/bin/env python3
"""Refuses each system call that the command line makes, one at a time, and looks at how each command ends.

    tests/faults/refused_calls.py PROGRAM CAPTURE [--only CALL]

PROGRAM is jitterscope-cli, CAPTURE a file to import. The calls are those that strace counts over a short frame loop, an
import, an export, a list of the runs, and a recording. Each is refused with EPERM, ENOSYS, and ENOMEM, by a seccomp filter
of the process that becomes the program. Prints per call what the commands gave: `0` success, `1` an error in words, `loader`
where the program could not be loaded or its standard library could not begin, `mute` where nothing can be written,
`recovered` where the next start recovers the run; and ends with status 1 after a panic, a signal, a hang of 30 s, or an
error without words. Needs Linux on x86-64, strace, and the headers of the kernel.
"""

import argparse
import concurrent.futures
import ctypes
import errno
import os
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile

PATIENCE = 30
ERRORS = ["EPERM", "ENOSYS", "ENOMEM"]
HEADER = pathlib.Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
# Without these, the program is not started or cannot end at all.
NOT_REFUSED = {"execve", "exit", "exit_group", "rt_sigreturn"}
# What the loader of the system and the standard library say before the program begins. The library checks its three
# streams by poll without a word, and nothing of a program runs where no memory can be mapped.
LOADER = re.compile(r"fatal runtime error: assertion failed: signal|error while loading shared libraries|cannot allocate TLS|loader cannot|cannot set %fs|Fatal glibc error")


def filter_of(number, code):
    """A program that refuses one call of x86-64 with an error, and allows all others."""
    load, equal, end = 0x20, 0x15, 0x06
    steps = [
        (load, 0, 0, 4),
        (equal, 0, 2, 0xC000003E),
        (load, 0, 0, 0),
        (equal, 1, 0, number),
        (end, 0, 0, 0x7FFF0000),
        (end, 0, 0, 0x00050000 | code),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def refuse(number, code):
    """Refuses a call from now on in this process and in those that it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    steps = filter_of(number, code)
    buffer = ctypes.create_string_buffer(steps, len(steps))
    rules = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps) // 8, ctypes.addressof(buffer)))
    libc.prctl(38, 1, 0, 0, 0)
    libc.prctl(22, 2, rules, 0, 0)


def commands(folder, capture, run):
    """The commands by name; each has its own folder for what it writes."""
    frame_loop = ["frame-loop", "--preset", "quick", "--duration", "200ms", "--warm-up", "0s"]
    return {
        "frame loop": ["--data-dir", f"{folder}/a", *frame_loop],
        "import": ["--data-dir", f"{folder}/b", "import", "--save", capture],
        "export": ["--data-dir", f"{folder}/c", "export", run, "--as", "html", "--out", f"{folder}/report.html", "--force"],
        "runs list": ["--data-dir", f"{folder}/c", "runs", "list"],
        "record": ["--data-dir", f"{folder}/d", "record", "--memory", "4", "--for", "1s"],
    }


def run_in(folder):
    """The path of the only run in a folder."""
    (run,) = pathlib.Path(folder).glob("*.jitterscope.json")
    return str(run)


def start(program, arguments, folder, before=None):
    environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
    return subprocess.run(
        [program, *arguments], capture_output=True, timeout=PATIENCE, env=environment, preexec_fn=before, check=False,
        stdin=subprocess.DEVNULL,
    )


def calls_of(program, arguments, folder):
    trace = f"{folder}/trace"
    subprocess.run(
        ["strace", "-f", "-qq", "-o", trace, program, *arguments], capture_output=True, check=False,
        env={**os.environ, "XDG_RUNTIME_DIR": folder},
    )
    lines = pathlib.Path(trace).read_text(errors="replace").splitlines()
    found = (re.match(r"\d+ +(?:<\.\.\. )?([a-z0-9_]+)", line) for line in lines)
    return {one.group(1) for one in found if one}


def outcome(program, capture, saved, name, name_of_call, number, code):
    """How a command ends without a call: a word, and a message if it is wrong. `saved` is a folder with a run."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        shutil.copytree(saved, f"{folder}/c")
        arguments = commands(folder, capture, run_in(saved))[name]
        try:
            ended = start(program, arguments, folder, lambda: refuse(number, code))
            # The library for perf events panics in a destructor where its ring cannot be unmapped, which the kernel never
            # refuses on its own. Nothing is lost: the next start recovers the run.
            if name_of_call == "munmap" and b"Failed to munmap" in ended.stderr:
                listed = start(program, ["--data-dir", f"{folder}/a", "runs", "list"], folder)
                if b"recovered an interrupted run" in listed.stderr + listed.stdout:
                    return "recovered", ""
        except subprocess.TimeoutExpired:
            return "hang", f"no end after {PATIENCE} s"
        except (subprocess.SubprocessError, OSError) as error:
            # Python itself needs the call between fork and exec.
            return "not started", "" if "preexec" in str(error) or isinstance(error, OSError) else str(error)
    words = ended.stderr.decode(errors="replace")
    last = words.strip().splitlines()[-1] if words.strip() else ""
    if name_of_call in {"poll", "mmap"} and ended.returncode < 0 and not words:
        return "loader", ""
    if name_of_call == "write" and ended.returncode == 1:
        return "mute", ""
    if LOADER.search(words) or (ended.returncode == 127 and not words):
        return "loader", ""
    if "panicked" in words or ended.returncode == 101:
        return "panic", words.strip()
    if ended.returncode < 0:
        return f"signal {-ended.returncode}", words.strip() or "no words"
    if ended.returncode not in (0, 1, 2, 3, 4):
        return str(ended.returncode), f"{last}"
    if ended.returncode and not last:
        return str(ended.returncode), "an error without words"
    return str(ended.returncode), ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("capture")
    parser.add_argument("--only")
    parser.add_argument("--at-once", type=int, default=2)
    given = parser.parse_args()
    if platform.machine() != "x86_64" or not HEADER.exists() or not shutil.which("strace"):
        sys.exit("skipped: needs x86-64, strace, and the headers of the kernel")
    program, capture = os.path.abspath(given.program), os.path.abspath(given.capture)
    numbers = dict(re.findall(r"#define __NR_(\w+) (\d+)", HEADER.read_text()))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        start(program, ["--data-dir", f"{folder}/c", "import", "--save", capture], folder)
        saved = tempfile.mkdtemp()
        shutil.copytree(f"{folder}/c", saved, dirs_exist_ok=True)
        given_commands = commands(folder, capture, run_in(saved))
        used = {name: calls_of(program, arguments, folder) for name, arguments in given_commands.items()}
    every = sorted(set().union(*used.values()) & set(numbers) - NOT_REFUSED)
    if given.only:
        every = [given.only]
    print(f"{len(every)} system calls: {' '.join(every)}", flush=True)
    tasks = [
        (call, error, name) for call in every for error in ERRORS for name in used if call in used[name] or given.only
    ]
    failed = []

    def one(task):
        call, error, name = task
        return task, outcome(program, capture, saved, name, call, int(numbers[call]), getattr(errno, error))

    gave, last = [], None
    with concurrent.futures.ThreadPoolExecutor(given.at_once) as pool:
        for (call, error, name), (word, message) in pool.map(one, tasks):
            if (call, error) != last:
                if last:
                    print(f"{last[0]:22} {last[1]:7} {', '.join(gave)}", flush=True)
                gave, last = [], (call, error)
            gave.append(f"{name} {word}")
            if message:
                failed.append(f"{call} {error}, {name}: {word}: {message}")
                print(failed[-1], flush=True)
    if last:
        print(f"{last[0]:22} {last[1]:7} {', '.join(gave)}")
    print(f"{len(tasks)} runs, {len(failed)} wrong")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
