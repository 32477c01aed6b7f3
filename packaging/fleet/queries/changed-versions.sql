-- What changed between the two latest versions that a machine ran of the kernel, of a driver, and of a game, with
-- everything else the same. Driver and game come from tags such as driver:581.2.
-- A change is news only where it is larger than the run-to-run variation explains: is_news is 1 where z is above 4
-- and the change is above 3%. The variation is that of runs of one machine with one version, or that of the change from
-- machine to machine where it is larger.
WITH versions AS (
  SELECT 'kernel' AS what, kernel AS version, concat(coalesce(driver, ''), ' | ', coalesce(game, '')) AS others,
    test, settings_key, configuration, machine_key, metric_p99_nanos AS value, started_at
  FROM runs
  UNION ALL
  SELECT 'driver' AS what, driver AS version, concat(coalesce(kernel, ''), ' | ', coalesce(game, '')) AS others,
    test, settings_key, configuration, machine_key, metric_p99_nanos AS value, started_at
  FROM runs
  UNION ALL
  SELECT 'game' AS what, game AS version, concat(coalesce(kernel, ''), ' | ', coalesce(driver, '')) AS others,
    test, settings_key, configuration, machine_key, metric_p99_nanos AS value, started_at
  FROM runs
),
known AS (
  SELECT what, version, others, test, settings_key, configuration, machine_key, ln(value) AS value, started_at
  FROM versions
  WHERE version IS NOT NULL AND 0 < value
),
first_seen AS (
  SELECT what, machine_key, version, min(started_at) AS since FROM known GROUP BY what, machine_key, version
),
newest AS (
  SELECT what, machine_key, version,
    row_number() OVER (PARTITION BY what, machine_key ORDER BY since DESC, version DESC) AS age
  FROM first_seen
),
per_version AS (
  SELECT known.what AS what, newest.age AS age, known.version AS version, known.others AS others, known.test AS test,
    known.settings_key AS settings_key, known.configuration AS configuration, known.machine_key AS machine_key,
    count(*) AS run_count, avg(known.value) AS mean_value, var_samp(known.value) AS variance
  FROM known
  JOIN newest ON known.what = newest.what AND known.machine_key = newest.machine_key AND known.version = newest.version
  WHERE newest.age <= 2
  GROUP BY known.what, newest.age, known.version, known.others, known.test, known.settings_key, known.configuration,
    known.machine_key
  HAVING 1 < count(*)
),
pairs AS (
  SELECT after_it.what AS what, after_it.test AS test, after_it.settings_key AS settings_key,
    after_it.configuration AS configuration, before_it.version AS version_before, after_it.version AS version_after,
    after_it.mean_value - before_it.mean_value AS change,
    before_it.run_count AS runs_before, after_it.run_count AS runs_after,
    (before_it.run_count - 1) * before_it.variance + (after_it.run_count - 1) * after_it.variance AS squares,
    before_it.run_count + after_it.run_count - 2 AS freedom,
    1E0 / before_it.run_count + 1E0 / after_it.run_count AS inverse_counts
  FROM per_version AS after_it
  JOIN per_version AS before_it
    ON after_it.what = before_it.what AND after_it.others = before_it.others AND after_it.test = before_it.test
    AND after_it.settings_key = before_it.settings_key AND after_it.configuration = before_it.configuration
    AND after_it.machine_key = before_it.machine_key
  WHERE after_it.age = 1 AND before_it.age = 2
),
fleet AS (
  SELECT what, test, settings_key, configuration, version_before, version_after, count(*) AS machine_count,
    sum(runs_before) AS run_count_before, sum(runs_after) AS run_count_after,
    avg(change) AS mean_change, sqrt(sum(squares) / sum(freedom)) AS run_to_run,
    greatest(sqrt(sum(squares) / sum(freedom)) * sqrt(sum(inverse_counts)) / count(*),
      CASE WHEN 1 < count(*) THEN sqrt(var_samp(change) / count(*)) ELSE 0E0 END) AS standard_error
  FROM pairs
  GROUP BY what, test, settings_key, configuration, version_before, version_after
)
SELECT what, test, configuration, version_before, version_after, machine_count, run_count_before, run_count_after,
  (exp(mean_change) - 1) * 100 AS change_percent,
  (exp(1.96E0 * standard_error) - 1) * 100 AS interval_percent,
  (exp(2.77E0 * run_to_run) - 1) * 100 AS run_to_run_percent,
  mean_change / standard_error AS z,
  CASE WHEN 4 < abs(mean_change / standard_error) AND 3 < abs(exp(mean_change) - 1) * 100 THEN 1 ELSE 0 END AS is_news
FROM fleet
WHERE 0 < standard_error
ORDER BY is_news DESC, abs(z) DESC, what, test, configuration, settings_key
