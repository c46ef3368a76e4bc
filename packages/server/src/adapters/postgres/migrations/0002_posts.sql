create sequence post_seq as bigint cache 1;

create table posts (
  shard smallint not null,
  id bigint not null,
  author bigint not null,
  content text not null,
  attrs jsonb not null default '{}',
  external_id text,
  edited_at timestamptz,
  deleted_at timestamptz,
  primary key (shard, id)
);

create index posts_by_author on posts (author, id desc) where deleted_at is null;
create unique index posts_external on posts (shard, author, external_id) where external_id is not null;

-- The time in ms for ids of a shard. Ids must not run far ahead of the clock that makes them.
create function post_clock(post_shard smallint) returns bigint
  language plpgsql volatile as $$
declare
  now_ms bigint := floor(extract(epoch from clock_timestamp()) * 1000);
  newest_ms bigint := (
    select id >> 21 from posts where shard = post_shard order by id desc limit 1
  );
begin
  if now_ms < newest_ms - 5000 then
    raise exception using
      errcode = 'FW001',
      message = format('The clock is %s ms behind the newest post of shard %s.',
        newest_ms - now_ms, post_shard);
  end if;
  return now_ms;
end
$$;

-- ms(42) << 21 | shard(9) << 12 | seq(12)
create function make_post_id(post_shard smallint) returns bigint
  language sql volatile
  return (post_clock(post_shard) << 21)
    | (post_shard::bigint << 12)
    | (nextval('post_seq') % 4096);
