import { FanwiseAdmin } from '@fanwise/sdk'

/** Ada writes; Bob, who follows her, likes it and scrolls to the end of his feed. */
export async function firstFeed(url: string, serverKey: string): Promise<string[]> {
  const admin = new FanwiseAdmin({ url, serverKey })
  await admin.batch({
    users: [
      { id: 'ada', name: 'Ada' },
      { id: 'bob', name: 'Bob' }
    ],
    follows: [{ follower: 'bob', followee: 'ada' }]
  })

  const [ada, bob] = [admin.as('ada'), admin.as('bob')]
  const post = await ada.createPost({ content: 'The engine weaves patterns.' })
  await bob.like(post.id)

  const lines: string[] = []
  for await (const { author, content, viewer } of bob.feed({ limit: 50 }))
    lines.push(`${author.name}: ${content}${viewer.liked ? ' ♥' : ''}`)
  return lines
}
