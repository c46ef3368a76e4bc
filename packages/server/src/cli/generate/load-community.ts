import type { AdminApi, Batch, BatchResult } from '@fanwise/sdk'
import { type CommunityOptions, generateCommunity } from './community.ts'

/** Loads a generated community; `onProgress` gets the part that is done. Loading it again changes nothing. */
export async function loadCommunity(
  admin: Pick<AdminApi, 'batch'>,
  community: CommunityOptions,
  onProgress: (part: number) => void,
  change: (batch: Batch) => Batch = batch => batch
): Promise<BatchResult['created']> {
  const created = { users: 0, follows: 0, posts: 0, likes: 0 }
  const total = community.users * (1 + community.follows) + community.posts + community.likes
  let sent = 0
  for (const batch of generateCommunity(community)) {
    const result = await admin.batch(change(batch))
    for (const kind of ['users', 'follows', 'posts', 'likes'] as const) {
      created[kind] += result.created[kind]
      sent += batch[kind]?.length ?? 0
    }
    onProgress(Math.min(1, sent / total))
  }
  return created
}
