-- Run once in Fanwise's database, after its migrations and before the connector is registered.
-- Only inserts: the relay's marks are of no use to the log. By the root, so that each day's
-- partition is the one table `outbox` to Debezium, and coming days need no change.
create publication fanwise_outbox for table outbox
  with (publish = 'insert', publish_via_partition_root = true);
