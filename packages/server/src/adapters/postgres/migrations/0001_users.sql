-- A user's shard: Fibonacci hashing of the low 16 bits of the number. domain/post-id.ts has the same formula.
create function shard_of_author(author bigint) returns smallint
  language sql immutable strict parallel safe
  return ((((author % 65536) * 40503) / 128) % 512)::smallint;

create function lane_of_author(author bigint) returns smallint
  language sql immutable strict parallel safe
  return (shard_of_author(author) % 64)::smallint;

create table users (
  number bigint generated always as identity primary key,
  id text not null unique,
  name text,
  avatar text,
  attributes jsonb not null default '{}',
  version integer not null default 1,
  status text not null default 'active' check (status in ('active', 'suspended', 'gone')),
  gone_at timestamptz,
  cleaned_at timestamptz,
  delivery text not null default 'push' check (delivery in ('push', 'both', 'pull')),
  delivery_version integer not null default 1,
  pull_until bigint not null default 0,
  followers_count bigint not null default 0,
  following_count bigint not null default 0,
  posts_count bigint not null default 0,
  last_seen_at timestamptz,
  created_at timestamptz not null default now()
) with (fillfactor = 85);

-- Authors about to change their delivery.
create index users_delivery on users (delivery, followers_count);
-- Whose rows are still to be cleaned up.
create index users_to_clean on users (gone_at) where status = 'gone' and cleaned_at is null;

-- Append-only, so that a follow never locks a celebrity's row; moved to users in batches.
create table user_deltas (
  id bigint generated always as identity primary key,
  user_number bigint not null,
  followers integer not null default 0,
  following integer not null default 0,
  posts integer not null default 0
);
