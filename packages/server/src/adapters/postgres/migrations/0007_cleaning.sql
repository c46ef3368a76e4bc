-- The post or user whose words the outcome holds; null when it holds none.
alter table idempotency_keys add column about bigint;
create index idempotency_keys_about on idempotency_keys (about) where about is not null;

create index mutes_by_author on mutes (author, reader);

-- Looked at once as soon as they are gone, and again a minute later: a write that was under way may have landed.
drop index users_to_clean;
create index users_to_clean on users (gone_at)
  where status = 'gone' and (cleaned_at is null or cleaned_at - gone_at < interval '1 minute');
