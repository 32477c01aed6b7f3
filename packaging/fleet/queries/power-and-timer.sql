-- Machines whose power plan or timer differs from that of most machines with the same operating system.
-- The latest run of each machine with each setting counts, and is compared with the same of others.
WITH ordered AS (
  SELECT machine_key, concat(test, ' ', settings_key, ' ', configuration) AS setting, coalesce(os, '') AS os, coalesce(power_plan, 'not reported') AS power_plan,
    coalesce(timer_slack_nanos, -1E0) AS timer_slack_nanos, coalesce(timer_resolution_nanos, -1E0) AS timer_resolution_nanos,
    coalesce(clock, '') AS clock,
    row_number() OVER (PARTITION BY machine_key, test, settings_key, configuration ORDER BY started_at DESC, run_id DESC)
      AS age
  FROM runs
),
machines AS (
  SELECT machine_key, setting, os, power_plan, timer_slack_nanos, timer_resolution_nanos, clock FROM ordered
  WHERE age = 1
),
facts AS (
  SELECT machine_key, setting, os, 'power plan' AS what, power_plan AS value FROM machines
  UNION ALL
  SELECT machine_key, setting, os, 'timer slack' AS what,
    CASE WHEN timer_slack_nanos < 0 THEN 'not reported' ELSE concat(CAST(CAST(timer_slack_nanos AS BIGINT) AS CHAR(20)), ' ns') END AS value
  FROM machines
  UNION ALL
  SELECT machine_key, setting, os, 'timer resolution' AS what,
    CASE WHEN timer_resolution_nanos < 0 THEN 'not reported' ELSE concat(CAST(CAST(timer_resolution_nanos AS BIGINT) AS CHAR(20)), ' ns') END AS value
  FROM machines
  UNION ALL
  SELECT machine_key, setting, os, 'clock' AS what, clock AS value FROM machines
),
counted AS (
  SELECT setting, os, what, value, count(*) AS machine_count FROM facts GROUP BY setting, os, what, value
),
ranked AS (
  SELECT setting, os, what, value, machine_count,
    row_number() OVER (PARTITION BY setting, os, what ORDER BY machine_count DESC, value) AS place
  FROM counted
)
SELECT facts.machine_key AS machine_key, facts.os AS os, facts.what AS what, facts.value AS value,
  most.value AS most_have, max(most.machine_count) AS machine_count
FROM facts
JOIN ranked AS most ON facts.setting = most.setting AND facts.os = most.os AND facts.what = most.what
WHERE most.place = 1 AND facts.value <> most.value
GROUP BY facts.machine_key, facts.os, facts.what, facts.value, most.value
ORDER BY what, os, machine_key, value, most_have
