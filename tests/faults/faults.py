"""Makes frames late on purpose and checks what the program says of them: a confusion matrix.

Usage: faults.py JITTERSCOPE_CLI [COUNT [FAULT...]]      as root or as an ordinary user

Each fault is made COUNT times (20) while a 60 FPS loop is measured on the last CPU (JITTERSCOPE_CPU). Where names can be
recorded, the culprit must be named with at least 90% of the lateness; otherwise the cause must be the right one.
A frame that is not observable is no mistake where records were lost or the trace cannot see the fault (marked *).
Ends with 1 where a fault is recognized in fewer than 19 of 20 cases or a cause is named that was not made, and with 77
where it cannot be made.

JITTERSCOPE_WRAP puts a command before the measuring one; the faults are then made outside it:

    unshare -pf --mount-proc                            a container; root
    unshare -Urm -pf --mount-proc                       a container with a user namespace
    prlimit --nofile=40:40                              40 file descriptors
    unshare -m sh -c 'umount /sys/kernel/tracing; mount -t tracefs -o ro none /sys/kernel/tracing; exec "$@"' sh

JITTERSCOPE_FLOOD=1 lets two threads switch so fast on the measured CPU that records are lost.
"""
import ctypes
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

CLI = Path(sys.argv[1]).resolve()
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 20
ONLY = sys.argv[3:]
CPU = int(os.environ.get("JITTERSCOPE_CPU", max(os.sched_getaffinity(0))))
OTHER_CPU = next((cpu for cpu in os.sched_getaffinity(0) if cpu != CPU), None)
RECEIVERS = 400
WRAP = shlex.split(os.environ.get("JITTERSCOPE_WRAP", ""))
IS_FLOODED = bool(os.environ.get("JITTERSCOPE_FLOOD"))
PERIOD = 1 / 60
PAUSE = 0.15
# Frames that are late by less than the fault makes them have another reason.
LATE_MICROS = {"quota": 5000, "stopped": 9000, "late_timer": 2900, "previous_frame": 8000, "page_faults": 1500}
OTHER_LATE_MICROS = 400
libc = ctypes.CDLL(None)


def now():
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def name_self(name):
    libc.prctl(15, name.encode(), 0, 0, 0)


def busy(seconds):
    end = now() + seconds
    while now() < end:
        pass


def hog(name, fifo, lengths, stop_at):
    """Runs in a process of its own: takes the CPU for each of the lengths, with pauses."""
    name_self(name)
    os.sched_setaffinity(0, {CPU})
    if not fifo and os.geteuid() == 0:
        # A thread that has just slept would mostly come first.
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    if fifo:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(40))
    for offset, length in lengths:
        time.sleep(max(0.0, offset - now()))
        busy(length)
    while not fifo and now() < stop_at:
        pass


def mover(pid, moves):
    """Runs in a process of its own: moves the measuring thread to the busy CPU at each time, and back."""
    os.sched_setaffinity(0, {OTHER_CPU})
    thread = None
    while thread is None:
        time.sleep(0.05)
        for task in Path(f"/proc/{pid}/task").iterdir():
            if (task / "comm").read_text().startswith("measure-"):
                thread = int(task.name)
    os.sched_setaffinity(thread, {OTHER_CPU})
    for at, length in moves:
        time.sleep(max(0.0, at - now()))
        os.sched_setaffinity(thread, {CPU})
        time.sleep(length)
        os.sched_setaffinity(thread, {OTHER_CPU})


def flood(bursts):
    """Runs in a process of its own: packets on the loopback that many sockets receive, which the kernel
    handles in softirqs on the measured CPU."""
    os.sched_setaffinity(0, {OTHER_CPU})
    group = socket.inet_aton("239.77.7.7") + socket.inet_aton("127.0.0.1")
    receivers = []
    for _ in range(RECEIVERS):
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("239.77.7.7", 47_777))
        one.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
        receivers.append(one)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
    for at, packets in bursts:
        time.sleep(max(0.0, at - now()))
        for _ in range(packets):
            sender.sendto(b"late", ("239.77.7.7", 47_777))


def fill(stop_at):
    """Runs in a process of its own: whatever time nobody else wants of the CPU. Some kernels record nothing on an
    idle CPU."""
    os.sched_setaffinity(0, {CPU})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while now() < stop_at:
        pass


def switch_fast(stop_at):
    """Runs in a process of its own: two processes that wake each other on the measured CPU, with the least urgency."""
    os.sched_setaffinity(0, {CPU})
    os.nice(19)
    here, there = socket.socketpair()
    if os.fork() == 0:
        here.close()
        try:
            while now() < stop_at:
                there.send(there.recv(1))
        finally:
            os._exit(0)
    there.close()
    try:
        while now() < stop_at:
            here.send(b"x")
            here.recv(1)
    except OSError:
        pass


