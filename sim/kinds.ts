interface Kind {
  readonly kind: string
  readonly weight: number
  /** In every run. */
  readonly always?: true
}

/** What may happen in a run, and how often. */
const KINDS = [
  { kind: 'post', weight: 17, always: true },
  { kind: 'import', weight: 3 },
  { kind: 'edit', weight: 2 },
  { kind: 'delete', weight: 3 },
  { kind: 'like', weight: 2 },
  { kind: 'follow', weight: 6, always: true },
  { kind: 'unfollow', weight: 4 },
  { kind: 'flip', weight: 5 },
  { kind: 'block', weight: 3 },
  { kind: 'mute', weight: 2 },
  { kind: 'hide', weight: 3 },
  { kind: 'suspend', weight: 2 },
  { kind: 'privacy', weight: 3 },
  { kind: 'decide', weight: 3 },
  { kind: 'leave', weight: 1 },
  { kind: 'walk', weight: 8, always: true },
  { kind: 'visit', weight: 2 },
  { kind: 'rest', weight: 3 },
  { kind: 'crash', weight: 3 },
  { kind: 'doom', weight: 5 },
  { kind: 'lag', weight: 6 },
  { kind: 'freeze', weight: 2 },
  { kind: 'clock', weight: 1 },
  { kind: 'expire', weight: 5 },
  { kind: 'flush', weight: 1 },
  { kind: 'failover', weight: 1 },
  { kind: 'stall', weight: 1 },
  { kind: 'storm', weight: 1 },
  { kind: 'session', weight: 2 },
  { kind: 'rebalance', weight: 5 },
  { kind: 'replay', weight: 2 },
  { kind: 'epoch', weight: 1 }
] as const satisfies readonly Kind[]

export type StepKind = (typeof KINDS)[number]['kind']

export const STEP_KINDS: readonly (Kind & { readonly kind: StepKind })[] = KINDS
