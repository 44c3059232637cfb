import type { AnyNode } from 'acorn';
import { fromHost } from '../terms/host-value.js';
import { refuse, type Context } from '../context/context.js';
import type { Host, Mixed, OneOf, Term } from '../context/term.js';
import { columnOf, oneOf } from './one-of.js';

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
  if (x.is === 'host') return fromHost(cx, e, f.name, said(x.value));
  return oneOf(
    cx,
    e,
    x.name,
    columnOf(cx.session, x.values, `[${f.name}]`, (all) => all.map(said)),
    x.index,
  );
};