class Quota:
    """While it is held, the processes put into it use at most a part of each 100 ms of CPU time."""
    folder = Path("/sys/fs/cgroup/cpu/jitterscope-faults")

    def __enter__(self):
        self.folder.mkdir(exist_ok=True)
        (self.folder / "cpu.cfs_period_us").write_text("100000")
        (self.folder / "cpu.cfs_quota_us").write_text("15000")
        # Nobody else is to take the CPU.
        (self.folder / "cpu.shares").write_text("200000")
        return self

    def take(self, pid):
        (self.folder / "cgroup.procs").write_text(str(pid))

    def __exit__(self, *_):
        for _ in range(50):
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.1)


class SteeredLoopback:
    """While it is held, the kernel handles packets of the loopback on the measured CPU."""
    path = Path("/sys/class/net/lo/queues/rx-0/rps_cpus")

    def __enter__(self):
        self.before = self.path.read_text()
        self.path.write_text(f"{1 << CPU:x}")

    def __exit__(self, *_):
        self.path.write_text(self.before)


def fork(work, *arguments):
    child = os.fork()
    if child == 0:
        try:
            work(*arguments)
        finally:
            os._exit(0)
    return child


def innermost(pid):
    """The process that measures, where others were put before it."""
    while WRAP and Path(f"/proc/{pid}/comm").read_text().strip() != CLI.name[:15]:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            pid = int(children[0])
        else:
            time.sleep(0.02)
    return pid


def measure(folder, seconds, extra=None, preload=None, during=None):
    """Measures, and returns the id of the run; `during` gets the number of the process."""
    env = dict(os.environ)
    if preload:
        env.update(LD_PRELOAD=str(preload[0]), JITTERSCOPE_FAULT=preload[1])
    options = {"--fps": "60", "--duration": f"{seconds}s", "--wait": "os-sleep", "--work": "0us",
               "--load-threads": "0", "--cpu": str(CPU), **(extra or {})}
    command = [*WRAP, CLI, "--data-dir", folder, "frame-loop", "-q"]
    for option, value in options.items():
        command += [option, value]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True)
    if IS_FLOODED:
        fork(switch_fast, now() + seconds + 1)
    if during:
        during(innermost(process.pid))
    out, error = process.communicate()
    found = re.search(r"saved as run (\S+):", error)
    if not found:
        sys.exit(f"the test failed: {error}\n{out}")
    return found[1]


def accounts(folder, run, least_micros):
    """Every late frame's account: [(late µs, source, [(length µs, who)])]."""
    shown = subprocess.run([CLI, "--data-dir", folder, "runs", "show", run, "--format", "json"],
                           capture_output=True, text=True, check=True)
    trial = json.loads(shown.stdout)["trials"][-1]
    samples = trial["samples"]
    late = [i for i, (woke, due) in enumerate(zip(samples["woke_nanos"], samples["due_nanos"]))
            if woke - due > least_micros * 1000]
    found = []
    for index in late:
        text = subprocess.run([CLI, "--data-dir", folder, "runs", "show", run, "--why", str(index + 1)],
                              capture_output=True, text=True, check=True).stdout
        lines = text.split("\n")
        micros = (samples["woke_nanos"][index] - samples["due_nanos"][index]) / 1000
        segments = []
        for line in lines:
            part = re.match(r"^(?:\S+)\s{2,}([\d.]+)\s{2,}(.+?)(?:\s{2,}.*)?$", line)
            if part and not line.startswith("Start"):
                segments.append((float(part[1]), part[2]))
        found.append((micros, lines[1], segments))
    return found


def totals(segments):
    sums = defaultdict(float)
    for length, who in segments:
        sums[who] += length
    return sums


CLASSES = {"Previous frame overran", "Waited for a CPU", "Page fault", "Blocked, stopped, or throttled",
           "Preempted by the hypervisor", "No event recorded", "OS timer fired late",
           "Not observable here", "Interrupt or softirq"}


def class_of(who):
    return who if who in CLASSES else "a name"


def spread(count, make, tries=2):
    """Times and lengths of faults, each at another place of the frame: several tries for each that is to hit."""
    start = now() + 1.5
    return [(start + k * PAUSE / 2 + (k % 7) * 0.0021, make(k)) for k in range(tries * count)]


