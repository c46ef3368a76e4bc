import type { PostId } from '../domain/post-id.ts'

/** `FoundPosts` of the API as JSON: what was found of the ids, which are repeated at will, and what was not. */
export function presentFound(
  ids: readonly PostId[],
  found: ReadonlyMap<PostId, Uint8Array>
): Uint8Array {
  const distinct = [...new Set(ids)]
  const items = distinct.flatMap(id => found.get(id) ?? [])
  const missing = distinct.filter(id => !found.has(id))
  const comma = Buffer.from(',')
  return Buffer.concat([
    Buffer.from('{"items":['),
    ...items.flatMap((item, index) => (index === 0 ? [item] : [comma, item])),
    Buffer.from(`],"missing":${JSON.stringify(missing)}}`)
  ])
}
