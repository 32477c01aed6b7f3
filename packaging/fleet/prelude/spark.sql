-- Views over the folder /srv/fleet for Spark SQL. Put your folder in its place, or an address such as s3a://bucket/fleet.
SET TIME ZONE 'UTC';

CREATE OR REPLACE TEMPORARY VIEW runs_files USING parquet OPTIONS (path '/srv/fleet/runs', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW runs_exported AS SELECT * FROM runs_files WHERE run_id IS NOT NULL;

-- The latest export of each run, of which culprits are a part.
CREATE OR REPLACE TEMPORARY VIEW runs AS
SELECT * FROM (
  SELECT *, row_number() OVER (PARTITION BY run_id, configuration_index ORDER BY exported_at DESC) AS export_rank
  FROM runs_exported
) AS ranked
WHERE export_rank = 1;

CREATE OR REPLACE TEMPORARY VIEW culprits_files USING parquet OPTIONS (path '/srv/fleet/culprits', mergeSchema 'true');
CREATE OR REPLACE TEMPORARY VIEW culprits_exported AS SELECT * FROM culprits_files WHERE run_id IS NOT NULL;

CREATE OR REPLACE TEMPORARY VIEW culprits AS
SELECT one.* FROM (
  SELECT *, row_number() OVER (PARTITION BY run_id, `rank` ORDER BY exported_at DESC) AS export_rank
  FROM culprits_exported
) AS one
JOIN (SELECT run_id, max(exported_at) AS latest FROM runs_exported GROUP BY run_id) AS last
  ON one.run_id = last.run_id AND one.exported_at = last.latest
WHERE one.export_rank = 1;

-- Only after an export with --samples:
-- CREATE OR REPLACE TEMPORARY VIEW samples_files USING parquet OPTIONS (path '/srv/fleet/samples', mergeSchema 'true');
-- CREATE OR REPLACE TEMPORARY VIEW samples AS
-- SELECT one.* FROM samples_files AS one
-- JOIN (
--   SELECT run_id, max(exported_at) AS latest FROM samples_files GROUP BY run_id
-- ) AS last ON one.run_id = last.run_id AND one.exported_at = last.latest;
