import type { Access } from '../kernel/access.js';
import type { Buffers, Machine, OpDef, Scalar } from '../kernel/dialect.js';
import type { Buffer, Op, Value } from '../kernel/op.js';
import {
  type ScalarType,
  type Type,
  isFloat,
  isInteger,
  isVector,
  lanesOf,
  sameType,
  scalarOf,
  typeText,
} from '../kernel/type.js';
import { rangeBetween } from '../range/range.js';
import {
  type Lane,
  booleanAttr,
  defineBound,
  firstProblem,
  hasOperands,
  integerAttr,
  isIndex,
  lanes,
  oneOf,
  operandIs,
} from './define.js';
import { elementIndex, elementReader, elementWriter } from './element.js';
import { firstLaneOps } from './first-lanes.js';
import { hintOps } from './hints.js';
import { integerArithmetic } from './integer.js';
import { dialect } from './op-table.js';
import { laneFold } from './vector.js';

/** The bare name of the buffer an op refers to by attribute `buffer`. */
export const bufferName = (op: Op): string => bareName(String(op.attrs.buffer));

/** The name of a buffer from an attribute that refers to it. */
const bareName = (attr: string): string => (attr.startsWith('@') ? attr.slice(1) : attr);

/** The buffers of a module by bare name, as op definitions want them. */
export const bufferMap = (buffers: readonly Buffer[]): Buffers => new Map(buffers.map((b) => [b.name, b]));

const find = (op: Op, buffers: Buffers): Buffer => buffers.get(bufferName(op)) as Buffer;

const names = (op: Op, buffers: Buffers): string | undefined => {
  const value = op.attrs.buffer;
  if (typeof value !== 'string' || !value.startsWith('@'))
    return `attribute 'buffer' must name a buffer, as in {buffer = @x}`;
  return buffers.has(value.slice(1)) ? undefined : `there is no buffer ${value}`;
};

const writable = (op: Op, buffers: Buffers): string | undefined =>
  find(op, buffers).role === 'const' ? `buffer @${bufferName(op)} is const and cannot be written` : undefined;

const index = (op: Op, at: number): string | undefined => operandIs(op, at, 'an index (i32 or i64)', isIndex);

const indexLanes = (op: Op, at: number): string | undefined =>
  operandIs(op, at, 'a vector of indices (i32 or i64)', (t) => isVector(t) && isIndex(t.of));

/** An operand of the buffer's element type; a vector of it where `vector` allows. */
const element = (op: Op, at: number, buffers: Buffers, vector = false): string | undefined => {
  const type = find(op, buffers).type;
  return operandIs(
    op,
    at,
    `${type}, the type of buffer @${bufferName(op)}`,
    (t) => scalarOf(t) === type && (vector || typeof t === 'string'),
  );
};

const elementType = (attrs: Op['attrs'], buffers: Buffers): ScalarType | undefined =>
  typeof attrs.buffer === 'string' ? buffers.get(attrs.buffer.slice(1))?.type : undefined;

/** The bounds that a load promises. */
const rangeOf = (op: Op): readonly [lo: number, hi: number] | undefined => {
  const range = op.attrs.range;
  return Array.isArray(range) ? [Number(range[0]), Number(range[1])] : undefined;
};

const rangeAttr = (op: Op, buffer: Buffer): string | undefined => {
  if (op.attrs.range === undefined) return undefined;
  const range = op.attrs.range;
  const bounds = Array.isArray(range) && range.length === 2 && range.every((x) => Number.isSafeInteger(x));
  if (!bounds) return `attribute 'range' must be two integers, as in {range = [0, 7]}`;
  return isInteger(buffer.type)
    ? undefined
    : `attribute 'range' is for integers, buffer @${buffer.name} is ${buffer.type}`;
};

const inRange = (op: Op, machine: Machine, read: (i: number) => Scalar): ((i: number) => Scalar) => {
  const range = rangeOf(op);
  if (!range) return read;
  return (i) => {
    const x = read(i);
    return Number(x) >= range[0] && Number(x) <= range[1]
      ? x
      : machine.trap(op, `element ${i} of @${bufferName(op)} is ${x}, promised were ${range[0]} to ${range[1]}`);
  };
};

/** What an op touches whose index is its operand `at`. */
const touched = (op: Op, kind: Access['kind'], at: number, count: number, value?: Value): Access => {
  const place = bufferName(op);
  const index = [op.operands[at]];
  return value === undefined ? { kind, place, index, count } : { kind, place, index, count, value };
};

