-- Views over the folder /srv/fleet for DuckDB. Put your folder in its place, or an address such as s3://bucket/fleet.
SET TimeZone = 'UTC';

CREATE OR REPLACE VIEW runs_exported AS
SELECT * FROM read_parquet('/srv/fleet/runs/test=*/day=*/*.parquet', union_by_name = true, hive_partitioning = true)
WHERE run_id IS NOT NULL;

-- The latest export of each run, of which culprits are a part.
CREATE OR REPLACE VIEW runs AS
SELECT * FROM (
  SELECT *, row_number() OVER (PARTITION BY run_id, configuration_index ORDER BY exported_at DESC) AS export_rank
  FROM runs_exported
) AS ranked
WHERE export_rank = 1;

CREATE OR REPLACE VIEW culprits_exported AS
SELECT * FROM read_parquet('/srv/fleet/culprits/test=*/day=*/*.parquet', union_by_name = true, hive_partitioning = true)
WHERE run_id IS NOT NULL;

CREATE OR REPLACE VIEW culprits AS
SELECT one.* FROM (
  SELECT *, row_number() OVER (PARTITION BY run_id, "rank" ORDER BY exported_at DESC) AS export_rank
  FROM culprits_exported
) AS one
JOIN (SELECT run_id, max(exported_at) AS latest FROM runs_exported GROUP BY run_id) AS last
  ON one.run_id = last.run_id AND one.exported_at = last.latest
WHERE one.export_rank = 1;

-- Only after an export with --samples:
-- CREATE OR REPLACE VIEW samples AS
-- SELECT one.* FROM read_parquet('/srv/fleet/samples/test=*/day=*/*.parquet', union_by_name = true, hive_partitioning = true) AS one
-- JOIN (
--   SELECT run_id, max(exported_at) AS latest
--   FROM read_parquet('/srv/fleet/samples/test=*/day=*/*.parquet', union_by_name = true) GROUP BY run_id
-- ) AS last ON one.run_id = last.run_id AND one.exported_at = last.latest;
