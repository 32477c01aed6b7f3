#!/usr/bin/env python3
"""Drives the real window through a day of work on a virtual X display: keys, clicks and drags, an image per
step, and the time from each input to the first change on the screen.

    tests/days/drive.py PROGRAM DAY [--size 1440x900] [--scale 100] [--theme dark] [--out FOLDER] [--home FOLDER]

DAY is a file of steps, one a line, such as tests/days/gamer.txt:

    NAME | ACTION | OPTIONS

ACTION is one of: key KEYS, type TEXT, click X Y, right X Y, drag X1 Y1 X2 Y2, range X1 Y1 X2 Y2 (with Shift),
scroll X Y CLICKS (coordinates in percent of the window), zoom X Y CLICKS (with Ctrl), wait SECONDS, calm SECONDS (until the screen rests, at most so long), end SECONDS (until no
test runs, which the title of the window shows, at most so long), cli ARGUMENTS (runs jitterscope-cli next to PROGRAM on the
runs of the window).
OPTIONS: at=X,Y,W,H watches this part of the screen, in percent, for the reaction instead of all above the status bar; live marks
a step while a test runs; 1000x640=X,Y replaces the coordinates of a click in a window of this size. Needs Xvfb, openbox and xdotool. A reaction counts from the moment the input was sent to
the first change of the watched part (of keys held together, from the last one), which is read from the memory of the display every 2 ms.
"""

import argparse
import json
import mmap
import os
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile
import time
import zlib

TIMEOUT = 5.0
# The height of the status bar, which changes without input, at 100%.
STATUS_BAR = 26


