// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
import type { Quarry } from './hunt.ts'
import { mutation } from './mutation.ts'

/** Known mistakes about who may see what, and about servers that forget. */
export const RULE_MUTATIONS: readonly Quarry[] = [
  // Rules and cuts.
  mutation(
    'cut',
    'a cut hides the posts of who was unfollowed',
    'domain/rules.ts',
    ' || rules.cuts.has(author)',
    '',
    'forgotten cut'
  ),
  mutation(
    'cut-clean',
    'the feed goes before its cut is forgotten',
    'janitor/clean-cuts.ts',
    'await feeds.drop(readers.map((reader): ListKey => `feed:${reader}`))',
    '',
    'forgotten cut'
  ),
  mutation(
    'block-both-ways',
    'a block hides both from each other',
    'adapters/memory/store/rules.ts',
    'new Set([...blocks.from(reader).keys(), ...blocks.to(reader).keys()])',
    'new Set(blocks.from(reader).keys())',
    'at once'
  ),
  // What a Feeds server may have lost.
  mutation(
    'failover',
    'a Feeds server that came back old is emptied',
    'sim/feeds-server.ts',
    'restore()\n      await this.clear()',
    'restore()',
    'came back old'
  )
]
