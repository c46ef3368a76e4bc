alter table users add column visibility text not null default 'public'
  check (visibility in ('public', 'private'));

-- Who asks to follow a private account. No pair stands here and in follows or blocks.
create table follow_requests (
  followee bigint not null,
  follower bigint not null,
  seq bigint not null default nextval('relation_seq'),
  primary key (followee, follower)
);
create index follow_requests_by_seq on follow_requests (followee, seq desc);
create index follow_requests_by_follower on follow_requests (follower, seq desc);

-- Accounts that turned public: their requests up to `until` are accepted, in batches.
create table openings (
  followee bigint primary key,
  until bigint not null
);
