import type { OpDef } from '../kernel/dialect.js';
import type { Op } from '../kernel/op.js';
import { defineBound, firstProblem, hasOperands, isIndex, operandIs } from './define.js';

/** The hints among the ops of `mem`: they have no meaning, and stay where they are. */
export const hintOps = (
  names: (op: Op, buffers: Parameters<OpDef['verify']>[1]) => string | undefined,
  bufferName: (op: Op) => string,
): readonly OpDef[] => [
  defineBound(
    {
      name: 'mem.prefetch',
      summary: 'says that the element at an index of `buffer` will be wanted soon; the index may be outside',
      verify: (op, buffers) =>
        firstProblem(
          () => hasOperands(op, 1),
          () => names(op, buffers),
          () => operandIs(op, 0, 'an index (i32 or i64)', isIndex),
        ),
      resultTypes: () => [],
      traits: { hint: true },
    },
    () => () => 0,
  ),
  defineBound(
    {
      name: 'mem.reload',
      summary:
        'says that what was loaded from `buffer` is not worth a register any longer: a later load of the same element is to ' +
        'be a load again',
      verify: (op, buffers) =>
        firstProblem(
          () => hasOperands(op, 0),
          () => names(op, buffers),
        ),
      resultTypes: () => [],
      /* As passes see it the contents change, so none carries what it loaded across. */
      effects: (op) => [{ kind: 'write', buffer: bufferName(op) }],
      traits: { hint: true },
    },
    () => () => 0,
  ),
];
