-- Views over the folder /srv/fleet for ClickHouse. Put your folder in its place; for object storage, put
-- s3('https://bucket.example/fleet/…') in place of file('/srv/fleet/…').
SET join_use_nulls = 1;
SET cast_keep_nullable = 1;
SET schema_inference_mode = 'union';
SET use_hive_partitioning = 1;
SET session_timezone = 'UTC';

CREATE OR REPLACE VIEW runs_exported AS
SELECT * FROM file('/srv/fleet/runs/test=*/day=*/*.parquet', Parquet) WHERE run_id IS NOT NULL;

-- The latest export of each run, of which culprits are a part.
CREATE OR REPLACE VIEW runs AS
SELECT * FROM (
  SELECT *, row_number() OVER (PARTITION BY run_id, configuration_index ORDER BY exported_at DESC) AS export_rank
  FROM runs_exported
) AS ranked
WHERE export_rank = 1;

CREATE OR REPLACE VIEW culprits_exported AS
SELECT * FROM file('/srv/fleet/culprits/test=*/day=*/*.parquet', Parquet) WHERE run_id IS NOT NULL;

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
-- SELECT one.* FROM file('/srv/fleet/samples/test=*/day=*/*.parquet', Parquet) AS one
-- JOIN (
--   SELECT run_id, max(exported_at) AS latest FROM file('/srv/fleet/samples/test=*/day=*/*.parquet', Parquet) GROUP BY run_id
-- ) AS last ON one.run_id = last.run_id AND one.exported_at = last.latest;
