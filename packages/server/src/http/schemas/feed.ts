import type { NewerCount } from '@fanwise/sdk'
import Type from 'typebox'
import { pageFields, strict } from './common.ts'

const KNOWN_MAX = 100
const POST_ID = '[1-9][0-9]{18}'

const bound = (description: string) =>
  Type.String({ minLength: 1, maxLength: 256, description, examples: ['3736512345678901234'] })

const known = Type.String({
  pattern: `^(${POST_ID}(,${POST_ID}){0,${KNOWN_MAX - 1}})?$`,
  description: `Ids of the posts that the client holds of the 30 s before \`after\`, and that one, separated by commas; at most ${KNOWN_MAX}. Then posts that came in late below \`after\` count as newer, less these.`
})

export const FeedQuerySchema = Type.Object(
  {
    ...pageFields,
    after: Type.Optional(
      bound(
        'Only posts newer than this one: the id of a post, which need not exist any more, or a cursor. Alone it turns the walk: oldest first, from right above it upwards.'
      )
    ),
    before: Type.Optional(
      bound('Only posts older than this one. With `after` the gap between both is paged.')
    ),
    known: Type.Optional(known),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description:
          'The page by its number, where the server numbers pages (preset `enterprise`); goes with `size` and `snapshot` alone. Page 1 takes a snapshot: posts keep their numbers, and none is shown twice.',
        examples: [1]
      })
    ),
    size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description:
          'Posts per page; 20 if absent. A page may be short: what was deleted or is hidden by now leaves a gap. `page * size` is 10,000 at most.',
        examples: [20]
      })
    ),
    snapshot: Type.Optional(
      Type.String({
        pattern: '^[0-9a-z]{1,16}$',
        description:
          '`snapshot` of an earlier page; the latest one of the user if absent. Page 1 takes a fresh one if absent.'
      })
    )
  },
  strict
)

export const NewerQuerySchema = Type.Object(
  {
    after: bound('Posts newer than this one are counted: the id of a post, or a cursor.'),
    known: Type.Optional(known)
  },
  strict
)

export const NewerCountSchema = Type.Object(
  {
    count: Type.Integer({ minimum: 0, maximum: 100 }),
    more: Type.Boolean({
      description: 'There are others; or most of what was looked at is hidden, and it is not known.'
    })
  },
  {
    $id: 'NewerCount',
    ...strict,
    description: 'How many posts are newer.',
    examples: [{ count: 3, more: false }]
  }
)

export const NewerCountRef = Type.Unsafe<NewerCount>({ $ref: 'NewerCount#' })

/** As the query has it, as a list. */
export function knownIds(text: string | undefined): { known?: readonly string[] } {
  if (text === undefined) return {}
  return { known: text === '' ? [] : text.split(',') }
}
