#!/usr/bin/env python3
"""Runs every query file unchanged on DuckDB, Spark SQL, and ClickHouse, and compares the answers.

  tests/fleet/answers.py FOLDER [--known known.json --salt FILE] [--only duckdb,spark,clickhouse]

FOLDER is one that `export --as parquet --samples` wrote. Needs the Python packages duckdb, pyspark (with Java), and
chdb. Numbers of the engines agree to 1e-9; percentiles of samples agree with those of the export, which are whole
nanoseconds. With what `generate.py` knows, the answers are checked for exactly these differences.
"""

import argparse
import datetime
import hashlib
import json
import math
import sys
import time
from pathlib import Path

FLEET = Path(__file__).resolve().parents[2] / "packaging/fleet"
TOLERANCE = 1e-9


def prelude(engine, folder):
    text = (FLEET / f"prelude/{engine}.sql").read_text().replace("/srv/fleet", str(folder))
    before, samples = text.split("-- Only after an export with --samples:\n")
    samples = "\n".join(line.removeprefix("-- ") for line in samples.splitlines())
    text = "\n".join(line for line in before.splitlines() if not line.startswith("--"))
    return [one.strip() for one in (text + "\n" + samples).split(";") if one.strip()]


def duckdb(folder):
    import duckdb
    connection = duckdb.connect()
    for statement in prelude("duckdb", folder):
        connection.execute(statement)

    def run(query):
        found = connection.execute(query)
        return [column[0] for column in found.description], found.fetchall()
    return run


def spark(folder):
    from pyspark.sql import SparkSession
    session = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
               .config("spark.sql.shuffle.partitions", "4").config("spark.driver.memory", "3g").getOrCreate())
    session.sparkContext.setLogLevel("ERROR")
    for statement in prelude("spark", folder):
        session.sql(statement)

    def run(query):
        found = session.sql(query)
        return found.columns, [tuple(row) for row in found.collect()]
    return run


def clickhouse(folder):
    from chdb import session
    connection = session.Session()
    for statement in prelude("clickhouse", folder):
        connection.query(statement)

    def run(query):
        found = json.loads(str(connection.query(query, "JSONCompact")))
        return [column["name"] for column in found["meta"]], [tuple(row) for row in found["data"]]
    return run


def plain(value):
    """Returns a value as any engine has it: ClickHouse's JSON has 64-bit integers as text."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, str):
        try:
            return float(value) if value.lstrip("-").replace(".", "", 1).isdigit() else value
        except ValueError:
            return value
    return None if value is None else float(value)


def is_same(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return one == other


def check_known(answers, known, salt):
    """Returns what the answers lack of the known differences, and what they have beyond."""
    salt = salt.read_bytes().rstrip()
    key = lambda kind, name: hashlib.sha256(b"\0".join([salt, kind.encode(), name.encode()])).hexdigest()[:16]
    machines = lambda names: {key("machine", name) for name in names}
    problems = []

    def check(what, found, expected):
        print(f"known differences: {what}: {'found, no others' if found == expected else 'NOT AS KNOWN'}")
        if found != expected:
            problems.append(f"{what}: {found} instead of {expected}")
    worst = {row["machine_key"] for row in answers["worst-machines"] if 3 < row["ratio"]}
    check("worst machines", worst, machines(known["worst"]))
    news = {(row["what"], row["test"]) for row in answers["changed-versions"] if row["is_news"]}
    check("changed versions", news, {("driver", "frame-loop")})
    for row in answers["changed-versions"]:
        print(f"  {row['what']} {row['test']}: {row['change_percent']:.2f}% ± {row['interval_percent']:.2f}%, run to run "
              f"{row['run_to_run_percent']:.1f}%, z {row['z']:.1f}, {row['machine_count']:.0f} machines")
        if row["is_news"]:
            truth = (known["driver change"] - 1) * 100
            check("size of the change", abs(row["change_percent"] - truth) <= row["interval_percent"], True)
    for what in ["power plan", "timer slack"]:
        found = {row["machine_key"] for row in answers["power-and-timer"] if row["what"] == what}
        check(what, found, machines(known[what]))
    others = {row["what"] for row in answers["power-and-timer"]} - {"power plan", "timer slack"}
    check("other facts of machines", others, set())
    culprit = [row for row in answers["culprits"] if row["culprit_key"] == key("culprit", known["culprit"])]
    check("culprit", [row["machine_count"] for row in culprit], [float(known["culprit machines"])])
    check("name of the culprit", [row["culprit"] for row in culprit], [None])
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--known", type=Path)
    parser.add_argument("--salt", type=Path)
    parser.add_argument("--only", default="duckdb,spark,clickhouse")
    options = parser.parse_args()
    folder = options.folder.resolve()
    engines = {"duckdb": duckdb, "spark": spark, "clickhouse": clickhouse}
    engines = {name: engines[name](folder) for name in options.only.split(",")}
    answers, problems = {}, 0
    for file in sorted((FLEET / "queries").glob("*.sql")):
        first = None
        for name, run in engines.items():
            begun = time.monotonic()
            columns, rows = run(file.read_text())
            seconds = time.monotonic() - begun
            rows = [tuple(plain(value) for value in row) for row in rows]
            print(f"{file.stem:<18} {name:<10} {len(rows):>6} rows {seconds:8.2f} s")
            if first is None:
                first = (name, columns, rows)
                answers[file.stem] = [dict(zip(columns, row)) for row in rows]
                continue
            if columns != first[1] or len(rows) != len(first[2]):
                print(f"  differs from {first[0]}: {columns} {len(rows)}")
                problems += 1
                continue
            unlike = [(a, b) for a, b in zip(first[2], rows) if not all(map(is_same, a, b))]
            for a, b in unlike[:3]:
                print(f"  differs from {first[0]}:\n    {a}\n    {b}")
            problems += len(unlike)
    rows, worst = answers.get("sample-quantiles", []), 0.0
    for row in rows:
        for name in ["p50", "p95", "p99"]:
            ours, theirs = row[f"run_{name}_nanos"], row[f"{name}_nanos"]
            # Ours are rounded to whole nanoseconds.
            if ours is not None:
                worst = max(worst, (abs(ours - theirs) - 0.5) / max(1.0, abs(ours)))
    print(f"percentiles of samples: {len(rows)} configurations, relative difference from the export beyond the "
          f"rounding to whole nanoseconds: {max(0.0, worst):.1e}")
    problems += worst > TOLERANCE
    if options.known:
        found = check_known(answers, json.loads(options.known.read_text()), options.salt)
        print("\n".join(found))
        problems += len(found)
    sys.exit(f"{problems} differences" if problems else 0)


if __name__ == "__main__":
    main()
