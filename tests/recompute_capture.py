"""Recomputes the figures of imported captures with NumPy from the files themselves, by its own parser.

Usage: recompute_capture.py figures.json
The file lists captures: path, series, label, count, and the figures that Jitterscope shows.
Ends with 77 where NumPy is not there, and with 1 where a figure differs.
"""
import csv
import json
import sys

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not there")
    sys.exit(77)

COLUMNS = ("msbetweenpresents", "frametime", "msbetweenappstart")


def frame_times(path, swap_chain):
    """The frame times of a file to the nanosecond: all of them, or those of one swap chain."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    for at, row in enumerate(rows):
        names = [cell.strip().lower() for cell in row]
        column = next((names.index(name) for name in COLUMNS if name in names), None)
        if column is not None:
            break
    chain = names.index("swapchainaddress") if swap_chain else None
    times = []
    for row in rows[at + 1:]:
        if len(row) <= column or (swap_chain and row[chain] != swap_chain):
            continue
        if row[column] not in ("", "NA") and float(row[column]) > 0:
            times.append(float(row[column]))
    # MangoHud 0.5 to 0.6.8 wrote microseconds: rate times frame time is then a million.
    rate = names.index("fps") if "fps" in names else None
    first = rows[at + 1]
    unit = 1e3 if rate is not None and float(first[rate]) * float(first[column]) > 1e5 else 1e6
    return numpy.rint(numpy.array(times) * unit), sum(len(row) > column for row in rows[at + 1:])


def stutter(times):
    """The share of time in frames above 2.5 medians of the frames around them."""
    half = (min(int(round(10 * numpy.sqrt(times.mean() / 1e6))) | 1, 999)) // 2
    medians = numpy.array(
        [numpy.median(times[max(0, at - half):at + half + 1]) for at in range(len(times))]
    )
    is_stutter = times > 2.5 * medians
    return int(is_stutter.sum()), times[is_stutter].sum() / times.sum()


def lows(times, share):
    """The low of a share by every definition, in the order of the figures."""
    slowest = numpy.sort(times)[::-1]
    rates = 1e9 / times
    count = len(times)
    limit = numpy.percentile(times, 100 * (1 - share), method="median_unbiased")
    integral = slowest[numpy.searchsorted(numpy.cumsum(slowest), share * slowest.sum())]
    return [
        1e9 / slowest[: int(numpy.ceil(count * share))].mean(),
        numpy.percentile(rates, 100 * share, method="median_unbiased"),
        1e9 / times[times >= limit].mean(),
        1e9 / integral,
        1e9 / slowest[max(int(share * count) - 1, 0)],
        numpy.percentile(rates, 100 * share),
        1e9 / numpy.percentile(times, 100 * (1 - share)),
    ]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        captures = json.load(file)
    compared, wrong = 0, []
    for capture in captures:
        times, rows = frame_times(capture["path"], capture.get("swap_chain"))
        figures = capture["figures"]
        if "one_percent_low" in figures:
            count, share = stutter(times)
            expected = {
                "count": len(times),
                "average_fps": 1e9 * len(times) / times.sum(),
                "p50_nanos": numpy.percentile(times, 50),
                "p99_nanos": numpy.percentile(times, 99) if 100 <= len(times) else None,
                "max_nanos": times.max(),
                "mean_nanos": times.mean(),
                "std_dev_nanos": times.std(ddof=1) if 1 < len(times) else None,
                "one_percent_low": lows(times, 0.01) if 100 <= len(times) else None,
                "stutter_count": count,
                "stutter_share": share,
            }
        else:
            expected = {"count": len(times), "frame_time_sum_nanos": times.sum()}
        print(capture["path"].rsplit("/", 1)[-1], capture.get("swap_chain") or "", rows, "rows")
        for name, value in expected.items():
            own = figures[name]
            if (own is None) != (value is None):
                wrong.append(f"{capture['path']}: {name} is {own}, NumPy says {value}")
                continue
            own = own if isinstance(own, list) else [own]
            value = value if isinstance(value, list) else [value]
            for one, other in zip(own, value, strict=True):
                if one is None:
                    continue
                compared += 1
                # Percentiles are held as whole nanoseconds.
                room = 0.5 + 1e-6 if name in ("p50_nanos", "p99_nanos") else 0.0
                if abs(one - other) > abs(other) * 1e-9 + room:
                    wrong.append(f"{capture['path']}: {name} is {one}, NumPy says {other}")
        shown = {name: figures[name] for name in ("count", "average_fps", "p99_nanos") if name in figures}
        print("  ", shown, "1% low", (figures.get("one_percent_low") or [None])[0])
    print("\n".join(wrong))
    print(f"{len(captures)} captures, {compared} figures compared, {len(wrong)} differ")
    sys.exit(1 if wrong or compared == 0 else 0)


main()
