"""Recomputes the figures of exported runs from their samples and counters with NumPy and SciPy.

    recompute.py RUN.json...

Each file is an export with its report. A figure may be off by 1e-9 of itself, and by half a nanosecond
where files hold whole nanoseconds; the ends of a bootstrap interval by the Monte Carlo error of its
resamples. Every number of every table is either recomputed or listed in SETTINGS.
Ends with 1 where a figure differs, and with 77 where NumPy or SciPy is missing.
"""
import collections
import json
import math
import sys

try:
    import numpy
    from scipy import stats
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

FRAME = 16_666_667
HALF = 0.5 + 1e-6
SETTINGS = {"requested_nanos", "size_count", "threads_count", "late_threshold_nanos", "timer_resolution_nanos"}


# A figure that is computed from another one, which files hold in whole nanoseconds: its value, and how far
# half a nanosecond moves it.
Rounded = collections.namedtuple("Rounded", "value room")
# The ends of a bootstrap interval: many resamples of each end's own definition.
Resampled = collections.namedtuple("Resampled", "values count widening floor room", defaults=(1.0, -math.inf, 0.0))


class Trial:
    """Samples and counters of one trial."""

    def __init__(self, trial):
        self.stage, self.counters, self.lost = trial["stage"], trial["counters"], trial["lost"]
        self.complete, self.applied = trial["complete"], trial["granted"]
        self.settings, self.load = trial["settings"], trial["load"]
        self.round = self.settings.get("round", 0)
        samples = trial["samples"]
        names = ("began_nanos", "due_nanos", "woke_nanos", "done_nanos", "spins")
        self.began, self.due, self.woke, self.done, self.spins = (
            numpy.array(samples[name], dtype=numpy.int64) for name in names
        )
        self.slept = samples["slept_nanos"]
        pace = self.settings["pace"]
        self.grid = pace.get("grid") if isinstance(pace, dict) else None
        work = self.settings["work"]
        self.cycle = work.get("game-cycle") if isinstance(work, dict) else None
        started = self.woke.copy()
        evidence = trial["evidence"]
        for index, at in zip(evidence["index"], evidence["work_started_nanos"]):
            if at is not None and self.lost == 0:
                started[index] = at
        self.work = self.done - started
        self.values = self.done - self.woke if self.cycle else self.woke - self.due
        self.steps = numpy.diff(self.due)

    def empty_slots(self):
        """Empty slots after each frame but the last; a re-based schedule moves and has none."""
        period = self.grid["period_nanos"]
        on_grid = (self.steps % period == 0) & (self.steps > 0)
        return numpy.where(on_grid, self.steps // period - 1, 0)


def joined(trials, of):
    return numpy.concatenate([of(trial) for trial in trials] or [numpy.array([], dtype=numpy.int64)])


def total(trials, name):
    """A counter of all trials; none where one of them lacks it."""
    values = [trial.counters.get(name) for trial in trials]
    return None if None in values else sum(values)


def most(trials, name):
    return max((trial.counters[name] for trial in trials if name in trial.counters), default=None)


def ratio(part, whole):
    return None if part is None or not whole else part / whole


def percentile(values, share):
    """By R-7; none with too few values: p95 needs 20, p99 100, p99.9 1 000."""
    needed = {95: 20, 99: 100, 99.9: 1_000}.get(share, 1)
    return numpy.percentile(values, share) if len(values) >= needed else None


def std_dev(values):
    return numpy.std(values, ddof=1) if len(values) > 1 else None


def mean(values):
    return numpy.mean(values) if len(values) else None


def low_fps(times, share):
    """The rate of the mean of the slowest frames."""
    if len(times) * share < 1 - 1e-9 or times.min() <= 0:
        return None
    slowest = math.ceil(share * len(times) - 1e-9)
    return 1e9 / numpy.mean(numpy.sort(times)[-slowest:])


def corrected(trials, period):
    """Lateness, and how late frames of the empty slots after each frame would have started: when it was done."""
    values, has_empty = [joined(trials, lambda trial: trial.values)], False
    for trial in trials:
        if trial.grid["on_miss"] != "skip":
            continue
        taken = trial.done - trial.due
        for behind, empty in zip(taken, trial.empty_slots()):
            later = behind - numpy.arange(1, empty + 1) * period
            values.append(later[later > 0])
            has_empty = has_empty or empty > 0
    return numpy.concatenate(values) if has_empty else None


def shared(trials):
    """What the configurations of every test have."""
    threads = [trial.counters.get("load_threads_count", 0) for trial in trials]
    walls = [trial.counters.get("load_wall_nanos", 0) for trial in trials]
    busy = sum(count * wall for count, wall in zip(threads, walls))
    other = [
        trial.counters["foreign_cpu_nanos"] / trial.counters["foreign_window_nanos"]
        for trial in trials
        if trial.counters.get("foreign_window_nanos", 0) >= 500_000_000
    ]
    return {
        "samples_count": sum(len(trial.woke) for trial in trials),
        "trials_count": len(trials),
        "lost_count": sum(trial.lost for trial in trials),
        "load_cpu_share": ratio(total(trials, "load_cpu_nanos"), busy),
        "other_cpu_share": max(other, default=None),
        "cpu_share": ratio(total(trials, "cpu_nanos"), total(trials, "wall_nanos")),
        "voluntary_switches_count": total(trials, "voluntary_switches_count"),
        "involuntary_switches_count": total(trials, "involuntary_switches_count"),
    }


def paced(trials, row):
    """A frame loop: lateness, frame times, missed frames."""
    period = trials[0].grid["period_nanos"]
    late = joined(trials, lambda trial: trial.values)
    times = joined(trials, lambda trial: numpy.diff(trial.woke))
    work = joined(trials, lambda trial: trial.work)
    empty = sum(int(trial.empty_slots().sum()) for trial in trials)
    unfinished = sum(int((trial.done - trial.due > period).sum()) for trial in trials)
    sleeps = numpy.array([
        slept - (due - trial.counters.get("tail_nanos", 0))
        for trial in trials
        for slept, due in zip(trial.slept, trial.due.tolist())
        if slept is not None
    ])
    rebased = trials[0].grid["on_miss"] == "rebase"
    if rebased:
        behind = sum(
            int(trial.woke[-1] - trial.due[0]) - period * (len(trial.woke) - 1) for trial in trials
        )
    else:
        behind = int(numpy.maximum(late, 0).sum())
    p99, fixed = percentile(late, 99), corrected(trials, period)
    return {
        "target_frame_time_nanos": period,
        "min_nanos": late.min(),
        "p50_nanos": percentile(late, 50),
        "p95_nanos": percentile(late, 95),
        "p99_nanos": p99,
        "p99_ci_nanos": percentile_interval(trials),
        "p99_of_frame_share": None if p99 is None else Rounded(p99 / period, HALF / period),
        "p99_corrected_nanos": None if fixed is None else percentile(fixed, 99),
        "p99_9_nanos": percentile(late, 99.9),
        "max_nanos": late.max(),
        "mean_nanos": late.mean(),
        "std_dev_nanos": std_dev(late),
        "late_count": int((late > row["late_threshold_nanos"]).sum()),
        "missed_count": unfinished + empty,
        "slots_count": len(late) + empty,
        "early_count": int((late < 0).sum()),
        "drift_nanos": sum(
            int(trial.woke[-1] - trial.woke[0])
            - period * (len(trial.woke) - 1 + int(trial.empty_slots().sum()))
            for trial in trials
        ),
        "hidden_count": max(behind, 0) // period,
        "frame_time_mean_nanos": mean(times),
        "frame_time_std_dev_nanos": std_dev(times),
        "frame_time_min_nanos": times.min() if len(times) else None,
        "frame_time_p99_nanos": percentile(times, 99),
        "frame_time_max_nanos": times.max() if len(times) else None,
        "work_mean_nanos": work.mean(),
        "work_std_dev_nanos": std_dev(work),
        "work_p99_nanos": percentile(work, 99),
        "os_wake_up_p50_nanos": percentile(sleeps, 50) if len(sleeps) else None,
        "os_wake_up_p99_nanos": percentile(sleeps, 99),
        "average_fps": 1e9 / times.mean() if len(times) else None,
        "one_percent_low_fps": low_fps(times, 0.01),
        "point_one_percent_low_fps": low_fps(times, 0.001),
        "spin_tail_used_nanos": most(trials, "tail_nanos"),
        "evidence_overhead_nanos": most(trials, "evidence_read_nanos"),
    }


def waits(trials, row):
    """What sleeps and spins have in common."""
    actual = joined(trials, lambda trial: trial.woke - trial.began)
    over = joined(trials, lambda trial: trial.values)
    spins = int(joined(trials, lambda trial: trial.spins).sum())
    switches = total(trials, "involuntary_switches_count")
    tail = percentile(over, 99.9)
    tail = percentile(over, 99) if tail is None else tail
    cpu = ratio(total(trials, "cpu_nanos"), len(actual))
    return {
        "average_nanos": actual.mean(),
        "best_nanos": actual.min(),
        "p50_nanos": percentile(actual, 50),
        "p95_nanos": percentile(actual, 95),
        "p99_nanos": percentile(actual, 99),
        "p99_9_nanos": percentile(actual, 99.9),
        "worst_nanos": actual.max(),
        "overshoot_average_nanos": over.mean(),
        "overshoot_p50_nanos": percentile(over, 50),
        "overshoot_p99_nanos": percentile(over, 99),
        "overshoot_max_nanos": over.max(),
        "recommended_spin_tail_nanos": (
            None
            if tail is None or (up := math.ceil(max(round(tail), 1) / 50_000) * 50_000) * 2 >= 1e9 / 60
            else up
        ),
        "early_count": int((actual < row["requested_nanos"]).sum()),
        "cpu_per_sleep_nanos": cpu,
        "cpu_per_wait_nanos": cpu,
        "iterations_per_wait": spins / len(actual),
        "iteration_nanos": ratio(int(actual.sum()), spins),
        "second_reading_average_nanos": joined(trials, lambda trial: trial.done - trial.began).mean(),
        "involuntary_switches_per_1000_waits": (
            None if switches is None else switches / len(actual) * 1_000
        ),
    }


def bins(trials):
    """How many intervals the probes counted, by the lower edge of their bin."""
    counted = collections.Counter()
    for trial in trials:
        for name, count in trial.counters.items():
            if name.startswith("intervals_from_"):
                counted[int(name.split("_")[2])] += count
    return dict(sorted(counted.items()))


def time_percentile(counted, gaps, runtime, share):
    """The length up to which intervals make up a share of the time. Gaps are known exactly; the other
    intervals of a bin, an eighth of an octave wide, are spread evenly below the shortest gap in it."""
    spread = []
    for edge, count in counted.items():
        end = edge + (1 << max((max(edge, 1)).bit_length() - 1 - 3, 0))
        inside = gaps[(edge <= gaps) & (gaps < end)]
        longest = max((int(inside.min()) if len(inside) else end) - 1, edge)
        spread.append((edge, longest, max(count - len(inside), 0) * (edge + longest) / 2))
    in_bins, known = sum(part[2] for part in spread), float(gaps.sum())
    scale = max(runtime - known, 0.0) / in_bins if in_bins else 1.0
    pieces = [(int(gap), int(gap), float(gap)) for gap in gaps]
    pieces += [(edge, longest, time * scale) for edge, longest, time in spread if time]
    above, gone = (1 - share) * runtime, 0.0
    # Of pieces that overlap, known gaps lie above what shares their bin.
    for shortest, longest, time in sorted(pieces, key=lambda piece: (piece[0], piece[1]), reverse=True):
        if above <= gone + time:
            return longest - (above - gone) / time * (longest - shortest)
        gone += time
    return pieces[-1][0] if counted else None


def regular_period(starts):
    """The step at which at least a third of the gaps follow each other, within a twentieth of it."""
    steps = numpy.diff(starts)
    steps = numpy.sort(steps[steps > 200_000])
    if len(steps) < 50 or len(steps) * 2 < len(starts) // 2:
        return None
    best = (0, 0)
    for center in steps[:: max(len(steps) // 200, 1)].tolist():
        low, high = center - center // 20, center + center // 20
        near = numpy.searchsorted(steps, high, "right") - numpy.searchsorted(steps, low, "left")
        best = max(best, (int(near), center))
    return best[1] if len(steps) <= best[0] * 3 else None


def gaps(trials, row):
    """A gap probe: its gaps, and all intervals by its counters."""
    lengths = joined(trials, lambda trial: trial.values)
    readings, runtime = total(trials, "clock_readings_count"), total(trials, "interval_sum_nanos")
    squares = total(trials, "interval_squares_square_micros")
    average = runtime / readings
    counted = bins(trials)
    edges = [0, 10_000, 100_000, 1_000_000, 10_000_000, 30_000_000, math.inf]
    names = ["below_10_us", "10_us_to_100_us", "100_us_to_1_ms", "1_ms_to_10_ms", "10_ms_to_30_ms", "from_30_ms"]
    expected = {
        f"gaps_{name}_count": int(((low <= lengths) & (lengths < high)).sum())
        for name, low, high in zip(names, edges, edges[1:])
    }
    for name, share in (("p50", 0.5), ("p99", 0.99), ("p99_9", 0.999)):
        expected[f"time_{name}_nanos"] = time_percentile(counted, numpy.sort(lengths), runtime, share)
    return expected | {
        "threshold_nanos": most(trials, "threshold_nanos"),
        "longest_nanos": max(most(trials, "interval_most_nanos"), int(lengths.max(initial=0))),
        "mean_nanos": lengths.mean() if len(lengths) else None,
        "std_dev_nanos": std_dev(lengths) if len(lengths) > 1 else None,
        "p50_nanos": percentile(lengths, 50) if len(lengths) else None,
        "p99_nanos": percentile(lengths, 99),
        "p99_9_nanos": percentile(lengths, 99.9),
        "gaps_count": len(lengths),
        "gaps_per_second": len(lengths) / runtime * 1e9,
        "lost_share": int(lengths.sum()) / runtime,
        "regular_period_nanos": regular_period(trials[0].due),
        "interval_average_nanos": average,
        "interval_std_dev_nanos": math.sqrt(max(squares * 1e6 / readings - average**2, 0)),
        "interval_squares_square_seconds": squares / 1e12,
        "interval_min_nanos": min(trial.counters["interval_least_nanos"] for trial in trials),
        "intervals_count": readings,
        "runtime_nanos": runtime,
    }


def stalls(run):
    """Gaps of at least 100 µs on several CPUs that overlap by half of the longer one and begin and end within
    100 µs of each other; the longest first. None where a trace shows what had each CPU: that decides then."""
    if any(trial.get("trace") for trial in run.facts["trials"]):
        return None
    found = []
    for position, trial in enumerate(run.trials):
        found += [
            (start, position, end)
            for start, end in zip(trial.due.tolist(), trial.woke.tolist())
            if end - start >= 100_000
        ]

    def is_one(gap, other):
        overlap = min(gap[2], other[2]) - max(gap[0], other[0])
        is_half = max(gap[2] - gap[0], other[2] - other[0]) <= 2 * overlap
        is_together = abs(gap[0] - other[0]) <= 100_000 and abs(gap[2] - other[2]) <= 100_000
        return gap[1] != other[1] and is_half and is_together

    groups = []
    for gap in sorted(found):
        # Only what has not ended before it can be one with it.
        open_groups = (group for group in groups if any(gap[0] <= one[2] for one in group))
        group = next((group for group in open_groups if all(is_one(gap, one) for one in group)), None)
        if group:
            group.append(gap)
        else:
            groups.append([gap])
    rows = [
        {
            "at_nanos": group[0][0],
            "length_nanos": max(end - start for start, _, end in group),
            "cpus_count": len({position for _, position, _ in group}),
        }
        for group in groups
    ]
    rows = [row for row in rows if row["cpus_count"] > 1]
    return sorted(rows, key=lambda row: -row["length_nanos"])


def score(values, confidence):
    """Mean and the half width of its interval by Student's t."""
    if len(values) < 2:
        return numpy.mean(values), None
    t = stats.t.ppf((1 + confidence) / 2, len(values) - 1)
    return numpy.mean(values), t * std_dev(values) / math.sqrt(len(values))


def iterations(trials):
    return [trial.values.mean() for trial in trials if len(trial.values)]


def amdahl(points):
    """The serial fraction of `T(n) = a + b / n` by least squares, and its interval by the delta method."""
    if len({threads for threads, _ in points}) < 2:
        return None, None
    x = numpy.array([1 / threads for threads, _ in points])
    y = numpy.array([time for _, time in points])
    design = numpy.column_stack([numpy.ones_like(x), x])
    (serial, spread), *_ = numpy.linalg.lstsq(design, y, rcond=None)
    share = serial / (serial + spread)
    degrees = len(points) - 2
    if degrees < 1:
        return share, None
    rests = y - design @ numpy.array([serial, spread])
    covariance = (rests @ rests) / degrees * numpy.linalg.inv(design.T @ design)
    gradient = numpy.array([spread, -serial]) / (serial + spread) ** 2
    error = stats.t.ppf(0.975, degrees) * math.sqrt(max(gradient @ covariance @ gradient, 0))
    return share, (share - error, share + error)


def ticks(trials, row, run):
    """Game cycles on a number of threads, and how they scale."""
    kind, threads = trials[0].cycle["kind"], trials[0].cycle["threads"]
    cores = run.facts["machine"]["physical_cores"] or 2**32 - 1
    of_kind = collections.defaultdict(list)
    for trial in run.trials:
        if trial.cycle["kind"] == kind:
            of_kind[trial.cycle["threads"]].append(trial)
    average, error = score(iterations(trials), 0.999)
    one, one_error = score(iterations(of_kind[1]), 0.999)
    speedup, used = one / average, min(threads, cores)
    ratio_error = None
    if error is not None and one_error is not None:
        ratio_error = speedup / used * math.hypot(one_error / one, error / average)
    points = [
        (count, time)
        for count, of_count in of_kind.items()
        if count <= cores
        for time in iterations(of_count)
    ]
    serial, serial_interval = amdahl(points)
    values = joined(trials, lambda trial: trial.values)
    budget = run.facts["plan"]["budget_nanos"]
    per_cycle = lambda name: ratio(total(trials, name), len(values))
    return {
        "cycle_average_nanos": average,
        "cycle_error_nanos": error,
        "p50_nanos": percentile(values, 50),
        "p99_nanos": percentile(values, 99),
        "longest_nanos": values.max(),
        "speedup": speedup,
        "efficiency": speedup / threads,
        "reference_ratio": speedup / used,
        "reference_ratio_error": ratio_error,
        "serial_share": serial,
        "serial_ci_share": serial_interval,
        "karp_flatt_share": (1 / speedup - 1 / used) / (1 - 1 / used) if used > 1 else None,
        "of_budget_share": average / budget,
        "of_frame_share": average / FRAME,
        "in_budget_share": (values <= budget).mean(),
        "in_frame_share": (values <= FRAME).mean(),
        "moving_nanos": per_cycle("moving_nanos"),
        "preparing_nanos": per_cycle("preparing_nanos"),
        "encoding_nanos": per_cycle("encoding_nanos"),
        "releasing_nanos": per_cycle("releasing_nanos"),
        "bytes_per_cycle": ratio(total(trials, "packet_bytes_count"), len(trials)),
    }


def block_length(values):
    """Neighbors that stay together: n^(1/3) or a twentieth, doubled while values that far apart are still
    correlated, a tenth at most."""
    count = len(values)
    most_long = max(count // 10, 1)
    block = max(count // 20, math.ceil(count ** (1 / 3) - 1e-9), 1)
    parts = values - values.mean()
    limit = 2 / math.sqrt(count) * float(parts @ parts)
    while block < most_long and float(parts[:-block] @ parts[block:]) > limit:
        block *= 2
    return min(block, most_long)


def lost_dependence(values, block):
    """How far blocks understate a standard error if each value remembers the one before it."""
    parts = values - values.mean()
    variance = float(parts @ parts)
    memory = min(max(float(parts[:-1] @ parts[1:]) / variance, 0.0), 0.95) if variance > 0 else 0.0
    within = 1 + 2 * sum((1 - lag / block) * memory**lag for lag in range(1, block))
    return math.sqrt((1 + memory) / (1 - memory) / within)


def blocks_of(track, outside):
    """The blocks of neighbors that can be drawn, as positions; how many of them make a run; and how far an
    interval with this share beyond each end is widened. No block reaches into another round; each of 8 or more rounds is a block."""
    rounds = numpy.split(numpy.arange(len(track["round"])), numpy.flatnonzero(numpy.diff(track["round"])) + 1)
    blocks, stretches, longest, lost = rounds, len(rounds), 1, 1.0
    per_run = len(rounds)
    if len(rounds) < 8:
        length = block_length(track["values"])
        stretch = max(length // 10, 1)
        block = math.ceil(length / stretch)
        lost = lost_dependence(track["values"], block * stretch)
        blocks, stretches = [], 0
        for places in rounds:
            edges = numpy.append(numpy.arange(0, len(places), stretch), len(places))
            of_block = min(block, len(edges) - 1)
            blocks += [
                places[edges[at] : edges[at + of_block]] for at in range(len(edges) - of_block)
            ]
            stretches, longest = stretches + len(edges) - 1, max(longest, of_block)
        per_run = math.ceil(stretches / block)
    rest = max(stretches / longest - 1, 1)
    # The first terms of Student's quantile as one of the normal distribution.
    student = 1 + (stats.norm.ppf(outside) ** 2 + 1) / 4 / rest
    return blocks, per_run, student * math.sqrt((rest + 1) / rest) * lost


def drawn(track, statistic, random, outside, resamples=4_000):
    """A statistic of resampled runs, and how far its interval is widened."""
    blocks, per_run, widening = blocks_of(track, outside)
    found = []
    for _ in range(resamples):
        picked = numpy.concatenate([blocks[at] for at in random.integers(0, len(blocks), per_run)])
        found.append(statistic({name: column[picked] for name, column in track.items()}))
    return numpy.array(found), widening


def likely_counts(trials, share):
    """The numbers of events that a binomial stays between with 95%, each side with 2.5%; the lower is absent
    where even none is likelier."""
    mean, variance = trials * share, trials * share * (1 - share)
    if variance > 150:
        reach = 1.959963984540054 * math.sqrt(variance)
        return math.floor(mean - reach), math.ceil(mean + reach)
    below, term, total, count = None, math.exp(trials * math.log1p(-share)), 0.0, 0
    while 1 - total > 0.025 and count <= trials:
        total += term
        below = count if total <= 0.025 else below
        term *= (trials - count) / (count + 1) * share / (1 - share)
        count += 1
    return below, count


def places_above(values, above):
    """Where the values are that are at or above the threshold, above which this share of them is."""
    rank = min(max(math.ceil(len(values) * above), 1), len(values))
    return numpy.flatnonzero(values >= numpy.sort(values)[len(values) - rank])


def burst_sizes(places):
    """Sizes of bursts: runs declustering by the extremal index (Ferro and Segers 2003)."""
    gaps = numpy.diff(places).astype(float)
    if not len(gaps):
        return numpy.array([len(places)])
    off, more = (1, 2) if gaps.max() > 2 else (0, 0)
    squares = ((gaps - off) * (gaps - more)).sum()
    index = min(2 * (gaps - off).sum() ** 2 / (len(gaps) * squares), 1.0)
    count = math.floor(index * len(places)) + 1
    within = numpy.sort(gaps)[::-1][count - 1] if count <= len(gaps) else 0
    return numpy.diff([0, *(numpy.flatnonzero(gaps > within) + 1), len(places)])


def inflation(values, above):
    """How many values that depend on each other count as one, when those above a percentile are counted."""
    count, places = len(values), places_above(values, above)
    if len(places) == count:
        return 1.0
    found, share = [1.0], len(places) / count
    for sizes in (burst_sizes(places), burst_sizes(places_above(values, above * 5))):
        found.append((sizes**2).sum() / sizes.sum())
    for blocks in (20, 10):
        counts = numpy.bincount(places * blocks // count, minlength=blocks)
        found.append(counts.var(ddof=1) / (len(places) / blocks * (1 - share)))
    return max(found)


def percentile_interval(trials):
    """The 95% interval of p99 lateness from order statistics; none where the largest may be below it."""
    values, above = joined(trials, lambda trial: trial.values), 1 - 0.99
    depends = inflation(values, above)
    fewer, more = likely_counts(len(values) / depends, above)
    if fewer is None:
        return None
    falling = numpy.sort(values)[::-1]
    from_largest = lambda rank: falling[min(max(rank, 1), len(values)) - 1]
    return from_largest(math.ceil(more * depends)), from_largest(math.floor((fewer + 1) * depends))


# Draws without any event divide by 0: of other draws, more or fewer than one in 40 may do so.
UNDECIDED = object()
# The measures of a change that decide its grade: each at 95% for all three together.
TESTED = {"Frame time std dev", "Lateness p99", "Late frames"}


def share_outside(values):
    """The share beyond each end of the interval of a row."""
    return 0.025 / 3 if values.get("metric") in TESTED else 0.025


def bin_width(values, at):
    """How far values near this one are apart that share a bin: a 200th of those at or above it."""
    values = numpy.sort(values)
    first = numpy.searchsorted(values, at)
    count = max((len(values) - first) // 200, 1)
    return values[min(first + count, len(values) - 1)] - values[max(first - count, 0)]


def change_interval(before, after, statistic, needed, outside, is_percentile):
    """The interval of the change of a statistic as a share of its value before, with this share beyond each end."""
    if min(len(before["values"]), len(after["values"])) < needed:
        return None
    random = numpy.random.default_rng(2)
    (one, widening), (two, other) = (
        drawn(track, statistic, random, outside) for track in (before, after)
    )
    with numpy.errstate(divide="ignore", invalid="ignore"):
        changes = (two - one) / numpy.abs(one)
    # A change from 0 is above all others.
    finite = numpy.isfinite(changes)
    if 0.95 < finite.mean() < 0.99:
        return UNDECIDED
    changes[~finite] = 1e5
    # What is never below 0 cannot fall by more than all of itself.
    is_signed = min(before["values"].min(), after["values"].min()) < 0
    floor = -math.inf if is_signed else -1.0
    if finite.mean() < 0.99:
        return None
    # The bins of both sides are those of all their values, of which many can be above a percentile of one side.
    pooled, base = numpy.concatenate([before["values"], after["values"]]), numpy.median(one)
    ends = numpy.quantile(two, [0.025, 0.975])
    widths = [bin_width(pooled, end) + abs(end / base) * bin_width(pooled, base) for end in ends] if base and is_percentile else [0]
    room = max(widths) / max(abs(base), 1e-9)
    return Resampled(changes, 2_000, max(widening, other), floor, room)


def tracks(trials):
    """Values, what was missed around each, and their rounds, in order of time."""
    period = trials[0].grid["period_nanos"]
    rounds = lambda of: numpy.repeat(range(len(trials)), [len(of(trial)) for trial in trials])
    frames, late = (lambda trial: numpy.diff(trial.woke)), (lambda trial: trial.values)
    empty = joined(trials, lambda trial: numpy.append(0, trial.empty_slots()).astype(numpy.int64))
    unfinished = joined(trials, lambda trial: (trial.done - trial.due > period).astype(numpy.int64))
    return {
        "frame": {"values": joined(trials, frames), "round": rounds(frames)},
        "late": {
            "values": joined(trials, late),
            "missed": unfinished + empty,
            "empty": empty,
            "round": rounds(late),
        },
        "work": {"values": joined(trials, lambda trial: trial.work), "round": rounds(late)},
    }


def metrics(limit):
    """Title: unit, track and statistic."""
    of_values = lambda function: lambda track: function(track["values"])
    missed = lambda track: track["missed"].sum() / (len(track["values"]) + track["empty"].sum())
    late = lambda track: (track["values"] > limit).mean()
    p99 = of_values(lambda values: percentile(values, 99))
    spread, average = of_values(std_dev), of_values(numpy.mean)
    low, high = of_values(numpy.min), of_values(numpy.max)
    return {
        "Frame time std dev": ("frame", spread),
        "Frame time mean": ("frame", average),
        "Frame time min": ("frame", low),
        "Frame time max": ("frame", high),
        "Frame time p99": ("frame", p99),
        "Lateness p99": ("late", p99),
        "Lateness max": ("late", high),
        "Execution time std dev": ("work", spread),
        "Execution time mean": ("work", average),
        "Execution time min": ("work", low),
        "Execution time max": ("work", high),
        "Late frames": ("late", late),
        "Missed frames": ("late", missed),
        "Frames hidden by re-basing": ("late", None),
    }


def samples_needed(metric):
    """Below this many samples the change of a metric has no interval."""
    return {"p99": 500, "Missed frames": 1_000, "Late frames": 150, "dev": 100}.get(
        metric if metric.endswith("frames") else metric.split()[-1], 50
    )


def changes(run, rows):
    """One row per metric and policy: both values, the change and its interval."""
    for row in rows:
        values = row["values"]
        normal, policy = run.of_label(run.labels[0]), run.of_label(values["policy"])
        limit = run.tables["configurations"]["rows"][0]["values"]["late_threshold_nanos"]
        track, statistic = metrics(limit)[values["metric"]]
        before, after = tracks(normal)[track], tracks(policy)[track]
        if statistic is None:
            period = normal[0].grid["period_nanos"]
            one, two = (
                int(numpy.maximum(side["values"], 0).sum()) // period for side in (before, after)
            )
            interval = None
        else:
            one, two = statistic(before), statistic(after)
            interval = None
            if not values["metric"].endswith((" min", " max")):
                needed, outside = samples_needed(values["metric"]), share_outside(values)
                is_percentile = values["metric"].split()[-1] in ("p50", "p99")
                interval = change_interval(before, after, statistic, needed, outside, is_percentile)
        room = HALF if values["unit"] == "nanos" else 0
        change = None
        if one:
            # Files hold the values that are compared in whole nanoseconds.
            room_of = room / abs(one) * (1 + abs(two / one))
            change = Rounded((two - one) / abs(one), room_of)
        yield row, {"normal": one, "value": two, "change_share": change, "change_ci_share": interval}


BASELINE, BASELINE_OF_TOGETHER, TOGETHER = "Baseline", "Baseline of all that help", "All that help, together"


def paired(logs):
    """Mean and simultaneous interval of each list: Student's t, one deviation for all, Holm's correction."""
    squares = sum(((values - values.mean()) ** 2).sum() for values in logs)
    degrees = sum(len(values) - 1 for values in logs)
    deviation = math.sqrt(squares / degrees)
    # The lists share a baseline, which is half of their variance: their squares have a correlation of 1/4.
    degrees = max(degrees * 4 // (4 + len(logs) - 1), 1)
    error = [deviation / math.sqrt(len(values)) for values in logs]
    chances = [2 * stats.t.sf(abs(values.mean() / one), degrees) for values, one in zip(logs, error)]
    found, failed, level = [None] * len(logs), False, 0.05 / len(logs)
    for rank, at in enumerate(numpy.argsort(chances)):
        if not failed:
            level = 0.05 / (len(logs) - rank)
            failed = level <= chances[at]
        mean, half = logs[at].mean(), stats.t.ppf(1 - level / 2, degrees) * error[at]
        found[at] = mean, (mean - half, mean + half)
    return found


def effects(run, rows):
    """One row per change of "What helps": p99 of its blocks with that of the baseline in the same rounds."""
    at_least_one = lambda trial: max(percentile(trial.values, 99) or numpy.percentile(trial.values, 99), 1.0)
    measured = []
    for row in rows:
        label = row["values"]["change"]
        base = run.of_label(BASELINE_OF_TOGETHER if label == TOGETHER else BASELINE)
        changed = run.of_label(label)
        is_denied = row["values"]["verdict"].startswith("Denied")
        of_round = {trial.round: trial for trial in base}
        pairs = [
            (math.log(at_least_one(of_round[trial.round])), math.log(at_least_one(trial)))
            for trial in changed
            if not is_denied
        ]
        cost = None
        if not is_denied:
            shares = [ratio(total(side, "cpu_nanos"), total(side, "wall_nanos")) for side in (base, changed)]
            cost = None if None in shares else shares[1] - shares[0]
        measured.append((row, label, numpy.array(pairs).reshape(-1, 2), cost))
    figures = []
    for is_together in (False, True):
        family = [one for one in measured if (one[1] == TOGETHER) == is_together]
        tested = [pairs[:, 1] - pairs[:, 0] for _, _, pairs, _ in family if len(pairs) > 1]
        found = iter(paired(tested) if tested else [])
        for row, _, pairs, cost in family:
            mean, ends = next(found) if len(pairs) > 1 else (None, None)
            share = lambda log: math.exp(log) - 1
            base, changed = (math.exp(side.mean()) for side in pairs.T) if len(pairs) else (None, None)
            figures.append((row, {
                "baseline_p99_nanos": base,
                "with_p99_nanos": changed,
                "effect_share": None if mean is None else share(mean),
                "effect_ci_share": None if ends is None else tuple(share(end) for end in ends),
                "cpu_cost_share": cost,
                "place": None,
            }))
    helping = [
        (row, one)
        for row, one in figures
        if row["values"]["change"] != TOGETHER and one["effect_ci_share"] is not None
        and one["effect_ci_share"][1] < 0 and one["effect_share"] <= -0.1
    ]
    for place, (_, one) in enumerate(sorted(helping, key=lambda pair: pair[1]["effect_share"])):
        one["place"] = place + 1
    return figures


class Run:
    """An export."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.facts = json.load(file)
        self.test = self.facts["plan"]["test"]
        self.trials = [Trial(trial) for trial in self.facts["trials"]]
        self.labels = list(dict.fromkeys(trial["label"] for trial in self.facts["trials"]))
        self.tables = {table["key"]: table for table in self.facts["report"]["tables"]}

    def of_label(self, label):
        trials = self.facts["trials"]
        return [one for one, trial in zip(self.trials, trials) if trial["label"] == label]

    def expected(self):
        """Every row of every table with its figures by key."""
        for row in self.tables["configurations"]["rows"]:
            values, trials = row["values"], self.of_label(row["values"]["configuration"])
            figures = {
                "frame-loop": paced,
                "real-time": paced,
                "what-helps": paced,
                "sleep-accuracy": waits,
                "spin-strategies": waits,
                "scheduling-gaps": gaps,
                "game-tick": lambda trials, values: ticks(trials, values, self),
            }[self.test](trials, values)
            yield "configurations", row, shared(trials) | figures
        if "changes" in self.tables:
            of_rows = effects if self.test == "what-helps" else changes
            for row, figures in of_rows(self, self.tables["changes"]["rows"]):
                yield "changes", row, figures
        if "stalls" in self.tables:
            rows, figures = self.tables["stalls"]["rows"], stalls(self)
            if figures is None:
                return
            assert len(rows) == len(figures), f"{len(rows)} stalls, not {len(figures)}"
            for row, figure in zip(rows, figures):
                yield "stalls", row, figure


def is_inside(value, resampled, share):
    """Whether an end of an interval is a quantile of so many draws, widened around their median, but for
    Monte Carlo error: five standard errors of the shares of draws below the quantile and below the median,
    of the draws here and of those there; both jump where few values make up the draws."""
    draws, widening = resampled.values, resampled.widening
    around = lambda share, error: numpy.quantile(draws, [max(share - error, 0), min(share + error, 1)])
    errors = 1 / resampled.count + 1 / len(draws)
    standard_error = lambda share: 5 * math.sqrt(share * (1 - share) * errors)
    (low, high), (middle_low, middle_high) = (around(at, standard_error(at)) for at in (share, 0.5))
    low, high = (
        max(end * widening - middle * (widening - 1), resampled.floor)
        for end, middle in ((low, middle_high), (high, middle_low))
    )
    # Percentiles of resampled runs come from narrow bins.
    room = 0.01 * abs(numpy.quantile(draws, 0.975) - numpy.quantile(draws, 0.025)) + 1e-6 * max(abs(low), abs(high))
    room += resampled.room
    return low - room <= value <= high + room


def is_equal(value, figure, is_nanos):
    if isinstance(figure, Rounded):
        return abs(value - figure.value) <= abs(figure.value) * 1e-9 + figure.room
    return abs(value - float(figure)) <= abs(float(figure)) * 1e-9 + (HALF if is_nanos else 0)


def check(run):
    """Compares every number; returns how many were compared, and what differs."""
    compared, wrong = 0, []
    for key, row, figures in run.expected():
        values, name = row["values"], row["values"].get("configuration", row["values"].get("metric"))
        for column, found in values.items():
            is_low = "_ci_low_" in column
            base = column.replace("_ci_low_", "_ci_").replace("_ci_high_", "_ci_")
            if isinstance(found, str) or column in SETTINGS:
                continue
            if base not in figures:
                if found is not None:
                    wrong.append(f"{key}, {name}: {column} is not recomputed")
                continue
            figure = figures[base]
            if figure is UNDECIDED:
                continue
            if found is None or figure is None:
                if (found is None) != (figure is None):
                    wrong.append(f"{key}, {name}: {column} is {found}, here {figure}")
                continue
            compared += 1
            if isinstance(figure, Resampled):
                outside = share_outside(values)
                share = outside if is_low else 1 - outside
                fits = is_inside(found, figure, share)
                figure = f"around {numpy.quantile(figure.values, share)}"
            else:
                if isinstance(figure, tuple) and not isinstance(figure, Rounded):
                    figure = figure[0 if is_low else 1]
                nanos = base.endswith("_nanos") or values.get("unit") == "nanos"
                fits = is_equal(found, figure, nanos and base != "change_share")
            if not fits:
                wrong.append(f"{key}, {name}: {column} is {found}, here {figure}")
    return compared, wrong


def main():
    failed = False
    for path in sys.argv[1:]:
        run = Run(path)
        compared, wrong = check(run)
        print(f"{run.test}: {compared} figures compared, {len(wrong)} differ")
        for line in wrong:
            print(f"  {line}")
        failed = failed or wrong or not compared
    sys.exit(1 if failed else 0)


main()
