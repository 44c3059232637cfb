import {
  type Buffers,
  type Kernel,
  type Op,
  type Region,
  type Value,
  bufferName,
  isFloat,
  scalarOf,
} from '@filigree/ir';

/** What is known about the values of a kernel before any of it is written. */
export interface Facts {
  /** The op that defines a value; absent for parameters. */
  readonly definition: (v: Value) => Op | undefined;
  /** The constant integer in a value, if it is one (in every lane). */
  readonly constantInteger: (v: Value) => number | undefined;
  /** Whether an integer value is never negative, so that a constant may move into a load's offset. */
  readonly nonNegative: (v: Value) => boolean;
}

/** How many ops back a fact is looked for. */
const deepest = 100;

/** Gathers facts. Constant buffers are looked into once, where they serve as index tables. */
export const factsOf = (kernel: Kernel, buffers: Buffers): Facts => {
  const definitions = new Map<number, Op>();
  const inductions = new Map<number, Op>();
  const known = new Map<number, boolean>();
  let depth = 0;

  const walk = (r: Region): void => {
    for (const op of r.ops) {
      for (const v of op.results) definitions.set(v.id, op);
      if (op.name === 'scf.for') inductions.set(op.regions[0].params[0].id, op);
      op.regions.forEach(walk);
    }
  };
  walk(kernel.body);

  const definition = (v: Value): Op | undefined => definitions.get(v.id);

  const constantInteger = (v: Value): number | undefined => {
    const op = definition(v);
    if (op?.name !== 'arith.constant' || isFloat(v.type) || scalarOf(v.type) === 'i1') return undefined;
    const n = Number(op.attrs.value);
    return Number.isSafeInteger(n) ? n : undefined;
  };

  const nonNegative = (v: Value): boolean => {
    const memo = known.get(v.id);
    if (memo !== undefined) return memo;
    /* A value that depends on itself is taken as unknown while it is being looked at. */
    known.set(v.id, false);
    if (depth >= deepest) return false;
    depth++;
    const fact = decide(v);
    depth--;
    known.set(v.id, fact);
    return fact;
  };

  const decide = (v: Value): boolean => {
    const type = scalarOf(v.type);
    if (type === 'u8' || type === 'u16' || type === 'i1') return true;
    if (type !== 'i32' && type !== 'i64') return false;
    const loop = inductions.get(v.id);
    if (loop) return nonNegative(loop.operands[0]);
    const op = definition(v);
    if (!op || op.results.length !== 1) return false;
    const all = (): boolean => op.operands.every(nonNegative);
    switch (op.name) {
      case 'arith.constant':
        return Number(op.attrs.value) >= 0;
      case 'arith.add':
      case 'arith.mul':
      case 'arith.min':
      case 'arith.div':
      case 'arith.splat':
      case 'arith.iota':
      case 'arith.extract':
      case 'arith.insert':
        return all();
      case 'arith.rem':
      case 'arith.shl':
      case 'arith.shr':
        return nonNegative(op.operands[0]);
      case 'arith.max':
      case 'arith.and':
        return op.operands.some(nonNegative);
      case 'arith.cast':
        return (
          !isFloat(op.operands[0].type) &&
          ['i1', 'u8', 'u16', 'i8', 'i16', 'i32'].includes(scalarOf(op.operands[0].type)) &&
          all()
        );
      case 'arith.select':
        return op.operands.slice(1).every(nonNegative);
      case 'mem.load':
      case 'mem.loadFirst':
      case 'mem.gather':
        return tableNonNegative(bufferName(op));
      default:
        return false;
    }
  };

  const tables = new Map<string, boolean>();
  const tableNonNegative = (name: string): boolean => {
    let fact = tables.get(name);
    if (fact === undefined) {
      const data = buffers.get(name)?.data;
      fact =
        data !== undefined &&
        !(data instanceof BigInt64Array) &&
        !(data instanceof BigUint64Array) &&
        data.every((x: number) => x >= 0);
      tables.set(name, fact);
    }
    return fact;
  };

  return { definition, constantInteger, nonNegative };
};
