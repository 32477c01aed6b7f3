"""Recomputes the summary of an exported run from its samples with NumPy, by its own formulas.

Usage: recompute.py samples.csv summary.csv
Ends with 77 where NumPy is not there, and with 1 where a figure differs.
"""
import csv
import sys

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not there")
    sys.exit(77)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    samples, summary = read(sys.argv[1]), read(sys.argv[2])
    compared, wrong = 0, []
    for row in summary:
        own = [sample for sample in samples if sample["label"] == row["configuration"]]
        column = lambda name: numpy.array([int(sample[name]) for sample in own], dtype=numpy.int64)
        due, woke, done = column("due_nanos"), column("woke_nanos"), column("done_nanos")
        period = int(row["target_frame_time_nanos"])
        late = woke - due
        frame_times = numpy.diff(woke)
        empty = sum(
            step // period - 1 for step in numpy.diff(due).tolist() if step % period == 0
        )
        slowest = numpy.sort(frame_times)[-int(numpy.ceil(len(frame_times) * 0.01)):]
        percentile = lambda values, share: numpy.percentile(values, share) if len(values) else None
        expected = {
            "samples_count": len(late),
            "min_nanos": late.min(),
            "p50_nanos": percentile(late, 50),
            "p95_nanos": percentile(late, 95),
            "p99_nanos": percentile(late, 99),
            "p99_9_nanos": percentile(late, 99.9),
            "max_nanos": late.max(),
            "mean_nanos": late.mean(),
            "std_dev_nanos": late.std(ddof=1),
            "missed_count": int((done - due > period).sum()) + empty,
            "slots_count": len(late) + empty,
            "frame_time_mean_nanos": frame_times.mean(),
            "frame_time_std_dev_nanos": frame_times.std(ddof=1),
            "work_p99_nanos": percentile(done - woke, 99),
            "one_percent_low_fps": 1e9 / slowest.mean(),
            "average_fps": 1e9 * len(frame_times) / frame_times.sum(),
            "drift_nanos": woke[-1] - woke[0] - period * (len(late) - 1 + empty),
        }
        for name, value in expected.items():
            if row[name] == "":
                continue
            compared += 1
            # Percentiles are written as whole nanoseconds.
            room = 0.5 + 1e-6 if name.startswith(("p", "work_p")) else 0.0
            if abs(float(row[name]) - float(value)) > abs(float(value)) * 1e-9 + room:
                wrong.append(f"{row['configuration']}: {name} is {row[name]}, NumPy says {value}")
    print("\n".join(wrong))
    print(f"{compared} figures compared, {len(wrong)} differ")
    sys.exit(1 if wrong or compared == 0 else 0)


main()
