import type { AtomicKind, Builder, Value } from '@filigree/ir';

/** What an atomic of a kind makes of an old value and another. */
export const combine = (b: Builder, kind: AtomicKind, old: Value, value: Value): Value =>
  kind === 'exchange' ? value : b[kind](old, value);
