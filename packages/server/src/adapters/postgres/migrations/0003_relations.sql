-- Orders lists of users, newest first: a position never repeats and is no time.
create sequence relation_seq as bigint;

-- The same edges twice: the follower's side, and the followee's.
create table follows (
  follower bigint not null,
  followee bigint not null,
  seq bigint not null default nextval('relation_seq'),
  primary key (follower, followee)
);
create index follows_by_seq on follows (follower, seq desc);

create table followers (
  followee bigint not null,
  follower bigint not null,
  seq bigint not null,
  primary key (followee, follower)
);
create index followers_by_seq on followers (followee, seq desc);

create table blocks (
  reader bigint not null,
  author bigint not null,
  seq bigint not null default nextval('relation_seq'),
  primary key (reader, author)
);
create index blocks_by_seq on blocks (reader, seq desc);
create index blocks_by_author on blocks (author, reader);

create table mutes (
  reader bigint not null,
  author bigint not null,
  seq bigint not null default nextval('relation_seq'),
  primary key (reader, author)
);
create index mutes_by_seq on mutes (reader, seq desc);

create table hides (
  reader bigint not null,
  post bigint not null,
  primary key (reader, post)
);

-- Unfollows whose posts may still stand in the reader's feed.
create table cuts (
  reader bigint not null,
  author bigint not null,
  version bigint not null default nextval('relation_seq'),
  seen_at timestamptz,
  primary key (reader, author)
);
create index cuts_seen on cuts (seen_at) where seen_at is not null;
