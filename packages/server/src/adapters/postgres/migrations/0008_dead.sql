-- How often an event was given up.
alter table outbox add column attempts smallint not null default 0;

-- Events that were given up are paged by id.
drop index outbox_dead;
create index outbox_dead on outbox (id) where dead_at is not null;
