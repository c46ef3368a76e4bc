-- The schema that the migrations make, as the database describes it. The partitions of single days
-- are left out. Made by packages/server/src/adapters/postgres/schema-dump.ts; a test compares it.

-- Sequences

create sequence post_seq;

create sequence relation_seq;

-- Functions

CREATE OR REPLACE FUNCTION public.lane_of_author(author bigint)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (((shard_of_author(author))::integer % 64))::smallint;

CREATE OR REPLACE FUNCTION public.make_day_partitions(parent text, moment text, options text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.make_ledger_partitions()
 RETURNS integer
 LANGUAGE sql
RETURN make_day_partitions('ledger'::text, 'at'::text, 'fillfactor = 100'::text);

CREATE OR REPLACE FUNCTION public.make_outbox_partitions()
 RETURNS integer
 LANGUAGE sql
RETURN make_day_partitions('outbox'::text, 'created_at'::text, 'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02'::text);

CREATE OR REPLACE FUNCTION public.make_post_id(post_shard smallint)
 RETURNS bigint
 LANGUAGE sql
RETURN (((post_clock(post_shard) << 21) | ((post_shard)::bigint << 12)) | (nextval('post_seq'::regclass) % (4096)::bigint));

CREATE OR REPLACE FUNCTION public.post_clock(post_shard smallint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.shard_of_author(author bigint)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (((((author % (65536)::bigint) * 40503) / 128) % (512)::bigint))::smallint;

-- Tables

create table blocks (
  reader bigint not null,
  author bigint not null,
  seq bigint not null default nextval('relation_seq'::regclass),
  constraint blocks_pkey PRIMARY KEY (reader, author)
);

create table cuts (
  reader bigint not null,
  author bigint not null,
  version bigint not null default nextval('relation_seq'::regclass),
  seen_at timestamp with time zone,
  constraint cuts_pkey PRIMARY KEY (reader, author)
);

create table epoch (
  one boolean not null default true,
  value bigint not null,
  constraint epoch_one_check CHECK (one),
  constraint epoch_pkey PRIMARY KEY (one)
);

create table follow_requests (
  followee bigint not null,
  follower bigint not null,
  seq bigint not null default nextval('relation_seq'::regclass),
  constraint follow_requests_pkey PRIMARY KEY (followee, follower)
);

create table followers (
  followee bigint not null,
  follower bigint not null,
  seq bigint not null,
  constraint followers_pkey PRIMARY KEY (followee, follower)
);

create table follows (
  follower bigint not null,
  followee bigint not null,
  seq bigint not null default nextval('relation_seq'::regclass),
  constraint follows_pkey PRIMARY KEY (follower, followee)
);

create table hides (
  reader bigint not null,
  post bigint not null,
  constraint hides_pkey PRIMARY KEY (reader, post)
);

create table idempotency_keys (
  owner bigint not null,
  key text not null,
  hash text not null,
  outcome jsonb,
  created_at timestamp with time zone not null default now(),
  about bigint,
  constraint idempotency_keys_pkey PRIMARY KEY (owner, key)
);

create table ledger (
  post bigint not null,
  event text not null,
  lane smallint not null,
  log_partition integer,
  log_offset text,
  worker text not null,
  at timestamp with time zone not null,
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
  took bytea not null
) partition by RANGE (at);

create table like_deltas (
  id bigint generated always as identity not null,
  post bigint not null,
  delta integer not null,
  constraint like_deltas_pkey PRIMARY KEY (id)
);

create table likes (
  user_number bigint not null,
  post bigint not null,
  constraint likes_pkey PRIMARY KEY (user_number, post)
);

create table mutes (
  reader bigint not null,
  author bigint not null,
  seq bigint not null default nextval('relation_seq'::regclass),
  constraint mutes_pkey PRIMARY KEY (reader, author)
);

create table openings (
  followee bigint not null,
  until bigint not null,
  constraint openings_pkey PRIMARY KEY (followee)
);

create table outbox (
  id bigint generated by default as identity not null,
  aggregatetype text not null default 'events'::text,
  aggregateid text not null,
  type text not null,
  payload jsonb not null,
  lane smallint not null,
  created_at timestamp with time zone not null default now(),
  published_at timestamp with time zone,
  dead_at timestamp with time zone,
  dead_reason text,
  attempts smallint not null default 0,
  constraint outbox_pkey PRIMARY KEY (id, created_at)
) partition by RANGE (created_at);

create table post_counts (
  shard smallint not null,
  post bigint not null,
  likes bigint not null default 0,
  constraint post_counts_pkey PRIMARY KEY (shard, post)
) with (fillfactor=85);

create table posts (
  shard smallint not null,
  id bigint not null,
  author bigint not null,
  content text not null,
  attrs jsonb not null default '{}'::jsonb,
  external_id text,
  edited_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint posts_pkey PRIMARY KEY (shard, id)
);

create table schema_migrations (
  name text not null,
  hash text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table user_deltas (
  id bigint generated always as identity not null,
  user_number bigint not null,
  followers integer not null default 0,
  following integer not null default 0,
  posts integer not null default 0,
  constraint user_deltas_pkey PRIMARY KEY (id)
);

create table users (
  number bigint generated always as identity not null,
  id text not null,
  name text,
  avatar text,
  attributes jsonb not null default '{}'::jsonb,
  version integer not null default 1,
  status text not null default 'active'::text,
  gone_at timestamp with time zone,
  cleaned_at timestamp with time zone,
  delivery text not null default 'push'::text,
  delivery_version integer not null default 1,
  pull_until bigint not null default 0,
  followers_count bigint not null default 0,
  following_count bigint not null default 0,
  posts_count bigint not null default 0,
  last_seen_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  visibility text not null default 'public'::text,
  constraint users_delivery_check CHECK ((delivery = ANY (ARRAY['push'::text, 'both'::text, 'pull'::text]))),
  constraint users_id_key UNIQUE (id),
  constraint users_pkey PRIMARY KEY (number),
  constraint users_status_check CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'gone'::text]))),
  constraint users_visibility_check CHECK ((visibility = ANY (ARRAY['public'::text, 'private'::text])))
) with (fillfactor=85);

