import { makeOp, mapRegions, mapShared, type Kernel, type Op, type Region } from '@filigree/ir';

/**
 * Stores of several fields of a word at once as a store of each. How they are rounded does not matter to derivatives, which go straight
 * through what is stored.
 */
export const storesApart = (kernel: Kernel): Kernel => {
  const body = apart(kernel.body);
  return body === kernel.body ? kernel : { ...kernel, body };
};

const apart = (region: Region): Region => {
  const within = mapShared(region.ops, (op) => mapRegions(op, apart));
  if (within === region.ops && !within.some(isJoint)) return region;
  return { params: region.params, ops: within.flatMap((op) => (isJoint(op) ? each(op) : [op])) };
};

const isJoint = ({ name }: Op): boolean => name === 'field.store_word';

const each = ({ attrs, operands, loc }: Op): readonly Op[] => {
  const { fields, ...rest } = attrs;
  const names = fields as readonly string[];
  const at = operands.slice(names.length);
  return names.map((field, n) => makeOp('field.store', [operands[n], ...at], [], { ...rest, field }, [], loc));
};
