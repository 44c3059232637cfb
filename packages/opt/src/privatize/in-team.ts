import {
  makeOp,
  opWith,
  type Buffer,
  type Builder,
  type IdSource,
  type Op,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { simpleOp } from '../support/values.js';
import { carryReductions } from './accumulate.js';
import type { Reduction } from './reduction.js';
import { identityOf } from '../support/identity.js';

/** Teams among which a long loop is divided. */
export const TEAMS = 1024;

/** Whether a loop counts by 1, and from a number that is not negative, so that its iterations can be counted in its own type. */
export const countsUp = ({ name, operands }: Op, constantOf: ConstantOf): boolean =>
  name === 'scf.for' &&
  operands[0]!.type === 'i32' &&
  Number(constantOf(operands[0]!) ?? -1) >= 0 &&
  constantOf(operands[2]!) === 1;

export const countsFromZero = (loop: Op, constantOf: ConstantOf): boolean =>
  countsUp(loop, constantOf) && constantOf(loop.operands[0]!) === 0;

/** The value of a constant. */
export type ConstantOf = (v: Value) => Scalar | undefined;

/** Which iterations of a loop a thread goes over. */
export interface Strides {
  readonly ids: IdSource;
  /** Counts them: 0, how many it may be, and 1. */
  readonly rounds: readonly [zero: Value, count: Value, one: Value];
  /** How far they lie apart, and before which number of the loop they end. */
  readonly stride: Value;
  readonly trips: Value;
  /** Appends the first of them. */
  readonly first: () => Value;
  /** What the loop counts from where that is not 0. */
  readonly lower?: Value | undefined;
}

/** Appends a loop by 1 as the iterations of one thread, which carries what they combine; gives what that is in the end. */
export const everySoManieth = (
  b: Builder,
  loop: Op,
  reductions: readonly Reduction[],
  { ids, rounds, stride, trips, first, lower }: Strides,
): readonly Value[] => {
  const [iv] = loop.regions[0]!.params as readonly [Value];
  const round = b.newValue('i32', 'round');
  const { ops } = b.collect(() => {
    const at = lower === undefined ? iv : b.newValue('i32');
    b.append(makeOp('arith.add', [b.mul(round, stride), first()], [at], {}, [], undefined));
    if (lower !== undefined) b.append(makeOp('arith.add', [at, lower], [iv], {}, [], undefined));
    /* Past the last number of its type it goes on without sign. */
    const isThere = b.cmp('lt', b.cast(at, 'u32'), b.cast(trips, 'u32'));
    b.if(isThere, () => {
      for (const op of loop.regions[0]!.ops.slice(0, -1)) b.append(op);
    });
    b.op('scf.yield', []);
  });
  const serial = opWith(loop, {
    attrs: {},
    operands: rounds,
    regions: [{ params: [round], ops }],
  });
  const inits = reductions.map((r) => b.constant(identityOf(r.kind, r.type), r.type));
  return b.append(carryReductions(serial, reductions, inits, ids));
};

/** Appends a loop whose iterations the threads of a team take in turns. */
export const byTeam = (b: Builder, count: number, body: (thread: Value) => void): void =>
  void b.for(b.i32(0), b.i32(count), b.i32(1), { team: true }, [], (thread) => body(thread));

/* Of buffers that are new, and not yet among those that the builder knows. */
export const get = (b: Builder, { name, type }: Buffer, at: Value): Value =>
  b.append(simpleOp('mem.load', [at], { buffer: `@${name}` }, b.newValue(type)))[0]!;

export const put = (b: Builder, { name }: Buffer, value: Value, at: Value): void =>
  void b.append(makeOp('mem.store', [value, at], [], { buffer: `@${name}` }, [], undefined));
