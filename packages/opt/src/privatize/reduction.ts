import { bufferName, scalarOf, type Op, type Region, type Scalar, type ScalarType, type Value } from '@filigree/ir';
import { accessIn, touches, type Facts } from '../support/facts.js';

/** Atomics of a loop that all combine into one element in the same way, and whose results are unused. */
export interface Reduction {
  readonly buffer: string;
  readonly kind: string;
  readonly type: ScalarType;
  /** The element: a value from outside the loop, or a constant. */
  readonly index: Value;
  readonly constant: Scalar | undefined;
  readonly atomics: ReadonlySet<Op>;
  /** One of the atomics runs whenever an iteration does. */
  readonly certain: boolean;
}

export interface Surroundings {
  readonly facts: Facts;
  readonly constantOf: (v: Value) => Scalar | undefined;
  /** Whether a value is defined in the loop. */
  readonly inside: (v: Value) => boolean;
  /** How often a value is used in the kernel. */
  readonly uses: (v: Value) => number;
  /** Whether these two indices, of a loop and of one of its ops, can never be equal. */
  readonly distinct: (a: Value, b: Value) => boolean;
  /** Whether the loop is all that runs meanwhile: then what loops within it combine counts too, and fences, since nobody sees the element before it ends. Default false. */
  readonly whole?: boolean;
}

/** The reductions of a loop that may be accumulated before they reach memory: nothing else in it touches their elements. */
export const reductionsOf = (loop: Op, s: Surroundings): readonly Reduction[] => {
  const found = new Map<string, Op[]>();
  const certain = new Set<string>();
  const visit = (region: Region, always: boolean): void => {
    for (const op of region.ops) {
      const key = keyOf(op, s);
      if (key !== undefined) {
        if (found.has(key)) found.get(key)!.push(op);
        else found.set(key, [op]);
        if (always) certain.add(key);
      }
      if (op.name === 'scf.if' || s.whole === true) for (const r of op.regions) visit(r, false);
    }
  };
  loop.regions.forEach((r, i) => visit(r, i === 0));
  const all = [...found].map(([key, atomics]): Reduction => {
    const [value, index] = atomics[0]!.operands as [Value, Value];
    return {
      buffer: bufferName(atomics[0]!),
      kind: String(atomics[0]!.attrs['kind']),
      type: scalarOf(value.type),
      index,
      constant: s.constantOf(index),
      atomics: new Set(atomics),
      certain: certain.has(key),
    };
  });
  return all.filter((r) => loop.regions.every((region) => alone(region, r, s)));
};

const kinds: ReadonlySet<unknown> = new Set(['add', 'min', 'max', 'and', 'or', 'xor']);

/** Whether an atomic combines values in a way in which their order does not matter, but for rounding. */
export const combines = (op: Op): boolean => kinds.has(op.attrs['kind']);

/** Text that is the same for atomics of one reduction; undefined for other ops. */
const keyOf = (op: Op, s: Surroundings): string | undefined => {
  if (op.name !== 'mem.atomic' || !combines(op) || s.uses(op.results[0]!) > 0) return undefined;
  const index = op.operands[1]!;
  const constant = s.constantOf(index);
  if (constant === undefined && s.inside(index)) return undefined;
  const place = constant === undefined ? `%${index.id}` : String(constant);
  return `${bufferName(op)} ${place} ${String(op.attrs['kind'])}`;
};

/** Whether nothing in the region but the reduction's own atomics may touch its element. */
const alone = (region: Region, r: Reduction, s: Surroundings): boolean =>
  region.ops.every((op) => {
    if (r.atomics.has(op) || (s.whole === true && op.name === 'mem.fence')) return true;
    if (op.regions.length > 0 && s.facts.def(op)) {
      const f = s.facts.footprint(op);
      if (!f.external && !touches(f.reads, r.buffer) && !touches(f.writes, r.buffer)) return true;
      return op.regions.every((inner) => alone(inner, r, s));
    }
    const { reads, writes, external } = s.facts.footprint(op);
    if (!external && !touches(reads, r.buffer) && !touches(writes, r.buffer)) return true;
    const index = external || reads.any || writes.any ? undefined : scalarIndex(op, s.facts);
    return index !== undefined && s.distinct(r.index, index);
  });

/** The index of an op that touches one element. */
const scalarIndex = (op: Op, facts: Facts): Value | undefined => {
  const access = accessIn(op, facts);
  return access?.count === 1 && access.index.length === 1 ? access.index[0] : undefined;
};
