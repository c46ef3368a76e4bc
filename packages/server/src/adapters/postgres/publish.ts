import type { NewPost } from '../../domain/post.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { IdempotencyKey, PostStore, Published, Written } from '../../ports/store.ts'
import { emit, postEvent } from './emit.ts'
import { KEY_LIFE, outcomeOf, ranOut } from './idempotency.ts'
import { type Database, statement } from './pool.ts'
import {
  mayWrite,
  POST_COLUMNS,
  type PostRow,
  toPost,
  toUser,
  USER_COLUMNS,
  type UserRow
} from './rows.ts'

/** The key waits for whoever is using it; without a row of its own there is no post. */
const claimed = `claimed as (
  insert into idempotency_keys as k (owner, key, hash, outcome, about)
  select $4, $5, $6, jsonb_build_object('value', outcome), draft.id from answer, draft
  on conflict (owner, key) do update
    set hash = excluded.hash, outcome = excluded.outcome, about = excluded.about, created_at = now()
    where k.created_at <= now() - ${KEY_LIFE}
  returning owner
)`

const unused = `and not exists (
  select from idempotency_keys where owner = $4 and key = $5 and created_at > now() - ${KEY_LIFE}
)`

/** The answer is made before the post, as the key keeps it; both come out of the same jsonb. */
function publishSql(keyed: boolean): string {
  return `with writer as (
    select ${USER_COLUMNS} from users where number = $1
  ), made as materialized (
    select make_post_id(shard_of_author($1)) as id from writer
    where status = 'active' ${keyed ? unused : ''}
  ), draft as (
    select id, $1::bigint as author, $2::text as content, $3::jsonb as attrs,
      null::timestamptz as edited_at, null::timestamptz as deleted_at
    from made
  ), answer as (
    select jsonb_build_object('post', to_jsonb(post), 'author', to_jsonb(writer)) as outcome
    from (select ${POST_COLUMNS} from draft) post, writer
  ), ${keyed ? claimed : 'claimed as (select 1)'}, posted as (
    insert into posts (shard, id, author, content, attrs)
    select shard_of_author($1), id, author, content, attrs from draft, claimed
    returning author, id
  ), counted as (
    insert into user_deltas (user_number, posts) select author, 1 from posted
  ), events as (${emit(`select ${postEvent('post', 'author', 'id')} from posted`)})
  select (select status from writer) as status, (select outcome from answer, posted) as outcome`
}

const publishOnce = statement('publish', publishSql(false))
const publishKeyed = statement('publish_keyed', publishSql(true))

interface Outcome {
  readonly post: PostRow
  readonly author: UserRow
}

interface Row {
  readonly status: UserStatus | null
  readonly outcome: Outcome | null
}

function published(outcome: Outcome, replayed: boolean): Written<Published> {
  const value = { post: toPost(outcome.post), author: toUser(outcome.author) }
  return { value, replayed }
}

async function publishPost(
  db: Database,
  post: NewPost,
  key: IdempotencyKey | undefined
): Promise<Written<Published>> {
  const values = [post.author, post.content, JSON.stringify(post.attrs)]
  const [row] = await (key === undefined
    ? db.rows<Row>(publishOnce, values)
    : db.rows<Row>(publishKeyed, [...values, key.owner, key.key, key.hash]))
  if (row?.outcome) {
    db.wake()
    return published(row.outcome, false)
  }
  const earlier = key && (await outcomeOf(db, key))
  if (earlier !== undefined) return published(earlier.value as Outcome, true)
  mayWrite(post.author, row?.status)
  throw ranOut()
}

export function publish(db: Database): Pick<PostStore, 'publish'> {
  return { publish: (post, key) => publishPost(db, post, key) }
}
