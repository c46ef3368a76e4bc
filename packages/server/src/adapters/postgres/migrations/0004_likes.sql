-- One row per user and post: the truth.
create table likes (
  user_number bigint not null,
  post bigint not null,
  primary key (user_number, post)
);

-- Append-only, so that likes of one post never wait for each other; moved to post_counts in batches.
create table like_deltas (
  id bigint generated always as identity primary key,
  post bigint not null,
  delta integer not null
);

create table post_counts (
  shard smallint not null,
  post bigint not null,
  likes bigint not null default 0,
  primary key (shard, post)
) with (fillfactor = 85);
