#!/usr/bin/env python3
"""Imports large files of every kind, writes every export of them, recovers a large journal, and lists 10 000 runs.

    tests/faults/sizes.py PROGRAM [MEGABYTES [PART...]]

Prints the peak memory of each import beside its limit (4 times the file and 100 MB, at most 2 GB), the size of
the saved run beside its source, and how long the list takes: without its index, with the index after all caches
of the system were dropped (as root), and again. Ends with status 1 where a limit is exceeded.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

MB = 1 << 20
RUNS = 10_000
FRAMES = [f"{16 + at * 7919 % 997 / 1000:.4f}" for at in range(10_000)]


def capframex():
    # As CapFrameX writes: every column of a recording is a list.
    times = ",".join(FRAMES)
    flags = ",".join(["false"] * len(FRAMES))
    columns = f'"TimeInSeconds":[{times}],"MsBetweenPresents":[{times}],"MsUntilDisplayed":[{times}],"Dropped":[{flags}]'
    return '{"Info":{"GameName":"game"},"Runs":[', f'{{"CaptureData":{{{columns}}}}},', '{}]}'


def presentmon():
    row = "game.exe,1564,0x0000025F,DXGI,0,0,1,Hardware: Independent Flip,0,{0:.6f},{1},16.7,0.2,1.1,2.2\n"
    rows = "".join(row.format(at / 60, time) for at, time in enumerate(FRAMES))
    return ("Application,ProcessID,SwapChainAddress,Runtime,SyncInterval,PresentFlags,AllowsTearing,PresentMode,Dropped,"
            "TimeAt,MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsUntilRenderComplete,MsUntilDisplayed\n",
            rows, "")


def histogram(head, row):
    """Rows of many columns: one count in each."""
    numbers = [0]

    def rows():
        text = "".join(row.format(numbers[0] + at) for at in range(10_000))
        numbers[0] += 10_000
        return text
    return head, rows, ""


KINDS = {
    "CapFrameX JSON": ("json", capframex()),
    "PresentMon CSV": ("csv", presentmon()),
    "MangoHud log": ("csv", ("fps,frametime,elapsed\n", "".join(f"60,{time},\n" for time in FRAMES), "")),
    "narrow CSV": ("csv", ("fps,frametime\n", "60,9\n" * 10_000, "")),
    "unknown CSV": ("csv", ("frame,cost us\n", "".join(f"1,{time}\n" for time in FRAMES), "")),
    "Afterburner log": ("hml", ("00, 21-11-2026 20:00:00, Hardware monitoring log v1.6\n02, 21-11-2026 20:00:00, Frametime\n",
                                "".join(f"80, 21-11-2026 20:00:00, {time}\n" for time in FRAMES), "")),
    "cyclictest text": ("hist", histogram("# Histogram\n", "{0:06} " + "\t".join(["000001"] * 32) + "\n")),
    "HdrHistogram": ("hgrm", histogram("       Value     Percentile TotalCount 1/(1-Percentile)\n\n",
                                       "{0:12}.000 0.500000000000 {0:10} 2.00\n")),
    "JSON of nothing": ("json", ('{"Runs":[', '{"CaptureData":{"MsBetweenPresents":[]}},', '{}]}')),
    "brackets": ("json", ('{"Runs":', "[" * 10_000, "")),
}


# Rows of the longest files: just below what is read.
ROWS = 19_000_000
# Shapes that take the most memory per byte: kind of export after file, with the options that read it.
SHAPES = {
    "one column": ("csv", ("ms\n", "8\n9\n" * 5_000, ""), ROWS, ["--column", "1"]),
    "MangoHud rows": ("csv", ("fps,frametime\n", "60,8\n60,9\n" * 5_000, ""), ROWS, []),
    "5000 columns": ("txt", ("# RTLA timerlat histogram\n# Time unit is microseconds (us)\nIndex "
                             + " ".join(f"IRQ-{cpu:03}" for cpu in range(5_000)) + "\n",
                             "".join(f"{value} " + " ".join(["1"] * 5_000) + "\n" for value in range(400)), ""), 400, []),
    "5000 columns, too many": ("txt", ("# RTLA timerlat histogram\n# Time unit is microseconds (us)\nIndex "
                                       + " ".join(f"IRQ-{cpu:03}" for cpu in range(5_000)) + "\n",
                                       "1 " + " ".join(["1"] * 5_000) + "\n", ""), 13_000, []),
}
EXPORTS = ["html", "markdown", "json", "csv", "csv-samples", "mangohud", "presentmon", "hgrm", "cyclictest",
           "chrome-trace", "svg"]


def make(path, size, parts):
    head, middle, end = parts
    with open(path, "w", encoding="ascii") as file:
        written = file.write(head)
        while written < size:
            written += file.write(middle() if callable(middle) else middle)
        file.write(end)


def measured(command, **options):
    """Runs a command; returns status, standard error, seconds, and peak memory in bytes."""
    with tempfile.TemporaryFile("w+") as error:
        began = time.monotonic()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=error, **options)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        error.seek(0)
        words = [line for line in error.read().split("\n") if line]
    return child.returncode, words, seconds, usage.ru_maxrss * 1024


class Sizes:
    def __init__(self, program, megabytes):
        self.program = os.path.abspath(program)
        self.size = megabytes * MB
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jitterscope-sizes-", dir="/var/tmp"))
        self.bad = 0

    def command(self, folder, *arguments):
        return [self.program, "--data-dir", str(folder), *arguments]

    def check(self, name, file_bytes, outcome, saved_bytes=None):
        status, words, seconds, peak = outcome
        limit = min(4 * file_bytes + 100 * MB, 2048 * MB)
        ok = peak <= limit and status in (0, 1) and (status == 0 or bool(words))
        ok &= saved_bytes is None or saved_bytes <= 2 * file_bytes
        self.bad += not ok
        saved = "" if saved_bytes is None else f"{saved_bytes / MB:.0f}"
        said = "" if status == 0 else words[-1].split(": /")[0]
        print(f"{name:22} {file_bytes / MB:6.0f} {peak / MB:6.0f} {limit / MB:6.0f} {saved:>6} {seconds:6.1f} {status:>3} "
              f"{'' if ok else 'TOO MUCH '}{said[:100]}")
        sys.stdout.flush()

    def imports(self):
        print(f"{'file':22} {'MB':>6} {'peak':>6} {'limit':>6} {'saved':>6} {'s':>6} exit")
        for name, (ending, parts) in KINDS.items():
            path, data = self.folder / f"large.{ending}", self.folder / "data"
            # No file may have more than 20 million rows.
            make(path, min(self.size, 95 * MB) if name == "narrow CSV" else self.size, parts)
            column = ["--column", "2"] if name == "unknown CSV" else []
            outcome = measured(self.command(data, "import", str(path), "--save", *column))
            runs = list(data.glob("*.jitterscope.json"))
            saved = runs[0].stat().st_size if runs else None
            self.check(name, path.stat().st_size, outcome, saved)
            if runs and name in ("CapFrameX JSON", "narrow CSV"):
                self.check("  its run", saved, measured(self.command(data, "runs", "show", str(runs[0]))))
                report = self.folder / "report.html"
                measured(self.command(data, "export", runs[0].name.split("-")[-1].split(".")[0], "--as", "html", "--out", str(report)))
                if report.exists():
                    outcome = measured(self.command(self.folder / "other", "import", str(report)))
                    self.check("  its report", report.stat().st_size, outcome)
                    report.unlink()
            path.unlink()
            shutil.rmtree(data, ignore_errors=True)

    def shapes(self):
        print(f"{'file':22} {'MB':>6} {'peak':>6} {'limit':>6} {'saved':>6} {'s':>6} exit")
        for name, (ending, (head, middle, end), rows, options) in SHAPES.items():
            path, data = self.folder / f"shape.{ending}", self.folder / "data"
            make(path, len(middle) * rows // middle.count("\n"), (head, middle, end))
            size = path.stat().st_size
            outcome = measured(self.command(data, "import", str(path), "--save", *options))
            runs = list(data.glob("*.jitterscope.json"))
            self.check(name, size, outcome, None)
            if runs:
                self.check("  its run", runs[0].stat().st_size, measured(self.command(data, "runs", "show", str(runs[0]))))
            # A file whose column must be named is exported from its run.
            source = runs[0] if options and runs else path
            for kind in EXPORTS:
                outcome = measured(self.command(data, "export", str(source), "--as", kind, "--out", str(self.folder / "out")))
                self.check(f"  {kind}", source.stat().st_size, outcome)
            path.unlink()
            shutil.rmtree(data, ignore_errors=True)

    def streams(self):
        for name, command in {"endless rows": "printf 'fps,frametime\\n'; yes 60,9",
                              "endless zeros": "cat /dev/zero",
                              "endless brackets": "yes '[' | tr -d '\\n'"}.items():
            feed = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            outcome = measured(self.command(self.folder, "import", "/dev/stdin"), stdin=feed.stdout)
            feed.stdout.close()
            feed.wait()
            self.check(name, 512 * MB, outcome)

    def journal(self, run):
        """A journal of four configurations of 600 s at 1000 FPS: one line of samples, again and again."""
        data = self.folder / "journal"
        data.mkdir()
        levels = [word for level in ("normal", "below-normal", "above-normal", "highest") for word in ("--priority", level)]
        child = subprocess.Popen(self.command(data, *run, *levels, "--order-seed", "0", "--duration", "600s"),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(4)
        child.kill()
        child.wait()
        [path] = data.glob("*.partial")
        lines = path.read_text().split("\n")
        samples = next(line for line in lines[1:-1] if '"samples"' in line and len(line) > 4_000)
        count = samples.split('"due_nanos":[', 1)[1].split("]", 1)[0].count(",") + 1
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines[:3]) + "\n")
            for trial in range(4):
                line = samples.replace('"trial":0', f'"trial":{trial}', 1) + "\n"
                file.write(line * (600_000 // count))
        size = path.stat().st_size
        self.check("journal", size, measured(self.command(data, "runs", "list")))
        for saved in data.glob("*.jitterscope.json"):
            self.check("  its run", saved.stat().st_size, measured(self.command(data, "runs", "show", str(saved))))
        shutil.rmtree(data)

    def list(self, run):
        data = self.folder / "many"
        subprocess.run(self.command(data, *run, "--duration", "2s"), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        [path] = data.glob("*.jitterscope.json")
        text, stem = path.read_text(), path.name.split(".")[0]
        identity = stem.rsplit("-", 1)[1]
        assert text.count(identity) == 1, "the id of a run is in its file once"
        for number in range(RUNS - 1):
            other = f"{number:08x}"
            (data / path.name.replace(identity, other)).write_text(text.replace(identity, other))
        print(f"{RUNS} runs of {len(text) / 1024:.0f} KB")
        os.sync()

        def listed(name, most):
            _, _, seconds, peak = measured(self.command(data, "runs", "list"))
            ok = most is None or seconds <= most
            self.bad += not ok
            print(f"  {name:34} {seconds:6.2f} s  {peak / MB:5.0f} MB{'' if ok else '  TOO LONG'}")
        listed("without an index", None)
        if os.geteuid() == 0:
            pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
            listed("cold: index, caches dropped", 2.0)
        for _ in range(3):
            listed("warm", 0.3)


def main():
    sizes = Sizes(sys.argv[1], int(sys.argv[2]) if 2 < len(sys.argv) else 160)
    run = ["frame-loop", "--fps", "1000", "--wait", "os-sleep", "--work", "0us", "--warm-up", "0s", "--load-threads", "0"]
    parts = {"imports": sizes.imports, "shapes": sizes.shapes, "streams": sizes.streams, "journal": lambda: sizes.journal(run),
             "list": lambda: sizes.list([*run[:2], "200", *run[3:]])}
    try:
        for name in sys.argv[3:] or parts:
            parts[name]()
    finally:
        shutil.rmtree(sizes.folder)
    print(f"{sizes.bad} over their limit")
    sys.exit(1 if sizes.bad else 0)


if __name__ == "__main__":
    main()