-- Partitions

create table ledger_default partition of ledger DEFAULT;

create table outbox_default partition of outbox DEFAULT;

-- Indexes

CREATE INDEX blocks_by_author ON public.blocks USING btree (author, reader);

CREATE INDEX blocks_by_seq ON public.blocks USING btree (reader, seq DESC);

CREATE INDEX cuts_seen ON public.cuts USING btree (seen_at) WHERE (seen_at IS NOT NULL);

CREATE INDEX follow_requests_by_follower ON public.follow_requests USING btree (follower, seq DESC);

CREATE INDEX follow_requests_by_seq ON public.follow_requests USING btree (followee, seq DESC);

CREATE INDEX followers_by_seq ON public.followers USING btree (followee, seq DESC);

CREATE INDEX follows_by_seq ON public.follows USING btree (follower, seq DESC);

CREATE INDEX idempotency_keys_about ON public.idempotency_keys USING btree (about) WHERE (about IS NOT NULL);

CREATE INDEX idempotency_keys_created ON public.idempotency_keys USING btree (created_at);

CREATE INDEX ledger_by_post ON ONLY public.ledger USING btree (post);

CREATE INDEX likes_by_post ON public.likes USING btree (post);

CREATE INDEX mutes_by_author ON public.mutes USING btree (author, reader);

CREATE INDEX mutes_by_seq ON public.mutes USING btree (reader, seq DESC);

CREATE INDEX outbox_created ON ONLY public.outbox USING brin (created_at);

CREATE INDEX outbox_dead ON ONLY public.outbox USING btree (id) WHERE (dead_at IS NOT NULL);

CREATE INDEX outbox_unpublished ON ONLY public.outbox USING btree (lane, id) WHERE ((published_at IS NULL) AND (dead_at IS NULL));

CREATE INDEX posts_by_author ON public.posts USING btree (author, id DESC) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX posts_external ON public.posts USING btree (shard, author, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX users_delivery ON public.users USING btree (delivery, followers_count);

CREATE INDEX users_to_clean ON public.users USING btree (gone_at) WHERE ((status = 'gone'::text) AND ((cleaned_at IS NULL) OR ((cleaned_at - gone_at) < '00:01:00'::interval)));
