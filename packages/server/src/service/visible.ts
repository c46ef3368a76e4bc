import { changesRules } from '../domain/commit.ts'
import { unknownUser } from '../domain/unknown.ts'
import type { User } from '../domain/user.ts'
import { readRules } from '../page/rules.ts'
import type { ServiceContext } from './context.ts'

/** A user whom the viewer may see: active, and not blocked either way. @throws Problem user_not_found */
export async function visibleTo(
  context: ServiceContext,
  viewer: User | undefined,
  id: string
): Promise<User> {
  const user = await context.directory.visible(id)
  if (viewer === undefined || viewer.number === user.number) return user
  const changed = changesRules(context.traces, viewer.number)
  const { blocks } = await readRules(context, viewer.number, changed)
  if (blocks.has(user.number)) throw unknownUser(id)
  return user
}
