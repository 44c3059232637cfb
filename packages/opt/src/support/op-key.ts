import { typeText, type Attr, type Op } from '@filigree/ir';

/** Text that is the same for two ops exactly when they compute the same from the same operands. Regions are not looked at. */
export const opKey = (op: Op, commutative: boolean): string => {
  const ids = op.operands.map((v) => v.id);
  if (commutative) ids.sort((a, b) => a - b);
  let key = `${op.name}(${ids.join(',')}){`;
  for (const name of Object.keys(op.attrs).sort()) key += `${name}=${attrKey(op.attrs[name]!)};`;
  key += '}';
  for (const { type } of op.results) key += `${typeText(type)},`;
  return key;
};

/** As JSON, but with -0, NaN and infinities told apart. */
const attrKey = (a: Attr): string => {
  if (typeof a === 'number') return Object.is(a, -0) ? '-0' : String(a);
  if (typeof a === 'string') return JSON.stringify(a);
  return typeof a === 'boolean' ? String(a) : `[${a.map(attrKey).join(',')}]`;
};
