/** Where change data capture reads the inserts, rows are done as they are written: no relay is to publish them again. */
export const DONE_BY_CDC = `case when current_setting('fanwise.relay', true) = 'cdc' then now() end`

/** SQL of the outbox: each write carries its events in the same statement. `rows` selects a key and an event. */
export function emit(rows: string): string {
  return `insert into outbox (aggregateid, type, lane, payload, published_at)
    select e.key::text, e.event ->> 'type', lane_of_author(e.key), e.event,
      ${DONE_BY_CDC}
    from (${rows}) e (key, event)`
}

/** Select lists for `emit`; the arguments are SQL expressions. */
export function postEvent(type: 'post' | 'edit' | 'delete', author: string, post: string): string {
  return `(${author})::bigint, jsonb_build_object(
    'type', '${type}', 'author', (${author})::bigint, 'post', (${post})::text)`
}

export function relationEvent(author: string, reader: string): string {
  return `(${author})::bigint, jsonb_build_object(
    'type', 'relation', 'author', (${author})::bigint, 'reader', (${reader})::bigint)`
}

export function rulesEvent(reader: string): string {
  return `(${reader})::bigint, jsonb_build_object('type', 'rules', 'reader', (${reader})::bigint)`
}

export function userEvent(author: string): string {
  return `(${author})::bigint, jsonb_build_object('type', 'user', 'author', (${author})::bigint)`
}
