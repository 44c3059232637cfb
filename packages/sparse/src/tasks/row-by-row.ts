import {
  bufferMap,
  Builder,
  idsFrom,
  makeValue,
  opTable,
  walk,
  type AccessesOf,
  type Dialect,
  type Kernel,
  type Op,
  type Value,
} from '@filigree/ir';
import { elementsText, type Extents } from './elements.js';
import { counter, formsOf } from './forms.js';

/** The indices of the element whose number this is, where elements are numbered row by row: the last index counts first. */
export const rowByRow = (b: Builder, number: Value, extents: readonly number[]): readonly Value[] => {
  let rest = number;
  const digits = extents.slice(1).map((_, k) => {
    const extent = b.i32(extents[extents.length - 1 - k]);
    const digit = b.rem(rest, extent);
    rest = b.div(rest, extent);
    return digit;
  });
  return [rest, ...digits.reverse()];
};

/** What `ownText` says of a loop over numbers of elements, each of which touches the element of its number. */
export const rowText = (extents: readonly number[], dialects: readonly Dialect[]): string => {
  if (extents.length === 1) return elementsText(extents);
  const table = opTable(dialects);
  const ids = idsFrom(0);
  const b = new Builder(table, bufferMap([]), ids);
  const number = makeValue(ids.next(), 'i32', undefined);
  const forms = formsOf((op) => table.get(op.name));
  forms.enter([number], [counter('%0', [0, extents.reduce((n, side) => n * side, 1) - 1])]);
  let at: readonly Value[] = [];
  for (const op of b.collect(() => (at = rowByRow(b, number, extents))).ops) forms.note(op);
  return at.map((v, n) => `${n}=${forms.of(v)!.text}`).join();
};

/** Accesses to places of several axes by indices that `rowByRow` gives, as accesses by the number that they are of. */
export const byNumber = (
  { body }: Pick<Kernel, 'body'>,
  accesses: AccessesOf,
  extents: ReadonlyMap<string, Extents>,
): AccessesOf => {
  const made = new Map<number, Op>();
  walk(body, (op) => {
    for (const { id } of op.results) made.set(id, op);
  });
  /* What is divided by a number, if it is that. */
  const divided = (v: Value, name: string, by: number | undefined): Value | undefined => {
    const op = made.get(v.id);
    return op?.name === name && made.get(op.operands[1].id)?.attrs.value === by ? op.operands[0] : undefined;
  };
  const numberOf = (index: readonly Value[], sides: Extents): Value | undefined => {
    const last = index.length - 1;
    const first = last > 0 ? numberOf(index.slice(0, last), sides.slice(0, last)) : index[0];
    if (last === 0 || !first) return first;
    const of = divided(first, 'arith.div', sides[last]);
    return of && divided(index[last], 'arith.rem', sides[last])?.id === of.id ? of : undefined;
  };
  return (op) =>
    accesses(op)?.map((access) => {
      const sides = extents.get(access.place);
      const number = sides && sides.length > 1 ? numberOf(access.index, sides) : undefined;
      return number ? { ...access, index: [number] } : access;
    });
};
