import { Problem } from '../../domain/errors.ts'
import type { Post, PostChange } from '../../domain/post.ts'
import { isPostId, type PostId, shardOf } from '../../domain/post-id.ts'
import { unknownPost } from '../../domain/unknown.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { PostStore } from '../../ports/store.ts'
import { emit, postEvent } from './emit.ts'
import { write } from './idempotency.ts'
import { type Database, type Queries, statement } from './pool.ts'
import { bound, mayWrite, POST_COLUMNS, type PostRow, STATUSES, toPost } from './rows.ts'
import { WITHOUT_TEXT } from './words.ts'

/** The post, locked, with whether its author may write. */
const lock = statement(
  'post_lock',
  `select ${POST_COLUMNS}, (select status from users where number = $3) as status
   from posts where shard = $1 and id = $2 for no key update`
)

const edit = statement(
  'post_edit',
  `with edited as (
     update posts set content = coalesce($3, content), attrs = coalesce($4::jsonb, attrs),
       edited_at = now()
     where shard = $1 and id = $2 returning *
   ), events as (${emit(`select ${postEvent('edit', 'author', 'id')} from edited`)})
   select ${POST_COLUMNS} from edited`
)

/** The words go, the row stays: it says that the post was there. */
const tombstone = statement(
  'post_delete',
  `with deleted as (
     update posts set content = '', attrs = '{}', deleted_at = now()
     where shard = $1 and id = $2 returning author, id
   ), counted as (insert into user_deltas (user_number, posts) select author, -1 from deleted),
   blanked as (update idempotency_keys set outcome = ${WITHOUT_TEXT} where about = $2),
   events as (${emit(`select ${postEvent('delete', 'author', 'id')} from deleted`)})
   select id from deleted`
)

const byIds = statement(
  'posts_by_ids',
  `select ${POST_COLUMNS.replace('id::text', 'p.id::text')}
   from unnest($1::smallint[], $2::bigint[]) w (shard, wanted)
   join posts p on p.shard = w.shard and p.id = w.wanted`
)

const byExternalIds = statement(
  'posts_by_external_ids',
  `select p.id::text as id
   from unnest($1::bigint[], $2::text[]) with ordinality w (author, external_id, place)
   left join posts p on p.shard = shard_of_author(w.author)
     and p.author = w.author and p.external_id = w.external_id
   order by w.place`
)

const byAuthor = statement(
  'posts_by_author',
  `select id::text as id from posts p
   where author = $1 and id < $2 and id > $3 and deleted_at is null
     and exists (select from users where number = $1 and status = any($5::text[]))
   order by p.id desc limit $4`
)

interface Locked extends PostRow {
  readonly status: UserStatus | null
}

/** @throws Problem post_not_found, not_author, account_suspended, account_gone */
async function own(tx: Queries, author: number, id: PostId, deletedToo: boolean): Promise<Post> {
  const [row] = isPostId(id) ? await tx.rows<Locked>(lock, [shardOf(id), id, author]) : []
  const mine = row !== undefined && Number(row.author) === author
  if (row === undefined || (row.deleted && !(mine && deletedToo))) throw unknownPost(id)
  if (!mine) throw new Problem('not_author')
  mayWrite(author, row.status)
  return toPost(row)
}

async function editOwn(tx: Queries, author: number, id: PostId, change: PostChange): Promise<Post> {
  await own(tx, author, id, false)
  const attrs = change.attrs === undefined ? null : JSON.stringify(change.attrs)
  const [row] = await tx.rows<PostRow>(edit, [shardOf(id), id, change.content ?? null, attrs])
  if (row === undefined) throw new Problem('post_not_found')
  return toPost(row)
}

async function deleteOwn(tx: Queries, author: number, id: PostId): Promise<null> {
  const post = await own(tx, author, id, true)
  if (!post.deleted) await tx.rows(tombstone, [shardOf(id), id])
  return null
}

type Posts = Omit<PostStore, 'publish' | 'importPosts' | 'homeIds' | 'newerHomeIds'>

export function posts(db: Database): Posts {
  return {
    editPost: (author, id, change, key) =>
      write(db, { name: 'post_edit', key, about: post => post.id }, tx =>
        editOwn(tx, author, id, change)
      ),

    deletePost: (author, id, key) =>
      write(db, { name: 'post_delete', key }, tx => deleteOwn(tx, author, id)),

    async postsByIds(ids) {
      const wanted = [...new Set(ids)].filter(isPostId)
      const rows = await db.rows<PostRow>(byIds, [wanted.map(shardOf), wanted])
      return rows.map(toPost)
    },

    async postsByExternalIds(keys) {
      const values = [keys.map(key => key.author), keys.map(key => key.externalId)]
      const rows = await db.rows<{ id: PostId | null }>(byExternalIds, values)
      return rows.map(row => row.id)
    },

    async idsByAuthor(author, below, above, limit, extent = 'shown') {
      const values = [author, bound(below), bound(above), limit, STATUSES[extent]]
      return (await db.rows<{ id: PostId }>(byAuthor, values)).map(row => row.id)
    }
  }
}