const load: OpDef = defineBound(
  {
    name: 'mem.load',
    summary:
      'the element at an index of `buffer`; with `lanes` a vector of that many from there on; `range = [lo, hi]` promises ' +
      'an integer between these bounds, and another one traps where that is seen; `keep` says that the value is worth a ' +
      'register until its last use, and is not to be loaded again',
    verify: (op, buffers) =>
      firstProblem(
        hasOperands(op, 1) ??
          names(op, buffers) ??
          index(op, 0) ??
          integerAttr(op, 'lanes', 2, true) ??
          booleanAttr(op, 'keep') ??
          rangeAttr(op, find(op, buffers)),
      ),
    resultTypes: (_operands, attrs, _regions, buffers) => {
      const of = elementType(attrs, buffers);
      return of === undefined ? [] : [typeof attrs.lanes === 'number' ? { lanes: attrs.lanes, of } : of];
    },
    effects: (op) => [{ kind: 'read', buffer: bufferName(op) }],
    accesses: (op) => [touched(op, 'read', 0, lanesOf(op.results[0].type), op.results[0])],
    range: (op, _operands, type) => {
      const promised = rangeOf(op);
      return promised && rangeBetween(type, promised[0], promised[1]);
    },
    traits: { mayTrap: true },
  },
  (op, machine) => {
    const data = machine.buffer(bufferName(op));
    const type = op.results[0].type;
    const width = lanesOf(type);
    const check = elementIndex(op, machine, bufferName(op), data.length, width);
    const read = inRange(op, machine, elementReader(op, machine, bufferName(op), scalarOf(type)));
    if (typeof type === 'string') return (i) => read(check(i));
    return (i) => {
      const from = check(i);
      return Array.from({ length: width }, (_, k) => read(from + k));
    };
  },
);

const store: OpDef = defineBound(
  {
    name: 'mem.store',
    summary: 'writes a value to an index of `buffer`; a vector to that index and those after it',
    verify: (op, buffers) =>
      firstProblem(
        hasOperands(op, 2) ??
          names(op, buffers) ??
          writable(op, buffers) ??
          element(op, 0, buffers, true) ??
          index(op, 1),
      ),
    resultTypes: () => [],
    effects: (op) => [{ kind: 'write', buffer: bufferName(op) }],
    accesses: (op) => [touched(op, 'write', 1, lanesOf(op.operands[0].type), op.operands[0])],
    traits: { mayTrap: true },
  },
  (op, machine) => {
    const data = machine.buffer(bufferName(op));
    const type = op.operands[0].type;
    const check = elementIndex(op, machine, bufferName(op), data.length, lanesOf(type));
    const write = elementWriter(machine, bufferName(op), scalarOf(type));
    if (typeof type === 'string')
      return (value, i) => {
        write(check(i), value as Scalar);
        return 0;
      };
    return (value, i) => {
      const from = check(i);
      lanes(value).forEach((x, k) => write(from + k, x));
      return 0;
    };
  },
);

const gather: OpDef = defineBound(
  {
    name: 'mem.gather',
    summary: 'the elements of `buffer` at a vector of indices',
    verify: (op, buffers) => firstProblem(hasOperands(op, 1) ?? names(op, buffers) ?? indexLanes(op, 0)),
    resultTypes: (operands, attrs, _regions, buffers): readonly Type[] => {
      const of = elementType(attrs, buffers);
      return of === undefined ? [] : [{ lanes: lanesOf(operands[0].type), of }];
    },
    effects: (op) => [{ kind: 'read', buffer: bufferName(op) }],
    accesses: (op) => [touched(op, 'read', 0, 1, op.results[0])],
    traits: { mayTrap: true },
  },
  (op, machine) => {
    const data = machine.buffer(bufferName(op));
    const check = elementIndex(op, machine, bufferName(op), data.length, 1);
    const read = elementReader(op, machine, bufferName(op), scalarOf(op.results[0].type));
    return (indices) => lanes(indices).map((i) => read(check(i)));
  },
);

const scatter: OpDef = defineBound(
  {
    name: 'mem.scatter',
    summary:
      'writes the lanes of a vector to the elements of `buffer` at a vector of indices, in increasing order of lanes',
    verify: (op, buffers) =>
      firstProblem(
        hasOperands(op, 2) ??
          names(op, buffers) ??
          writable(op, buffers) ??
          element(op, 0, buffers, true) ??
          indexLanes(op, 1) ??
          (lanesOf(op.operands[0].type) === lanesOf(op.operands[1].type)
            ? undefined
            : `values and indices differ in lanes: ${typeText(op.operands[0].type)} and ${typeText(op.operands[1].type)}`),
      ),
    resultTypes: () => [],
    effects: (op) => [{ kind: 'write', buffer: bufferName(op) }],
    accesses: (op) => [touched(op, 'write', 1, 1)],
    traits: { mayTrap: true },
  },
  (op, machine) => {
    const data = machine.buffer(bufferName(op));
    const check = elementIndex(op, machine, bufferName(op), data.length, 1);
    const write = elementWriter(machine, bufferName(op), scalarOf(op.operands[0].type));
    return (values, indices) => {
      const at = lanes(indices).map(check);
      lanes(values).forEach((x, k) => write(at[k], x));
      return 0;
    };
  },
);

