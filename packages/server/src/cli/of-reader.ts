import type { UserId } from '@fanwise/sdk'

/** The server's words for an unknown user are about what a reader may see; here it is who was named. */
export async function ofReader<T>(reader: UserId, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'user_not_found') throw error
    throw new Error(`There is no user "${reader}" whose feed this could be about.`, {
      cause: error
    })
  }
}
