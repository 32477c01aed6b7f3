-- Culprits over the fleet: what delayed the most samples, on how many machines. Other programs have a key and no name.
WITH per_source AS (
  SELECT culprit_key, kind, min(culprit) AS culprit, count(DISTINCT machine_key) AS machine_count,
    count(DISTINCT run_id) AS run_count, sum(late_count) AS late_count, sum(total_nanos) AS total_nanos,
    max(worst_nanos) AS worst_nanos
  FROM culprits
  GROUP BY culprit_key, kind
)
SELECT culprit_key, kind, culprit, machine_count, run_count, late_count, total_nanos, worst_nanos,
  total_nanos / sum(total_nanos) OVER () AS share_of_delay
FROM per_source
WHERE 0 < total_nanos
ORDER BY late_count DESC, total_nanos DESC, culprit_key, kind
LIMIT 20
