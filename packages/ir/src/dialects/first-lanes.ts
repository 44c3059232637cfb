import type { Access } from '../kernel/access.js';
import type { Buffers, OpDef, Scalar } from '../kernel/dialect.js';
import type { Op } from '../kernel/op.js';
import { type ScalarType, lanesOf, scalarOf } from '../kernel/type.js';
import { defineBound, firstProblem, hasOperands, integerAttr, lanes } from './define.js';
import { elementIndex, elementReader, elementWriter } from './element.js';

/** What all ops on buffers ask of theirs. */
export interface BufferChecks {
  readonly names: (op: Op, buffers: Buffers) => string | undefined;
  readonly writable: (op: Op, buffers: Buffers) => string | undefined;
  /** An operand of the buffer's element type, or a vector of it. */
  readonly element: (op: Op, at: number, buffers: Buffers) => string | undefined;
  readonly index: (op: Op, at: number) => string | undefined;
  readonly elementType: (attrs: Op['attrs'], buffers: Buffers) => ScalarType | undefined;
  readonly bufferName: (op: Op) => string;
  readonly touched: (op: Op, kind: Access['kind'], at: number, count: number) => Access;
}

/** Vectors of which memory has only the first lanes: the tails of rows, where a processor can mask the rest. */
export const firstLaneOps = ({
  names,
  writable,
  element,
  index,
  elementType,
  bufferName,
  touched,
}: BufferChecks): readonly OpDef[] => [
  defineBound(
    {
      name: 'mem.loadFirst',
      summary:
        'a vector of `lanes` whose first `count` are the elements of `buffer` from an index on, and whose others are zero; ' +
        'these are not read',
      verify: (op, buffers) =>
        firstProblem(
          hasOperands(op, 1) ??
            names(op, buffers) ??
            index(op, 0) ??
            integerAttr(op, 'lanes', 2) ??
            counted(op, op.attrs.lanes as number),
        ),
      resultTypes: (_operands, attrs, _regions, buffers) => {
        const of = elementType(attrs, buffers);
        return of === undefined || typeof attrs.lanes !== 'number' ? [] : [{ lanes: attrs.lanes, of }];
      },
      effects: (op) => [{ kind: 'read', buffer: bufferName(op) }],
      accesses: (op) => [touched(op, 'read', 0, op.attrs.count as number)],
      traits: { mayTrap: true },
    },
    (op, machine) => {
      const type = op.results[0].type;
      const count = op.attrs.count as number;
      const of = scalarOf(type);
      const check = elementIndex(op, machine, bufferName(op), machine.buffer(bufferName(op)).length, count);
      const read = elementReader(op, machine, bufferName(op), of);
      const zero: Scalar = of === 'i1' ? false : of === 'i64' || of === 'u64' ? 0n : 0;
      return (i) => {
        const from = check(i);
        return Array.from({ length: lanesOf(type) }, (_, k) => (k < count ? read(from + k) : zero));
      };
    },
  ),
  defineBound(
    {
      name: 'mem.storeFirst',
      summary:
        'writes the first `count` lanes of a vector to an index of `buffer` and those after it; the others nowhere',
      verify: (op, buffers) =>
        firstProblem(
          hasOperands(op, 2) ??
            names(op, buffers) ??
            writable(op, buffers) ??
            element(op, 0, buffers) ??
            index(op, 1) ??
            counted(op, lanesOf(op.operands[0].type)),
        ),
      resultTypes: () => [],
      effects: (op) => [{ kind: 'write', buffer: bufferName(op) }],
      accesses: (op) => [touched(op, 'write', 1, op.attrs.count as number)],
      traits: { mayTrap: true },
    },
    (op, machine) => {
      const count = op.attrs.count as number;
      const check = elementIndex(op, machine, bufferName(op), machine.buffer(bufferName(op)).length, count);
      const write = elementWriter(machine, bufferName(op), scalarOf(op.operands[0].type));
      return (value, i) => {
        const from = check(i);
        lanes(value).forEach((x, k) => {
          if (k < count) write(from + k, x);
        });
        return 0;
      };
    },
  ),
];

const counted = (op: Op, lanes: number): string | undefined =>
  integerAttr(op, 'count', 1) ??
  ((op.attrs.count as number) < lanes ? undefined : `attribute 'count' must be less than the ${lanes} lanes`);
