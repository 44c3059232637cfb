import type { AnyNode } from 'acorn';
import { fromHost } from '../terms/host-value.js';
import { literal } from '../../code/scalar.js';
import { asScalar, refuse, type Context } from '../context/context.js';
import type { Host, Mixed, OneOf, Term } from '../context/term.js';
import { isMissing } from '../terms/missing.js';
import { columnOf, oneOf } from './one-of.js';
import { saidOfNothing } from './with-default.js';

/** What a function of the host says of a value of the surroundings, or of each that it may be: `Number(text)`, `Number.isFinite(x)`. */
export const ofEach = (cx: Context, e: AnyNode, x: Mixed | OneOf | Host, f: (value: never) => unknown): Term => {
  const said = (value: unknown): unknown => {
    try {
      return f(value as never);
    } catch (thrown) {
      return refuse(
        cx,
        e,
        'lang/shape',
        `${f.name} of this throws ${String(thrown)}`,
        'ask what it is before: typeof x',
      );
    }
  };
  const ofThose =
    x.is === 'host'
      ? fromHost(cx, e, f.name, said(x.value))
      : oneOf(
          cx,
          e,
          x.name,
          columnOf(cx.session, x.values, `[${f.name}]`, (all) => all.map(said)),
          x.index,
        );
  const flag = isMissing(cx, e, x);
  if (!flag) return ofThose;
  const [ofNull, ofUndefined] = [null, undefined].map((none) => literal(said(none) as number | boolean));
  return saidOfNothing(cx, e, flag, asScalar(cx, e, ofThose), [ofNull, ofUndefined]);
};
