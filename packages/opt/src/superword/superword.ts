import {
  bufferName,
  byteSize,
  isFloat,
  mapKernels,
  opWith,
  scalarOf,
  walk,
  type Buffers,
  bufferMap,
  type Kernel,
  type Op,
  type Region,
  type Scalar,
} from '@filigree/ir';
import { rangesOf, type Ranges } from '../integer-range/analysis.js';
import { affineForms, type AffineForms } from '../support/affine.js';
import { constantOfOp } from '../support/constant-in.js';
import { loadStoreOf } from '../support/load-store.js';
import { takesLanes } from '../support/takes-lanes.js';
import { corePass } from '../support/core-pass.js';
import { factsOf, type Facts } from '../support/facts.js';
import { freshValues, type Fresh } from '../support/values.js';
import { blockOf, definitionsOf, dependences } from './block.js';
import { findPacks } from './find-packs.js';
import type { Pack } from './pack.js';
import { profitable } from './profit.js';
import { schedule } from './schedule.js';
import { suitsLanes } from './suits-lanes.js';
import { writeSteps } from './write-steps.js';

/**
 * Packs ops of straight-line code that do the same to neighbouring elements into ops on short vectors, for example the
 * components of a grid node, which no loop runs over (Larsen & Amarasinghe, Exploiting superword level parallelism with
 * multimedia instruction sets, PLDI 2000), or the numbers that are stored in a few bits of one word. Floats, and integers of 32 bits
 * beside them; results stay the same to the last bit. A loop whose iterations can be the lanes, with neighbouring elements side by
 * side, is left to `vectorize` or to the compiler.
 *
 * Option `bytes` (default 16): the bytes of a vector register. Throws `option/value` when it is not a positive whole
 * number. Option `gathers` (default 0): how many ops on floats an element costs that is loaded from where a lane says. A loop that would compute more than that
 * with each, its components packed, is left, too, where vectors of `vectorBytes` (default 32) have lanes for its iterations. With 0 it never is.
 */
export const superword = corePass(
  'superword',
  { bytes: 16, gathers: 0, vectorBytes: 32 },
  (dialects, { bytes, gathers, vectorBytes }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const buffers = bufferMap(module.buffers);
      return mapKernels(module, (k) => packKernel(k, buffers, { facts, bytes, gathers, vectorBytes }));
    };
  },
  { bytes: 1 },
);

interface Context {
  readonly facts: Facts;
  readonly bytes: number;
  readonly gathers: number;
  readonly vectorBytes: number;
  readonly buffers: Buffers;
  readonly ranges: Ranges;
  readonly forms: AffineForms;
  readonly constants: Map<number, Scalar>;
  readonly fresh: Fresh;
}

type Target = Pick<Context, 'facts' | 'bytes' | 'gathers' | 'vectorBytes'>;

const packKernel = (kernel: Kernel, buffers: Buffers, target: Target): Kernel => {
  const { facts } = target;
  const context: Context = {
    ...target,
    buffers,
    ranges: rangesOf(kernel, buffers, facts),
    forms: affineForms(),
    constants: new Map(),
    fresh: freshValues(kernel),
  };
  const body = packRegion(kernel.body, context);
  return body === kernel.body ? kernel : { ...kernel, body };
};

const packRegion = (region: Region, context: Context, ofLanes = false): Region => {
  const { facts, forms, constants, ranges } = context;
  const ops: Op[] = [];
  for (const op of region.ops) {
    const constant = constantOfOp(op, facts);
    if (constant !== undefined) constants.set(op.results[0]!.id, constant);
    forms.note(op, constant);
    const lanes = op.regions.length === 0 || suitsLanes(op, forms, facts);
    if (lanes === true) {
      ops.push(op);
      continue;
    }
    const regions = op.regions.map((r) => ranges.within(op, r, () => packRegion(r, context, takesLanes(op))));
    if (lanes !== undefined && makeBetterLanes(op, regions, lanes, context)) {
      ops.push(op);
      continue;
    }
    ops.push(regions.every((r, k) => r === op.regions[k]) ? op : opWith(op, { regions }));
  }
  const inner = ops.every((op, k) => op === region.ops[k]) ? region : { params: region.params, ops };
  return packBlock(inner, context, ofLanes);
};

/** Whether a loop whose lanes gather so many elements takes less than it does with its components packed. */
const makeBetterLanes = (
  loop: Op,
  packed: readonly Region[],
  gathered: number,
  { gathers, vectorBytes }: Pick<Context, 'gathers' | 'vectorBytes'>,
): boolean => {
  if (gathers === 0) return false;
  const { count, widest } = floatOps(loop.regions);
  return floatOps(packed).count >= gathers * gathered + (count * widest) / vectorBytes;
};

/** How many ops on floats there are, short vectors of them included, but for loads and stores; and the bytes of the widest float. */
const floatOps = (regions: readonly Region[]): { readonly count: number; readonly widest: number } => {
  const found = { count: 0, widest: 0 };
  for (const r of regions)
    walk(r, (op) => {
      const floats = loadStoreOf(op) ? [] : op.operands.filter((v) => isFloat(v.type));
      if (floats.length > 0) found.count++;
      found.widest = Math.max(found.widest, ...floats.map((v) => byteSize(scalarOf(v.type))));
    });
  return found;
};

const packBlock = (
  region: Region,
  { facts, bytes, buffers, ranges, forms, constants, fresh }: Context,
  ofLanes: boolean,
): Region => {
  const block = blockOf(region, forms, facts);
  const isConstant = (v: { readonly id: number }): boolean => constants.has(v.id);
  const mayRead = (load: Op, lanes: number): boolean => {
    const range = ranges.of(load.operands[0]!);
    const length = buffers.get(bufferName(load))?.length;
    return range !== undefined && length !== undefined && range.hi + lanes <= length;
  };
  const packsOf = (words: boolean): readonly Pack[] =>
    profitable(block, findPacks(block, { bytes, isConstant, mayRead, words }), isConstant);
  /* Iterations that a compiler may make the lanes are left to it unless floats alone are a reason to pack. */
  if (ofLanes && packsOf(false).length === 0) return region;
  const paying = packsOf(true);
  if (paying.length === 0) return region;
  const needs = dependences(block, facts);
  for (let packs = paying; packs.length > 0;) {
    const { steps, dropped } = schedule(packs, needs, (p) => definitionsOf(block, p));
    if (!dropped) {
      const ops = writeSteps(block, steps, packs, constants, fresh);
      return { params: region.params, ops: [...ops, region.ops[region.ops.length - 1]!] };
    }
    packs = profitable(
      block,
      packs.filter((p) => p !== dropped),
      isConstant,
    );
  }
  return region;
};
