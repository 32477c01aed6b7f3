-- One machine over time: the mean p99 of each day, with the versions of that day.
-- Put the key of a machine into the first query; without one, it is the machine with the most runs.
WITH selected AS (
  SELECT machine_key FROM runs GROUP BY machine_key ORDER BY count(*) DESC, machine_key LIMIT 1
),
days AS (
  SELECT runs.test AS test, runs.settings_key AS settings_key, runs.configuration AS configuration, runs.day AS run_day,
    count(*) AS run_count, avg(runs.metric_p99_nanos) AS mean_p99_nanos, max(runs.metric_max_nanos) AS max_nanos,
    min(runs.kernel) AS kernel, min(runs.driver) AS driver, min(runs.game) AS game, min(runs.power_plan) AS power_plan
  FROM runs
  JOIN selected ON runs.machine_key = selected.machine_key
  WHERE runs.metric_p99_nanos IS NOT NULL
  GROUP BY runs.test, runs.settings_key, runs.configuration, runs.day
)
SELECT test, configuration, run_day, run_count, mean_p99_nanos, max_nanos,
  mean_p99_nanos / min(mean_p99_nanos) OVER (PARTITION BY test, settings_key, configuration) AS ratio_to_best_day,
  kernel, driver, game, power_plan
FROM days
ORDER BY test, configuration, settings_key, run_day
