-- What workers did of each post: for people who ask why it is, or is not, in a feed. Nothing is decided by it.
create table ledger (
  post bigint not null,
  event text not null,
  lane smallint not null,
  log_partition integer,
  log_offset text,
  worker text not null,
  at timestamptz not null,
  delivery text not null,
  work text not null,
  slice integer not null,
  slices integer,
  first_follower bigint not null,
  last_follower bigint not null,
  pushed integer not null,
  cold integer not null,
  late integer not null,
  failed integer not null,
  -- The followers whose lists took it: differences, 7 bits a byte.
  took bytea not null
) partition by range (at);

create index ledger_by_post on ledger (post);
create table ledger_default partition of ledger default;

-- The outbox row of a post is looked for around the time of the post.
create index outbox_created on outbox using brin (created_at);

-- Partitions of today and the next three days (UTC). A day that already has rows in the default one stays there.
create function make_day_partitions(parent text, moment text, options text) returns integer
  language plpgsql volatile as $$
declare
  made integer := 0;
  today date := (now() at time zone 'UTC')::date;
  day date;
  low timestamptz;
  high timestamptz;
  taken boolean;
begin
  for ahead in 0..3 loop
    day := today + ahead;
    low := day::timestamp at time zone 'UTC';
    high := (day + 1)::timestamp at time zone 'UTC';
    continue when to_regclass(format('%s_%s', parent, to_char(day, 'YYYYMMDD'))) is not null;
    execute format('select exists (select from %s_default where %s >= %L and %s < %L)',
      parent, moment, low, moment, high) into taken;
    continue when taken;
    execute format('create table %s_%s partition of %s for values from (%L) to (%L) with (%s)',
      parent, to_char(day, 'YYYYMMDD'), parent, low, high, options);
    made := made + 1;
  end loop;
  return made;
end
$$;

create or replace function make_outbox_partitions() returns integer
  language sql volatile
  return make_day_partitions('outbox', 'created_at',
    'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02');

create function make_ledger_partitions() returns integer
  language sql volatile
  return make_day_partitions('ledger', 'at', 'fillfactor = 100');

select make_ledger_partitions();
