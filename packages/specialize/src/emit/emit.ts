import { buildKernel, pass, type Attrs, type Buffer, type Builder, type Kernel, type Module, type Pass, type Value } from '@filigree/ir';
import { defaultOptions, type SpecializeOptions } from '../options.js';
import { POOL } from '../place/pools.js';
import type { PlacedGroup, PlacedSegment, Placement } from '../place/place.js';
import { blockValues, emitAddresses, linear } from './address.js';
import { emitExpression } from './expression.js';

/** Below this much work a kernel does not repay waking other threads. */
const PARALLEL_WORK = 1 << 14;

/** Kernel IR from a placement (§4.8): one kernel a group, an outer parallel loop over blocks, an inner vector loop over instances. */
export const emit = (options: Pick<SpecializeOptions, 'dtype' | 'emit'> = defaultOptions, name = 'specialized'): Pass<Placement, Module> =>
  pass('emit', (p) => {
    const kernels = p.groups.filter((g) => g.size > 0).map((g, k) => (g.segments.length > 0 ? rolledKernel(`sum${k}`, g, p.buffers, options) : blockKernel(`kernel${k}`, g, p.buffers, options)));
    return { name, buffers: p.buffers, kernels, attrs: {} };
  });

const blockKernel = (name: string, g: PlacedGroup, buffers: readonly Buffer[], options: Pick<SpecializeOptions, 'dtype' | 'emit'>): Kernel =>
  buildKernel(
    name,
    {},
    (b) => {
      const { blockSize } = g.encoded;
      const blocks = Math.ceil(g.size / blockSize);
      const zero = b.i32(0);
      const one = b.i32(1);
      const instances = (block: Value | undefined): void => {
        const count = block === undefined ? b.i32(g.size) : g.size % blockSize === 0 ? b.i32(blockSize) : b.min(b.i32(blockSize), b.sub(b.i32(g.size), b.mul(block, b.i32(blockSize))));
        const fixed = blockValues(b, g.encoded, g.bases, block);
        const constantRow = g.constantCount > 0 ? linear(b, block, g.constantCount * blockSize, g.bases.constants) : undefined;
        const firstInstance = block === undefined ? undefined : b.mul(block, b.i32(blockSize));
        b.for(zero, count, one, loopAttrs(options.emit.simd && { simd: true }), [], (j) => {
          const i = firstInstance === undefined ? j : b.add(firstInstance, j);
          instance(b, g, { ...fixed, i, j }, constantRow, options.dtype);
        });
      };
      if (blocks === 1) instances(undefined);
      else b.for(zero, b.i32(blocks), one, loopAttrs(options.emit.parallel && g.size * cost(g) >= PARALLEL_WORK && { parallel: true }), [], (block) => instances(block));
    },
    buffers,
  );

const loopAttrs = (attrs: Attrs | false): Attrs => attrs || {};

const cost = (g: PlacedGroup): number => g.columnBuffers.length + (g.template?.graph.length ?? 0);

type InstanceContext = ReturnType<typeof blockValues> & { readonly i: Value; readonly j: Value };

/** Loads, computes and stores one instance. */
const instance = (b: Builder, g: PlacedGroup, at: InstanceContext, constantRow: Value | undefined, dtype: 'f32' | 'f64'): void => {
  const template = g.template!;
  const context = { b, encoded: g.encoded, bases: g.bases, ...at };
  const columns = g.columnBuffers.length;
  const positions = emitAddresses(context, 0, columns, []);
  const loads = positions.map((p, c) => b.load(g.columnBuffers[c], p));
  const constants = Array.from({ length: g.constantCount }, (_, k) => b.load(POOL.constants, b.add(linear(b, constantRow, 1, k * g.encoded.blockSize), at.j)));
  const values = emitExpression(b, template, dtype, (k) => (k < columns ? loads[k] : constants[k - columns]));
  const all = emitAddresses(context, columns, g.encoded.addresses.length, positions);
  g.stores.forEach((list, k) => list.forEach(({ buffer, address }) => b.store(buffer, values[k], all[address])));
};

/** A loop over instances, each summing its terms segment by segment. */
const rolledKernel = (name: string, g: PlacedGroup, buffers: readonly Buffer[], options: Pick<SpecializeOptions, 'dtype' | 'emit'>): Kernel =>
  buildKernel(
    name,
    {},
    (b) => {
      const terms = g.segments.reduce((n, s) => n + s.terms * (s.columnBuffers.length + 1), 0);
      const one = b.i32(1);
      b.for(b.i32(0), b.i32(g.size), one, loopAttrs(options.emit.parallel && terms >= PARALLEL_WORK && { parallel: true }), [], (i) => {
        const sum = g.segments.reduce((s, segment) => sumOfTerms(b, segment, i, one, s, options.dtype), b.constant(0, options.dtype));
        const context = { b, encoded: g.encoded, bases: g.bases, ...blockValues(b, g.encoded, g.bases, undefined), i, j: i };
        const positions = emitAddresses(context, 0, g.encoded.addresses.length, []);
        g.stores[0].forEach(({ buffer, address }) => b.store(buffer, sum, positions[address]));
      });
    },
    buffers,
  );

const sumOfTerms = (b: Builder, s: PlacedSegment, i: Value, one: Value, start: Value, dtype: 'f32' | 'f64'): Value => {
  const from = b.load(POOL[32], linear(b, i, 1, s.ptrBase));
  const to = b.load(POOL[32], linear(b, i, 1, s.ptrBase + 1));
  const fixed = blockValues(b, s.encoded, s.bases, undefined);
  return b.for(from, to, one, {}, [start], (t, [sum]) => {
    const context = { b, encoded: s.encoded, bases: s.bases, ...fixed, i: t, j: t };
    const columns = s.columnBuffers.length;
    const positions = emitAddresses(context, 0, columns, []);
    const loads = positions.map((p, c) => b.load(s.columnBuffers[c], p));
    const constants = Array.from({ length: s.constantCount }, (_, k) => b.load(POOL.constants, linear(b, t, 1, s.bases.constants + k * s.terms)));
    const [term] = emitExpression(b, s.template, dtype, (k) => (k < columns ? loads[k] : constants[k - columns]));
    return b.add(sum, term);
  })[0];
};