class Faults:
    def __init__(self, folder, preload):
        self.folder, self.preload = folder, preload
        self.root = os.geteuid() == 0
        self.seconds = int(COUNT * PAUSE) + 3
        # Nothing but a more urgent thread delays this loop.
        self.urgent = {"--priority": "fifo:10"} if self.root else {}

    def nothing(self):
        """What makes frames late on this PC without a fault."""
        return measure(self.folder, self.seconds, self.urgent), set(), ""

    def fifo_thread(self):
        # The short ones mostly end before a frame is due.
        lengths = spread(COUNT, lambda k: 0.001 * (1 + k % 8), tries=6)
        run = measure(self.folder, 3 * self.seconds, self.urgent,
                      during=lambda _: fork(hog, "jit-fifo", True, lengths, 0))
        return run, {"jit-fifo"}, "Waited for a CPU"

    def two_hogs(self):
        first = spread(COUNT, lambda _: 0.010)
        second = [(at + 0.010, 0.010) for at, _ in first]
        def start(_):
            fork(hog, "jit-one", True, first, 0)
            fork(hog, "jit-two", True, second, 0)
        run = measure(self.folder, self.seconds, self.urgent, during=start)
        return run, {"jit-one", "jit-two"}, "Waited for a CPU"

    def normal_hog(self):
        lengths = [(now() + 1, self.seconds - 2)]
        run = measure(self.folder, self.seconds,
                      {"--priority": "below-normal"},
                      during=lambda _: fork(hog, "jit-hog", False, lengths, 0))
        return run, {"jit-hog"}, "Waited for a CPU"

    def stopped(self):
        def stop(process):
            time.sleep(1.5)
            for k in range(COUNT):
                time.sleep(PAUSE + (k % 7) * 0.0021)
                os.kill(process, signal.SIGSTOP)
                time.sleep(0.025)
                os.kill(process, signal.SIGCONT)
        run = measure(self.folder, self.seconds + int(COUNT * 0.04) + 1, self.urgent, during=stop)
        return run, {"Blocked, stopped, or throttled"}, "Blocked, stopped, or throttled"

    def previous_frame(self):
        run = measure(self.folder, self.seconds + 10, {"--on-miss": "catch-up", **self.urgent},
                      (self.preload, "work"))
        return run, {"Previous frame overran"}, "Previous frame overran"

    def late_timer(self):
        seconds = self.seconds + 10
        run = measure(self.folder, seconds, self.urgent, (self.preload, "sleep"),
                      during=lambda _: fork(fill, now() + seconds + 1))
        return run, {"OS timer fired late"}, "OS timer fired late"

    def softirqs(self):
        # Each packet takes some 150 us, and the kernel handles up to 64 at once.
        bursts = spread(COUNT, lambda _: 36, tries=4)

        def start(_):
            fork(fill, bursts[-1][0] + 0.1)
            fork(flood, bursts)
        with SteeredLoopback():
            run = measure(self.folder, 2 * self.seconds, self.urgent, during=start)
        return run, {"NET_RX"}, "Waited for a CPU"

    def migration(self):
        lengths = spread(COUNT, lambda _: 0.020)
        fifo = self.root
        priority = self.urgent or {"--priority": "below-normal"}

        def start(process):
            if fifo:
                fork(hog, "jit-busy", True, lengths, 0)
            else:
                fork(hog, "jit-busy", False, lengths[:1], lengths[-1][0] + 0.1)
            fork(mover, process, lengths)
        run = measure(self.folder, self.seconds, {"--cpu": "none", **priority}, during=start)
        return run, {"jit-busy"}, "Waited for a CPU"

    def page_faults(self):
        run = measure(self.folder, self.seconds + 10, self.urgent, (self.preload, "memory"))
        return run, {"Page fault"}, "Page fault"


    def quota(self):
        # Only by name: on a busy PC, others have the CPU while it is used up. Less than the work of a frame, so that the quota is used up in each period.
        with Quota() as quota:
            run = measure(self.folder, self.seconds, {"--work": "4ms"}, during=quota.take)
        return run, {"Blocked, stopped, or throttled"}, "Blocked, stopped, or throttled"


# What a fault can be where neither names nor interrupts are recorded.
UNSEEN = "Not observable here"
CAN_SEE = {
    "Kernel trace": {"fifo_thread", "two_hogs", "normal_hog", "migration", "stopped", "previous_frame", "late_timer",
                     "page_faults", "softirqs", "quota"},
    "Switch records of all threads": {"fifo_thread", "two_hogs", "normal_hog", "migration", "stopped",
                                      "previous_frame", "late_timer", "page_faults"},
    "Own switch records": {"fifo_thread", "two_hogs", "normal_hog", "migration", "previous_frame", "late_timer",
                           "page_faults"},
    "Counters": {"fifo_thread", "two_hogs", "normal_hog", "migration", "previous_frame", "late_timer"},
}
# A trace replaces the counts of switches, without which a late timer cannot be told from a stop.
if IS_FLOODED:
    CAN_SEE["Counters"].discard("late_timer")


