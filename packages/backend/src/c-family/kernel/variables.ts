import type { Op, Value } from '@filigree/ir';
import { expr } from '../expr.js';
import { type Writer, declaration, line, named, scalarName, valueOf } from '../writer.js';

/** Declares the variable that a carried value is, and that the result names afterwards. */
export const declare = (w: Writer, param: Value, result: Value, init: string): string => {
  const name = named(w.shared, param, param.hint ?? result.hint);
  w.shared.values.set(result.id, expr(name));
  declaration(w, scalarName(w.shared, param), name, init);
  return name;
};

/** Variables take the operands of a terminator, all at once: an operand that mentions a variable already set is saved first. */
export const assign = (w: Writer, variables: readonly string[], terminator: Op, from = 0): void => {
  const moves = variables
    .map((name, k) => ({ name, value: terminator.operands[from + k]! }))
    .map(({ name, value }) => ({ name, type: scalarName(w.shared, value), text: valueOf(w, value).text }))
    .filter((m) => m.text !== m.name);
  const set = new Set<string>();
  const ready = moves.map((m) => {
    const stale = (m.text.match(/[A-Za-z_]\w*/g) ?? []).some((word) => set.has(word));
    set.add(m.name);
    if (!stale) return m;
    const saved = w.shared.names.take(`next_${m.name}`);
    line(w, `const ${m.type} ${saved} = ${m.text};`);
    return { ...m, text: saved };
  });
  for (const m of ready) line(w, `${m.name} = ${m.text};`);
};

/** The text of a value as a name or literal, for where it is evaluated more than once. */
export const atom = (w: Writer, v: Value): string => {
  const e = valueOf(w, v);
  if (/^(-?[\w.]+|\(-[\w.]+ - 1\))$/.test(e.text)) return e.text;
  const name = named(w.shared, v);
  declaration(w, scalarName(w.shared, v), name, e.text, 'constant');
  return name;
};

/** The number that a constant is; undefined for any other value. */
export const constantNumber = (w: Writer, v: Value): number | undefined => {
  const c = w.shared.constants.get(v.id);
  return c === undefined ? undefined : Number(c);
};

/**
 * The number of iterations; a step that is not positive is reported, and runs none.
 *
 * @param by the step where it is a constant
 */
export const tripCount = (w: Writer, lb: string, ub: string, step: string, by: number | undefined): string =>
  by !== undefined && by >= 1
    ? `${w.site.helper('certain_trip_count')}(${lb}, ${ub}, ${step})`
    : `${w.site.helper('trip_count')}(${lb}, ${ub}, ${step}, ${w.site.status()})`;
