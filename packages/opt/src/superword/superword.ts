import {
  bufferName,
  mapKernels,
  opWith,
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
 * number. Option `gathers` (default false): whether the target loads from where lanes say about as fast as from one place, so that
 * iterations make good lanes too where they compute more than they load.
 */
export const superword = corePass(
  'superword',
  { bytes: 16, gathers: false as boolean },
  (dialects, { bytes, gathers }) => {
    const facts = factsOf(dialects);
    return (module) => {
      const buffers = bufferMap(module.buffers);
      return mapKernels(module, (k) => packKernel(k, buffers, { facts, bytes, gathers }));
    };
  },
  { bytes: 1 },
);

interface Context {
  readonly facts: Facts;
  readonly bytes: number;
  readonly gathers: boolean;
  readonly buffers: Buffers;
  readonly ranges: Ranges;
  readonly forms: AffineForms;
  readonly constants: Map<number, Scalar>;
  readonly fresh: Fresh;
}

const packKernel = (kernel: Kernel, buffers: Buffers, target: Pick<Context, 'facts' | 'bytes' | 'gathers'>): Kernel => {
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
  const { facts, forms, constants, ranges, gathers } = context;
  const ops: Op[] = [];
  for (const op of region.ops) {
    const constant = constantOfOp(op, facts);
    if (constant !== undefined) constants.set(op.results[0]!.id, constant);
    forms.note(op, constant);
    if (op.regions.length === 0 || suitsLanes(op, forms, facts, gathers)) {
      ops.push(op);
      continue;
    }
    const regions = op.regions.map((r) => ranges.within(op, r, () => packRegion(r, context, takesLanes(op))));
    ops.push(regions.every((r, k) => r === op.regions[k]) ? op : opWith(op, { regions }));
  }
  const inner = ops.every((op, k) => op === region.ops[k]) ? region : { params: region.params, ops };
  return packBlock(inner, context, ofLanes);
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
