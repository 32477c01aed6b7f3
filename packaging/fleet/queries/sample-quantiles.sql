-- Percentiles of the samples of each configuration, next to those in runs. Needs an export with --samples.
-- Percentiles are interpolated between the ranked values around (n - 1) * q.
WITH ranked AS (
  SELECT run_id, configuration, value_nanos AS value,
    row_number() OVER (PARTITION BY run_id, configuration ORDER BY value_nanos) AS position,
    count(*) OVER (PARTITION BY run_id, configuration) AS total
  FROM samples
),
placed AS (
  SELECT run_id, configuration, value, total,
    position - ((total - 1) * 0.5E0 + 1) AS from_p50,
    position - ((total - 1) * 0.95E0 + 1) AS from_p95,
    position - ((total - 1) * 0.99E0 + 1) AS from_p99
  FROM ranked
),
found AS (
  SELECT run_id, configuration, max(total) AS sample_count,
    sum(CASE WHEN abs(from_p50) < 1 THEN value * (1 - abs(from_p50)) ELSE 0E0 END) AS p50_nanos,
    sum(CASE WHEN abs(from_p95) < 1 THEN value * (1 - abs(from_p95)) ELSE 0E0 END) AS p95_nanos,
    sum(CASE WHEN abs(from_p99) < 1 THEN value * (1 - abs(from_p99)) ELSE 0E0 END) AS p99_nanos
  FROM placed
  GROUP BY run_id, configuration
)
SELECT found.run_id AS run_id, found.configuration AS configuration, found.sample_count AS sample_count,
  found.p50_nanos AS p50_nanos, runs.metric_p50_nanos AS run_p50_nanos,
  found.p95_nanos AS p95_nanos, runs.metric_p95_nanos AS run_p95_nanos,
  found.p99_nanos AS p99_nanos, runs.metric_p99_nanos AS run_p99_nanos
FROM found
JOIN runs ON found.run_id = runs.run_id AND found.configuration = runs.configuration
ORDER BY run_id, configuration
