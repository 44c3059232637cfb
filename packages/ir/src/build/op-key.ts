import type { Attr, Op } from '../kernel/op.js';
import { type Type, typeText } from '../kernel/type.js';
import { exactText } from '../scalar/exact-text.js';

/**
 * Text that is the same for two ops exactly when they compute the same from the same operands. Regions are not looked at.
 *
 * @param type that of the result: it follows from operands and attributes, unless there are no operands
 */
export const opKey = (
  { name, operands, attrs }: Pick<Op, 'name' | 'operands' | 'attrs'>,
  commutative: boolean,
  type: Type | undefined,
): string => {
  let key = name;
  if (operands.length === 0 && type !== undefined) key += `:${typeText(type)}`;
  if (commutative && operands.length === 2 && operands[0].id > operands[1].id)
    key += `(${operands[1].id},${operands[0].id}`;
  else {
    const ordered = commutative && operands.length > 2 ? [...operands].sort((a, b) => a.id - b.id) : operands;
    for (let n = 0; n < ordered.length; n++) key += (n === 0 ? '(' : ',') + ordered[n].id;
  }
  const names = Object.keys(attrs);
  if (names.length > 1) names.sort();
  for (const attr of names) key += `;${attr}=${attrKey(attrs[attr])}`;
  return key;
};

/** As JSON, but with -0, NaN and infinities told apart. */
const attrKey = (a: Attr): string => {
  if (typeof a === 'number') return exactText(a);
  if (typeof a === 'string') return JSON.stringify(a);
  return typeof a === 'boolean' ? String(a) : `[${a.map(attrKey).join(',')}]`;
};
