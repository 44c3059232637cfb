import { highestId, type Kernel, type Op, type Region } from '@filigree/ir';
import { accessesOf, hasEffects } from './core-ops.js';
import { type Places, noPlaces } from './places.js';
import type { Spelling, Spellings } from './spellings/spelling.js';

/** Who uses each value of a kernel, by value id. */
export interface Usage {
  readonly count: (id: number) => number;
  /** Position in `region` of the only use of the value, or -1 where it has none, several, or one elsewhere. */
  readonly onlyUseIn: (id: number, region: Region) => number;
}

/** Counts uses in one walk; linear in the size of the kernel. Indices that only pointers to places replace have none. */
export const usageOf = (kernel: Kernel, places: Places = noPlaces): Usage => {
  const size = 1 + highestId(kernel);
  const counts = new Uint32Array(size);
  const position = new Int32Array(size);
  const home = new Int32Array(size);
  const numbers = new Map<Region, number>();
  const walk = (region: Region): void => {
    const number = numbers.size;
    numbers.set(region, number);
    for (let k = region.ops.length - 1; k >= 0; k--) {
      const op = region.ops[k]!;
      op.regions.forEach(walk);
      if (passesIndices(op) && counts[op.results[0]!.id] === 0) continue;
      const operands = places.of(op) ? op.operands.slice(0, -1) : op.operands;
      for (const v of operands) {
        counts[v.id]!++;
        position[v.id] = k;
        home[v.id] = number;
      }
    }
  };
  /* What a pointer is made of has a name. */
  for (const { base } of places.all) counts[base.id]! += 2;
  walk(kernel.body);
  return {
    count: (id) => counts[id]!,
    onlyUseIn: (id, region) => (counts[id] === 1 && home[id] === numbers.get(region) ? position[id]! : -1),
  };
};

/** Buffers that the ops of a region use, by bare name, and whether they write them. */
export interface BufferUse {
  readonly read: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
}

/** Buffers used anywhere in these ops, their regions included: what their spelling says, or attribute `buffer` names. Without a spelling that only reads, an op may write. */
export const bufferUse = (ops: readonly Op[], spellings: Spellings): BufferUse => {
  const read = new Set<string>();
  const written = new Set<string>();
  const walk = (list: readonly Op[]): void => {
    for (const op of list) {
      const attr = op.attrs['buffer'];
      const said = spellings[op.name]?.buffers?.(op);
      said?.read.forEach((b) => read.add(b));
      said?.written.forEach((b) => written.add(b));
      if (!said && typeof attr === 'string') (reads(spellings[op.name]) ? read : written).add(attr.replace(/^@/, ''));
      for (const r of op.regions) walk(r.ops);
    }
  };
  walk(ops);
  return { read, written };
};

const reads = (spelling: Spelling | undefined): boolean => spelling?.effect === 'read' || spelling?.effect === 'fixed';

/**
 * Ids of the values that serve as indices into buffers and for nothing else, directly or through sums and products. An
 * index that does not fit its type is out of bounds anyway, so these need not wrap, and compilers see straight strides.
 */
export const indexValues = (kernel: Kernel): { readonly has: (id: number) => boolean } => {
  const otherwise = new Uint8Array(1 + highestId(kernel));
  const walk = (region: Region): void => {
    for (let k = region.ops.length - 1; k >= 0; k--) {
      const op = region.ops[k]!;
      op.regions.forEach(walk);
      const index = accessesOf(op)?.[0]?.index[0];
      const at = index === undefined ? -1 : op.operands.lastIndexOf(index);
      const passes = passesIndices(op) && otherwise[op.results[0]!.id] === 0;
      op.operands.forEach((v, n) => {
        if (passes ? op.name === 'arith.shl' && n === 1 : n !== at) otherwise[v.id] = 1;
      });
    }
  };
  walk(kernel.body);
  return { has: (id) => otherwise[id] === 0 };
};

const passesIndices = (op: Op): boolean =>
  linear.has(op.name)
    ? op.results[0]!.type === 'i32' || op.results[0]!.type === 'i64'
    : op.name === 'arith.cast' && op.operands[0]!.type === 'i32' && op.results[0]!.type === 'i64';

const linear = new Set(['arith.add', 'arith.sub', 'arith.mul', 'arith.neg', 'arith.shl']);

/**
 * Ids of the values of a loop that grow by the same amount from one iteration to the next, its counter among them: addresses
 * that a compiler follows. What others are computed from, which it has to gather, is not among them.
 */
export const affineValues = (loop: Op): { readonly has: (id: number) => boolean } => {
  const affine = new Set<number>([loop.regions[0]!.params[0]!.id]);
  const varying = new Set(affine);
  const walk = (region: Region): void => {
    for (const op of region.ops) {
      op.regions.forEach(walk);
      const moves = op.operands.filter((v) => varying.has(v.id));
      const reads = hasEffects(op) || op.regions.length > 0;
      for (const v of op.results) {
        if (reads || moves.length > 0) varying.add(v.id);
        if (!reads && follows(op, moves.length) && moves.every((m) => affine.has(m.id))) affine.add(v.id);
      }
      for (const r of op.regions) for (const p of r.params) varying.add(p.id);
    }
  };
  const drop = (region: Region): void => {
    for (let k = region.ops.length - 1; k >= 0; k--) {
      const op = region.ops[k]!;
      op.regions.forEach(drop);
      if (passesIndices(op) && !affine.has(op.results[0]!.id)) for (const v of op.operands) affine.delete(v.id);
    }
  };
  walk(loop.regions[0]!);
  drop(loop.regions[0]!);
  return affine;
};

/** Whether a result is affine if the operands are of which so many vary. */
const follows = (op: Op, varying: number): boolean => (op.name === 'arith.mul' ? varying <= 1 : passesIndices(op));
