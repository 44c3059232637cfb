import type { Attrs, Builder, Value } from '@filigree/ir';

/** A loop from 0, or `from`, to below a bound, whose counter has a name for people. */
export const loop = (
  b: Builder,
  bound: Value,
  body: (iv: Value) => void,
  { from, attrs = {}, hint = 'n' }: { readonly from?: Value; readonly attrs?: Attrs; readonly hint?: string } = {},
): void => {
  const { region } = b.region([{ type: 'i32', hint }], ([iv]) => body(iv));
  b.op('scf.for', [from ?? b.i32(0), bound, b.i32(1)], attrs, [region]);
};
