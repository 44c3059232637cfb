import {
  bufferName,
  mapKernels,
  rewriteOps,
  walk,
  type Dialect,
  type Module,
  type Op,
  type Replacement,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { affineFormsIn, type AffineForms } from '../support/affine.js';
import { constantIn } from '../support/constant-in.js';
import { clobbered, factsOf, isLoopOp, touches, type Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { tripCount } from '../support/trip-count.js';
import { definedIn } from '../support/values.js';
import { laneVaryingIn } from '../vectorize/lane-varying.js';
import { isForLanes, isSerial } from './hold-rows.js';
import { countOps, isInnermost, unrollWhole } from './iterations.js';

/** Beyond which loops stay. */
interface Limits {
  readonly maxTrips: number;
  readonly maxOps: number;
}

/** See `holdRows`. */
export const rowsHeld = (module: Module, dialects: readonly Dialect[], limits: Limits): Module => {
  const facts = factsOf(dialects);
  return mapKernels(module, (kernel) => {
    const forms = affineFormsIn(kernel, facts);
    return rewriteOps(
      kernel,
      dialects,
      (op, ctx) => (isSerial(op) ? writtenOut(op, ctx, facts, forms, limits) : undefined),
      module.buffers,
    );
  });
};

const writtenOut = (
  loop: Op,
  ctx: RewriteContext,
  facts: Facts,
  forms: AffineForms,
  { maxTrips, maxOps }: Limits,
): Replacement | undefined => {
  const loops = ctx.parents.filter((op) => isLoopOp(op, facts));
  const [forLanes, between] = [loops.findLast(isForLanes), loops.at(-1)];
  if (!forLanes || !between || !isSerial(between) || !isInnermost(loop, facts)) return undefined;
  const constantOf = (v: Value) => constantIn(v, ctx.definition, facts);
  const trips = Number(tripCount(facts.control(loop)?.count, constantOf) ?? 0n);
  if (trips < 2 || trips > maxTrips || trips * countOps(loop) > maxOps) return undefined;
  if (!readsRows(loop, between, forLanes, facts, forms)) return undefined;
  const [first, , step] = loop.operands.map((v) => BigInt(constantOf(v) ?? 0));
  return unrollWhole(loop, trips, ctx, first!, step!);
};

/** Whether a loop loads what depends on the iteration for lanes, and in the loop around on its own counter alone. */
const readsRows = (loop: Op, between: Op, forLanes: Op, facts: Facts, forms: AffineForms): boolean => {
  const written = clobbered(facts.footprint(between));
  const counter = loop.regions[0]!.params[0]!.id;
  const [varies, rows] = [definedIn(between.regions[0]!), laneVaryingIn(forLanes)];
  let found = false;
  walk(loop.regions[0]!, (op) => {
    const access = loadStoreOf(op);
    if (access?.kind !== 'load' || touches(written, bufferName(op))) return;
    const terms = [...forms.coefficients(access.index).keys()];
    const others = terms.filter((id) => id !== counter);
    found ||= others.length < terms.length && !others.some((id) => varies.has(id)) && others.some((id) => rows.has(id));
  });
  return found;
};