/** How `mem.atomic` combines the old element with the value. */
export type AtomicKind = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor' | 'exchange';

const atomicKinds = (type: ScalarType): readonly AtomicKind[] =>
  type === 'i1'
    ? ['and', 'or', 'xor', 'exchange']
    : isFloat(type)
      ? ['add', 'min', 'max', 'exchange']
      : ['add', 'min', 'max', 'and', 'or', 'xor', 'exchange'];

/** How an atomic operation makes the new value of a scalar type from the old one and another. */
export const combineBy = (type: ScalarType, kind: AtomicKind): ((old: Scalar, value: Scalar) => Scalar) => {
  const next = combine(type, kind);
  return (old, value) => next(old, value, 0);
};

const combine = (type: ScalarType, kind: AtomicKind): Lane => {
  if (kind === 'exchange') return (_old, value) => value;
  if (kind === 'add' || kind === 'min' || kind === 'max') return laneFold(type, kind);
  if (type !== 'i1') return integerArithmetic(type)[kind];
  return kind === 'and'
    ? (a, b) => Boolean(a) && Boolean(b)
    : kind === 'or'
      ? (a, b) => Boolean(a) || Boolean(b)
      : (a, b) => a !== b;
};

const atomic: OpDef = defineBound(
  {
    name: 'mem.atomic',
    summary:
      'combines an element of `buffer` with a value by `kind` in one step; the result is the old element; `together` says that of iterations ' +
      'which run at once `many` do so to the same element',
    verify: (op, buffers) =>
      firstProblem(
        hasOperands(op, 2) ??
          names(op, buffers) ??
          writable(op, buffers) ??
          element(op, 0, buffers) ??
          index(op, 1) ??
          oneOf(op, 'kind', atomicKinds(find(op, buffers).type)) ??
          (op.attrs.together === undefined ? undefined : oneOf(op, 'together', ['many'])),
      ),
    resultTypes: (operands) => [operands[0].type],
    effects: (op) => [{ kind: 'atomic', buffer: bufferName(op) }],
    accesses: (op) => [touched(op, 'atomic', 1, 1)],
    traits: { mayTrap: true },
  },
  (op, machine) => {
    const data = machine.buffer(bufferName(op));
    const type = scalarOf(op.operands[0].type);
    const check = elementIndex(op, machine, bufferName(op), data.length, 1);
    const [read, write] = [
      elementReader(op, machine, bufferName(op), type),
      elementWriter(machine, bufferName(op), type),
    ];
    const next = combine(type, op.attrs.kind as AtomicKind);
    return (value, at) => {
      const i = check(at);
      const old = read(i);
      write(i, next(old, value as Scalar, 0));
      return old;
    };
  },
);

const cas: OpDef = defineBound(
  {
    name: 'mem.cas',
    summary:
      'writes the second operand where the element of `buffer` equals the first, bit by bit; the result is the old element',
    verify: (op, buffers) =>
      firstProblem(
        hasOperands(op, 3) ??
          names(op, buffers) ??
          writable(op, buffers) ??
          element(op, 0, buffers) ??
          element(op, 1, buffers) ??
          index(op, 2) ??
          (sameType(op.operands[0].type, op.operands[1].type) ? undefined : 'expected and desired must have one type'),
      ),
    resultTypes: (operands) => [operands[0].type],
    effects: (op) => [{ kind: 'atomic', buffer: bufferName(op) }],
    accesses: (op) => [touched(op, 'atomic', 2, 1)],
    traits: { mayTrap: true },
  },
  (op, machine) => {
    const data = machine.buffer(bufferName(op));
    const type = scalarOf(op.operands[0].type);
    const check = elementIndex(op, machine, bufferName(op), data.length, 1);
    const [read, write] = [
      elementReader(op, machine, bufferName(op), type),
      elementWriter(machine, bufferName(op), type),
    ];
    return (expected, desired, at) => {
      const i = check(at);
      const old = read(i);
      if (Object.is(old, expected)) write(i, desired as Scalar);
      return old;
    };
  },
);

/** Loads, stores, atomics and hints on the module's buffers. An index counts elements; outside the buffer it traps. */
export const mem = dialect('mem', [
  load,
  store,
  ...firstLaneOps({
    names,
    writable,
    index,
    elementType,
    bufferName,
    element: (op, at, b) => element(op, at, b, true),
    touched,
  }),
  gather,
  scatter,
  atomic,
  cas,
  ...hintOps(names, bufferName, touched),
]);