class Screen:
    """The display's memory: an X window dump that the server writes into."""

    def __init__(self, path, size, scale):
        with open(path, "rb") as file:
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = struct.unpack(">25I", self.memory[:100])
        self.width, self.height = size
        # All but the status bar.
        self.page = (0, 0, self.width, self.height - STATUS_BAR * scale // 100)
        self.begin = header[0] + header[19] * 12
        self.stride = header[12]

    def rows(self, part):
        x, y, width, height = part
        for row in range(y, y + height):
            at = self.begin + row * self.stride + x * 4
            yield self.memory[at : at + width * 4]

    def sum(self, part):
        value = 0
        for row in self.rows(part):
            value = zlib.crc32(row, value)
        return value

    def pixels(self, percents):
        """Coordinates that are given in percent of the window: x and y in turn."""
        whole = (self.width, self.height) * 2
        return [int(float(percent) * whole[place] / 100) for place, percent in enumerate(percents)]

    def png(self, path):
        lines = []
        for row in self.rows((0, 0, self.width, self.height)):
            line = bytearray(self.width * 3)
            line[0::3], line[1::3], line[2::3] = row[2::4], row[1::4], row[0::4]
            lines.append(b"\0" + bytes(line))

        def chunk(kind, data):
            body = kind + data
            return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        data = zlib.compress(b"".join(lines), 3)
        path.write_bytes(
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
        )


def wait_for(what, test, seconds=20.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = test()
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"drive: no {what} after {seconds:.0f} s")


def send(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True)


def act(screen, action):
    """Returns what prepares an action, what sends it, and what ends it. The keys that are held with another one are
    pressed before, as hands do."""
    kind, *rest = action.split(" ", 1)
    text = rest[0] if rest else ""
    words = text.split()
    if kind in ("click", "right", "double", "drag", "range"):
        words = [str(pixel) for pixel in screen.pixels(words)]
    elif kind in ("scroll", "zoom"):
        words = [*map(str, screen.pixels(words[:2])), words[2]]
    still = ["sleep", "0.2"]
    if kind == "key":
        *held, last = text.split("+")
        before, after = ([word for key in held for word in (way, key)] for way in ("keydown", "keyup"))
        return [*before, *still] if held else None, ["key", last], after
    if kind == "type":
        return None, ["type", "--delay", "15", "--", text], []
    if kind in ("click", "right", "double"):
        button = "3" if kind == "right" else "1"
        times = ["--repeat", "2", "--delay", "60"] if kind == "double" else []
        return ["mousemove", *words, *still], ["click", *times, button], []
    if kind in ("drag", "range"):
        x1, y1, x2, y2 = words
        steps = [["mousemove", str(int(x1) + (int(x2) - int(x1)) * n // 5),
                  str(int(y1) + (int(y2) - int(y1)) * n // 5), "sleep", "0.03"] for n in range(1, 6)]
        moves = [word for step in steps for word in step]
        shift = (["keydown", "shift"], ["keyup", "shift"]) if kind == "range" else ([], [])
        return ["mousemove", x1, y1, *still], [*shift[0], "mousedown", "1", "sleep", "0.05", *moves,
                                               "mouseup", "1", *shift[1]], []
    if kind in ("scroll", "zoom"):
        x, y, clicks = words
        button = "4" if int(clicks) < 0 else "5"
        turns = ["click", "--repeat", str(abs(int(clicks))), "--delay", "30", button]
        held = (["keydown", "ctrl", *still], ["keyup", "ctrl"]) if kind == "zoom" else ([], [])
        return ["mousemove", x, y, *still, *held[0]], turns, held[1]
    sys.exit(f"drive: no such action: {action}")


def calm(screen, seconds):
    """Waits until the screen rests for half a second."""
    end, last, since = time.monotonic() + seconds, None, time.monotonic()
    while time.monotonic() < end:
        now = screen.sum(screen.page)
        if now != last:
            last, since = now, time.monotonic()
        elif 0.5 < time.monotonic() - since:
            return
        time.sleep(0.05)


def end(window, seconds):
    """Waits until the title of the window shows no progress."""
    limit, has_begun = time.monotonic() + seconds, time.monotonic() + 3
    while time.monotonic() < limit:
        title = subprocess.run(["xdotool", "getwindowname", window], capture_output=True, text=True).stdout
        if "%" in title:
            has_begun = 0
        elif has_begun < time.monotonic():
            return
        # Each look takes CPU time from the test.
        time.sleep(1)
    print(f"drive: still running after {seconds:.0f} s")


def react(screen, part, words):
    """Sends an input, and returns after how many milliseconds the part changed; None if it never did."""
    before = screen.sum(part)
    began = time.monotonic()
    sending = subprocess.Popen(["xdotool", *words])
    seen = None
    while time.monotonic() - began < TIMEOUT:
        if screen.sum(part) != before:
            seen = (time.monotonic() - began) * 1e3
            break
        time.sleep(0.002)
    sending.wait()
    return seen


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("day", type=pathlib.Path)
    parser.add_argument("--size", default="1440x900", help="of the window, in pixels")
    parser.add_argument("--scale", type=int, default=100, help="of its contents, in percent")
    parser.add_argument("--theme", choices=["dark", "light"], default="dark")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("target/days"))
    parser.add_argument("--home", type=pathlib.Path, help="a home folder instead of an empty one")
    options = parser.parse_args()
    size = tuple(map(int, options.size.split("x")))
    out = options.out / f"{options.day.stem}-{options.size}-{options.scale}-{options.theme}"
    out.mkdir(parents=True, exist_ok=True)
    home = options.home or pathlib.Path(tempfile.mkdtemp(prefix="day-"))
    memory = pathlib.Path(tempfile.mkdtemp(prefix="display-"))
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{options.size}x24", "-nolisten", "tcp",
         "-fbdir", str(memory)],
        pass_fds=[write], stderr=subprocess.DEVNULL)
    number = os.read(read, 16).decode().strip()
    environment = {**os.environ, "DISPLAY": f":{number}", "HOME": str(home), "XDG_DATA_HOME": f"{home}/data",
                   "XDG_CONFIG_HOME": f"{home}/config", "XDG_RUNTIME_DIR": str(memory)}
    environment.pop("WAYLAND_DISPLAY", None)
    settings = home / "config" / "jitterscope" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    if not settings.exists():
        settings.write_text(json.dumps({"look": options.theme, "scale-percent": options.scale}))
    os.environ["DISPLAY"] = f":{number}"
    # Without a border, the window is as large as the screen.
    borderless = home / "openbox.xml"
    borderless.write_text('<openbox_config xmlns="http://openbox.org/3.4/rc"><applications><application class="*">'
                          '<decor>no</decor></application></applications></openbox_config>')
    manager = subprocess.Popen(["openbox", "--config-file", str(borderless)], env=environment,
                               stderr=subprocess.DEVNULL)
    app = subprocess.Popen([str(options.program)], env=environment)
    try:
        def window():
            found = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(app.pid)],
                                   capture_output=True, text=True)
            return found.stdout.split()[-1:] or None

        (found,) = wait_for("window", window)
        screen = Screen(memory / "Xvfb_screen0", size, options.scale)
        # Twice: at first, the window still takes the size that it was built with.
        for _ in range(2):
            send("windowsize", found, *size, "windowmove", found, 0, 0, "windowfocus", found)
            calm(screen, 10)
        times, unanswered = {"idle": [], "live": []}, []
        steps = [line for line in options.day.read_text().splitlines() if line.strip() and line[0] != "#"]
        for place, line in enumerate(steps, 1):
            name, action, *rest = [part.strip() for part in line.split("|")]
            given = dict(word.split("=", 1) if "=" in word else (word, "") for word in " ".join(rest).split())
            kind, _, text = action.partition(" ")
            if app.poll() is not None:
                sys.exit(f"drive: the program ended with {app.returncode} before: {line}")
            if options.size in given:
                action = f"{kind} {given[options.size].replace(',', ' ')}"
            if kind == "cli":
                command = [options.program.with_name("jitterscope-cli"), *shlex.split(text)]
                done = subprocess.run(command, env=environment, capture_output=True, text=True)
                if done.returncode:
                    sys.exit(f"drive: {line}: {done.stderr}")
                calm(screen, 3)
                words = ""
            elif kind in ("wait", "calm", "end"):
                if kind == "end":
                    end(found, float(text))
                time.sleep(float(text)) if kind == "wait" else calm(screen, 10 if kind == "end" else float(text))
                words = ""
            else:
                prepare, words, after = act(screen, action)
                if prepare:
                    send(*prepare)
                if "live" not in given:
                    calm(screen, 2)
                part = screen.pixels(given["at"].split(",")) if "at" in given else screen.page
                took = react(screen, part, words)
                if after:
                    send(*after)
                state = "live" if "live" in given else "idle"
                if took is None:
                    unanswered.append(name)
                else:
                    times[state].append(took)
                words = "no reaction" if took is None else f"{took:.0f} ms"
                time.sleep(0.35) if "live" in given else calm(screen, 3)
            screen.png(out / f"{place:02}-{name.replace(' ', '-')}.png")
            print(f"{place:2} {name:44} {action[:44]:44} {words}", flush=True)
        for state, all_times in times.items():
            if all_times:
                print(f"{state}: {len(all_times)} inputs, median {percentile(all_times, 0.5):.0f} ms, "
                      f"p95 {percentile(all_times, 0.95):.0f} ms, max {max(all_times):.0f} ms")
        print(f"without a reaction: {', '.join(unanswered) or 'none'}")
        usage = subprocess.run(["ps", "-o", "pcpu=,rss=", "-p", str(app.pid)], capture_output=True, text=True)
        print(f"CPU % and resident KiB: {usage.stdout.strip()}")
    finally:
        for process in (app, manager, server):
            process.terminate()
            process.wait()


main()