def tier_of(source):
    """The tier of a frame's account, and whether no record of it was lost."""
    found = re.search(r"\(([^()]*)\)$", source)
    tier, _, rest = (found[1] if found else "").partition(", ")
    return tier, not rest


def print_matrix(matrix):
    """Each fault's frames by their largest segment."""
    heads = sorted({column for columns in matrix.values() for column in columns})
    print(f"\n{'fault':<16}" + "".join(f" {head[:24]:>24}" for head in heads))
    for name, columns in matrix.items():
        print(f"{name:<16}" + "".join(f" {columns[head] or '':>24}" for head in heads))
    print()


def main():
    folder = tempfile.mkdtemp(prefix="jitterscope-faults-")
    preload = Path(folder) / "late.so"
    source = Path(__file__).with_name("late.c")
    if subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", preload, source, "-ldl"]).returncode:
        sys.exit(77)
    faults = Faults(folder, preload)
    names = ["previous_frame", "late_timer", "page_faults", "stopped", "normal_hog"]
    if OTHER_CPU is not None:
        names.append("migration")
    if faults.root:
        names = ["fifo_thread", "two_hogs", *names]
        if OTHER_CPU is not None and SteeredLoopback.path.exists():
            names.append("softirqs")
    names = ["nothing", *(ONLY or names)]
    bad, all_frames, balanced = [], 0, 0
    # The host can stop a virtual CPU at any time, and nothing shows it.
    host = {"No event recorded"} if " hypervisor " in Path("/proc/cpuinfo").read_text() else set()
    unprovoked = host
    matrix = {}
    print(f"{'fault':<16} {'frames':>6} {'right':>6}  largest segments")
    for name in names:
        run, culprits, cause = getattr(faults, name)()
        frames = accounts(folder, run, LATE_MICROS.get(name, OTHER_LATE_MICROS))
        seen, tiers, right, wrong, unseen, can_see, others = Counter(), Counter(), 0, 0, 0, 0, 0
        columns = matrix[name] = Counter()
        for late, source, segments in frames:
            sums = totals(segments)
            all_frames += 1
            balanced += abs(sum(sums.values()) - late) <= 5
            who = max(sums, key=sums.get) if sums else "nothing"
            seen[who] += 1
            own = [one for one in sums if any(one == name or one.startswith(name + " ") for name in culprits)]
            tier, is_whole = tier_of(source)
            has_names = tier in ("Kernel trace", "Switch records of all threads")
            # A name must explain the lateness; a cause without a name must be the largest.
            exact = who in own if culprits <= CLASSES else sum(sums[one] for one in own) >= 0.9 * late
            named = "right name" if who in own else "other name"
            columns[who if who in CLASSES else named] += 1
            is_right = exact or class_of(who) == cause and not (has_names and name in CAN_SEE[tier])
            right += is_right
            tiers[tier if is_whole else tier + ", incomplete"] += 1
            can_see += is_whole and name in CAN_SEE.get(tier, ())
            unseen += not is_right and who in (UNSEEN, "nothing")
            # Who else had the CPU is named too.
            others += not is_right and who not in CLASSES
            # Any other cause was not made, unless this PC has it without a fault.
            wrong += not is_right and who in CLASSES - {UNSEEN, cause} - unprovoked
        if name == "nothing":
            unprovoked = set(columns) | host
            print(f"{name:<16} {len(frames):>6}         " + ", ".join(f"{who} {count}" for who, count in seen.most_common(6)))
            continue
        # Frames that something else made late are not this fault's.
        tried = len(frames) - others
        if name != "normal_hog":
            tried = min(tried, COUNT)
        right, can_see = min(right, tried), min(can_see, tried)
        mark = "" if can_see else "*"
        print(f"{name + mark:<16} {len(frames):>6} {right:>3}/{tried:<3} not observable {unseen}, wrong {wrong}; "
              + ", ".join(f"{who} {count}" for who, count in seen.most_common(6)), flush=True)
        print(f"{'':<16} " + ", ".join(f"{tier} {count}" for tier, count in tiers.most_common()))
        if tried == 0 or wrong or right < can_see * 0.95:
            bad.append(name)
    print_matrix(matrix)
    print(f"segments equal the lateness within 5 us in {balanced} of {all_frames} frames")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
