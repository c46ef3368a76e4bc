import type { ImportedPost } from '../../domain/post.ts'
import { shardOfAuthor } from '../../domain/post-id.ts'
import { checkCreatedAt } from '../../domain/post-time.ts'
import type { UserStatus } from '../../domain/user.ts'
import { type Queries, statement } from './pool.ts'
import { mayWrite } from './rows.ts'

const statuses = statement(
  'import_authors',
  'select number, status from users where number = any($1::bigint[])'
)

const clock = statement(
  'import_clock',
  'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms'
)

/** Refuses when the clock is behind the shard of an author whose posts are made now. */
const shardClocks = statement(
  'import_shard_clocks',
  'select post_clock(s) from unnest($1::smallint[]) s'
)

/**
 * Returns the database's time.
 * @throws Problem user_not_found, account_suspended, account_gone, clock_behind, time_out_of_range
 */
export async function checkImport(tx: Queries, posts: readonly ImportedPost[]): Promise<number> {
  const authors = [...new Set(posts.map(post => post.author))]
  const rows = await tx.rows<{ number: string; status: UserStatus }>(statuses, [authors])
  const found = new Map(rows.map(row => [Number(row.number), row.status]))
  for (const author of authors) mayWrite(author, found.get(author))
  const [time] = await tx.rows<{ ms: string }>(clock)
  const now = Number(time?.ms)
  for (const { createdAt } of posts) if (createdAt !== null) checkCreatedAt(createdAt, now)
  const shards = posts
    .filter(post => post.createdAt === null)
    .map(post => shardOfAuthor(post.author))
  if (shards.length > 0) await tx.rows(shardClocks, [[...new Set(shards)]])
  return now
}
