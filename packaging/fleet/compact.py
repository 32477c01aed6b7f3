#!/usr/bin/env python3
"""Joins the Parquet files of each closed day into one: compact.py FOLDER. Needs the Python package duckdb."""

import datetime
import os
import secrets
import sys
from pathlib import Path

import duckdb


def compact(day):
    """Joins the files of a folder; the small ones are removed once the joined one is complete."""
    files = sorted(day.glob("*.parquet"))
    if len(files) < 2:
        return 0
    draft = day / f".{secrets.token_hex(8)}.tmp"
    try:
        rows = duckdb.connect().execute(
            # Rows of one export that are in two files are left by a compaction that was stopped.
            "COPY (SELECT DISTINCT * FROM read_parquet(?, union_by_name = true, hive_partitioning = false) ORDER BY ALL) "
            f"TO '{str(draft).replace(chr(39), chr(39) * 2)}' (FORMAT parquet, COMPRESSION snappy)",
            [[str(file) for file in files]]).fetchone()[0]
        with open(draft, "rb") as file:
            os.fsync(file.fileno())
        draft.rename(day / f"compact-{secrets.token_hex(8)}.parquet")
    finally:
        draft.unlink(missing_ok=True)
    for file in files:
        file.unlink(missing_ok=True)
    print(f"{day}: {len(files)} files, {rows} rows")
    return len(files)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    today = datetime.datetime.now(datetime.timezone.utc).date()
    last = (today - datetime.timedelta(days=2)).isoformat()
    for dataset in ["runs", "culprits", "samples"]:
        for day in sorted(Path(sys.argv[1]).glob(f"{dataset}/test=*/day=*")):
            if day.name.removeprefix("day=") <= last:
                compact(day)


if __name__ == "__main__":
    main()
