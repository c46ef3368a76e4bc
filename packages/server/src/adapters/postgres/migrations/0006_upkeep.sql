-- What requests with an Idempotency-Key made, written in the transaction that made it.
create table idempotency_keys (
  owner bigint not null,
  key text not null,
  hash text not null,
  outcome jsonb,
  created_at timestamptz not null default now(),
  primary key (owner, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- One row. Raised when everything derived has to be made again.
create table epoch (
  one boolean primary key default true check (one),
  value bigint not null
);
insert into epoch (value) values (1);
