-- Worst machines: the median over the runs of each machine, compared with the median machine of the fleet, in the test
-- and configuration in which it is worst.
-- Quantiles are interpolated between the ranked values around (n - 1) * q.
WITH ranked AS (
  SELECT test, settings_key, configuration, machine_key, metric_p99_nanos AS value,
    row_number() OVER (PARTITION BY test, settings_key, configuration, machine_key ORDER BY metric_p99_nanos) AS position,
    count(*) OVER (PARTITION BY test, settings_key, configuration, machine_key) AS total
  FROM runs
  WHERE metric_p99_nanos IS NOT NULL
),
weighted AS (
  SELECT test, settings_key, configuration, machine_key, value, position, total, (total - 1) * 0.5E0 + 1 AS target
  FROM ranked
),
machines AS (
  SELECT test, settings_key, configuration, machine_key, max(total) AS run_count,
    sum(CASE WHEN abs(position - target) < 1 THEN value * (1 - abs(position - target)) ELSE 0E0 END) AS median_p99_nanos
  FROM weighted
  GROUP BY test, settings_key, configuration, machine_key
),
ranked_machines AS (
  SELECT test, settings_key, configuration, machine_key, run_count, median_p99_nanos,
    row_number() OVER (PARTITION BY test, settings_key, configuration ORDER BY median_p99_nanos, machine_key) AS position,
    count(*) OVER (PARTITION BY test, settings_key, configuration) AS total
  FROM machines
),
fleet AS (
  SELECT test, settings_key, configuration, max(total) AS machine_count,
    sum(CASE WHEN abs(position - ((total - 1) * 0.5E0 + 1)) < 1
      THEN median_p99_nanos * (1 - abs(position - ((total - 1) * 0.5E0 + 1))) ELSE 0E0 END) AS fleet_median_nanos,
    sum(CASE WHEN abs(position - ((total - 1) * 0.9E0 + 1)) < 1
      THEN median_p99_nanos * (1 - abs(position - ((total - 1) * 0.9E0 + 1))) ELSE 0E0 END) AS fleet_p90_nanos
  FROM ranked_machines
  GROUP BY test, settings_key, configuration
),
compared AS (
  SELECT machines.test AS test, machines.configuration AS configuration, machines.machine_key AS machine_key,
    machines.run_count AS run_count, machines.median_p99_nanos AS median_p99_nanos,
    fleet.fleet_median_nanos AS fleet_median_nanos, fleet.fleet_p90_nanos AS fleet_p90_nanos,
    fleet.machine_count AS machine_count, machines.median_p99_nanos / fleet.fleet_median_nanos AS ratio
  FROM machines
  JOIN fleet ON machines.test = fleet.test AND machines.configuration = fleet.configuration
    AND machines.settings_key = fleet.settings_key
  WHERE 1 < fleet.machine_count AND 0 < fleet.fleet_median_nanos
),
placed AS (
  SELECT compared.*, row_number() OVER (PARTITION BY machine_key ORDER BY ratio DESC, test, configuration) AS place
  FROM compared
)
SELECT test, configuration, machine_key, run_count, median_p99_nanos, fleet_median_nanos, fleet_p90_nanos,
  machine_count, ratio
FROM placed
WHERE place = 1
ORDER BY ratio DESC, test, configuration, machine_key
LIMIT 20
