import { walk, type Op, type OpTable, type Scalar, type Value } from '@filigree/ir';
import type { ValueFacts } from '../elements/additions.js';
import { digitsOf } from '../indices/digits.js';

/** What is known of a parallel loop and of all that is in it. */
export interface NestFacts extends ValueFacts {
  readonly ops: readonly Op[];
  /** The counted loops around an op, from the outermost on; nothing where anything else is around it, such as a branch. */
  readonly pathOf: (op: Op) => readonly Op[] | undefined;
  /** What a value is, with the loops around it; nothing of a value that is there before the nest. */
  readonly madeAt: (v: Value) => Made | undefined;
  /** The buffers that ops of the nest may change. */
  readonly writes: ReadonlySet<string>;
  /** The ops on elements of fields, by field, in the order of the text. */
  readonly byField: ReadonlyMap<string, readonly Op[]>;
  /** The coordinates that a loop goes over; nothing where it counts otherwise than from 0 to a number. */
  readonly axesOf: (loop: Op) => readonly Axis[] | undefined;
  /** What a counter, or what is made of one, is divided into. */
  readonly splitOf: (v: Value) => Split | undefined;
}

/** The op that a value is the result of; none of what a region is given. */
export interface Made {
  readonly op: Op | undefined;
  readonly path: readonly Op[] | undefined;
}

/** A coordinate that goes from 0 to a number: a counter, or a quotient or remainder of one. */
export interface Axis {
  readonly extent: number;
  readonly hint: string | undefined;
  /** The values of the loops, by id, that are this coordinate. */
  readonly is: ReadonlySet<number>;
  /** Those that are what it lacks to the last one. */
  readonly lacks: ReadonlySet<number>;
}

export interface Split {
  readonly quotient: Value;
  readonly remainder: Value;
  readonly by: Value;
}

/** Reads a nest; nothing where it may change anything at all. */
export const nestFacts = (nest: Op, table: OpTable, constants: ReadonlyMap<number, Scalar>): NestFacts | undefined => {
  const ops: Op[] = [];
  const paths = new Map<Op, readonly Op[] | undefined>();
  const made = new Map<number, Made>();
  const uses = new Map<number, number>();
  const definitions = new Map<number, Op>();
  const writes = new Set<string>();
  const byField = new Map<string, Op[]>();
  let isBounded = true;
  const visit = (op: Op, path: readonly Op[] | undefined): void => {
    const inside = path && tripsOf(op, constants) !== undefined ? [...path, op] : undefined;
    for (const { params } of op.regions) for (const p of params) made.set(p.id, { op: undefined, path: inside });
    paths.set(op, path);
    for (const r of op.results) made.set(r.id, { op, path });
    for (const r of op.results) definitions.set(r.id, op);
    for (const v of op.operands) uses.set(v.id, (uses.get(v.id) ?? 0) + 1);
    for (const { kind, buffer } of table.get(op.name)!.effects(op)) {
      if (buffer === undefined) isBounded = false;
      else if (kind !== 'read') writes.add(buffer);
    }
    const { field } = op.attrs;
    if (typeof field === 'string') byField.set(field, [...(byField.get(field) ?? []), op]);
  };
  visit(nest, []);
  walk(nest.regions[0], (op, parents) => {
    ops.push(op);
    const around = [nest, ...parents];
    visit(op, around.every((p) => tripsOf(p, constants) !== undefined) ? around : undefined);
  });
  if (!isBounded) return undefined;

  const number = (v: Value): number | undefined => {
    const value = constants.get(v.id);
    return typeof value === 'number' ? value : undefined;
  };
  const axes = new Map<Op, readonly Axis[] | undefined>();
  const axesOf = (loop: Op): readonly Axis[] | undefined => {
    if (!axes.has(loop)) {
      const digits = digitsOf([loop], ops, constants);
      axes.set(
        loop,
        digits?.values.map((digit) => {
          const { extent } = digits.shiftOf(digit)!;
          const turned = ops.filter(
            ({ name, operands: [a, b] }) => name === 'arith.sub' && b.id === digit.id && number(a) === extent - 1,
          );
          const [as, back] = [new Set([digit.id]), new Set(turned.map((op) => op.results[0].id))];
          /* Adjoints of loops count backwards, and name elements by what is left. */
          const turns = back.size > 0 && digits.count === 1;
          return { extent, hint: digit.hint, is: turns ? back : as, lacks: turns ? as : back };
        }),
      );
    }
    return axes.get(loop);
  };
  const splitOf = (v: Value): Split | undefined => {
    const parts = (name: string): Op | undefined => ops.find((op) => op.name === name && op.operands[0].id === v.id);
    const [quotient, remainder] = [parts('arith.div'), parts('arith.rem')];
    return quotient && remainder && number(quotient.operands[1]) === number(remainder.operands[1])
      ? { quotient: quotient.results[0], remainder: remainder.results[0], by: quotient.operands[1] }
      : undefined;
  };
  return {
    ops,
    definitions,
    uses,
    writes,
    byField,
    axesOf,
    splitOf,
    pathOf: (op) => paths.get(op),
    madeAt: (v) => made.get(v.id),
  };
};

/** How often a loop runs that counts from 0 by 1 to a number. */
export const tripsOf = (
  { name, operands, regions }: Op,
  constants: ReadonlyMap<number, Scalar>,
): number | undefined => {
  if (name !== 'scf.for' || regions[0].params[0].type !== 'i32') return undefined;
  const [lower, upper, step] = operands.map((v) => constants.get(v.id));
  return lower === 0 && step === 1 && typeof upper === 'number' && upper > 0 ? upper : undefined;
};
