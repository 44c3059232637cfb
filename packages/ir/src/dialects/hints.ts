import type { Access } from '../kernel/access.js';
import type { OpDef } from '../kernel/dialect.js';
import type { Op } from '../kernel/op.js';
import { defineBound, firstProblem, hasOperands, integerAttr, isIndex, oneOf, operandIs } from './define.js';

/**
 * The ops of `mem` without a meaning for one thread: hints, which matter for speed only and stay where they are, fences, and `mem.worker`.
 */
export const hintOps = (
  names: (op: Op, buffers: Parameters<OpDef['verify']>[1]) => string | undefined,
  bufferName: (op: Op) => string,
  touched: (op: Op, kind: Access['kind'], at: number, count: number) => Access,
): readonly OpDef[] => [
  defineBound(
    {
      name: 'mem.prefetch',
      summary: 'says that the element at an index of `buffer` will be wanted soon; the index may be outside',
      verify: (op, buffers) =>
        firstProblem(hasOperands(op, 1) ?? names(op, buffers) ?? operandIs(op, 0, 'an index (i32 or i64)', isIndex)),
      resultTypes: () => [],
      accesses: (op) => [touched(op, 'hint', 0, 1)],
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
      verify: (op, buffers) => firstProblem(hasOperands(op, 0) ?? names(op, buffers)),
      resultTypes: () => [],
      /* As passes see it the contents change, so none carries what it loaded across. */
      effects: (op) => [{ kind: 'write', buffer: bufferName(op) }],
      traits: { hint: true },
    },
    () => () => 0,
  ),
  defineBound(
    {
      name: 'mem.fence',
      summary:
        'orders what this thread does to memory, as fences of C++ do: after a `release` what was written before is seen by whoever reads, ' +
        'and then passes an `acquire`, what is written after; `both` is each',
      verify: (op) => firstProblem(hasOperands(op, 0) ?? oneOf(op, 'order', ['acquire', 'release', 'both'])),
      resultTypes: () => [],
      /* What is loaded is not carried across, whichever buffer it is of. */
      effects: () => [{ kind: 'write' }],
    },
    () => () => 0,
  ),
  defineBound(
    {
      name: 'mem.worker',
      summary:
        'a number from 0 to below `count`, by which threads keep apart what they change in `buffer`: always the same one on a ' +
        'thread and, where there are enough, another one on each; any number is right',
      verify: (op, buffers) => firstProblem(hasOperands(op, 0) ?? names(op, buffers) ?? integerAttr(op, 'count', 1)),
      resultTypes: () => ['i32'],
      /* It stays inside the parallel loop in which it stands, as what reads the buffer that is changed there. */
      effects: (op) => [{ kind: 'read', buffer: bufferName(op) }],
    },
    () => () => 0,
  ),
];
