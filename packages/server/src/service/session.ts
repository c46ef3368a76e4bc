import type { CommitCodec, Session, Trace } from '../domain/commit.ts'

/** A session as the services see it. */
export interface OpenSession {
  readonly traces: readonly Trace[]
  readonly committed: (trace: Trace) => void
}

export const NO_SESSION: OpenSession = { traces: [], committed() {} }

/** @throws Problem invalid_commit */
export function openSession(commits: CommitCodec, session: Session): OpenSession {
  const { minCommit, onCommit } = session
  return {
    traces: minCommit === undefined ? [] : commits.decode(minCommit),
    committed: trace => onCommit?.(commits.encode(trace))
  }
}
