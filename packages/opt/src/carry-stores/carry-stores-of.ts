import {
  bufferName,
  cloneOps,
  isVector,
  makeValue,
  mapKernels,
  opWith,
  rewriteOps,
  substitute,
  type Builder,
  type Dialect,
  type Module,
  type Op,
  type Replacement,
  type RewriteContext,
  type Scalar,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { isSerial } from '../hold-elements/hold-elements.js';
import { affineFormsIn, type AffineForm, type AffineForms } from '../support/affine.js';
import { constantIn } from '../support/constant-in.js';
import { earlyIn } from '../support/early.js';
import { clobbered, factsOf, touches, type Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { indexConstant } from '../support/split-loop.js';
import { tripCount } from '../support/trip-count.js';
import { bodyOf, terminatorOf } from '../support/values.js';

/** See `carryStores`. */
export const carryStoresOf = (module: Module, dialects: readonly Dialect[], most: number): Module => {
  const facts = factsOf(dialects);
  return mapKernels(module, (kernel) => {
    const forms = affineFormsIn(kernel, facts);
    return rewriteOps(
      kernel,
      dialects,
      (op, ctx) => (isSerial(op) ? carried(op, ctx, { facts, forms, most }) : undefined),
      module.buffers,
    );
  });
};

interface Known {
  readonly facts: Facts;
  readonly forms: AffineForms;
  readonly most: number;
}

/** A load or store at the top of a loop, and where it is, in elements from a sum of multiples of values. */
interface At {
  readonly op: Op;
  readonly buffer: string;
  readonly element: Value;
  readonly form: AffineForm;
  /** How far it moves on from one iteration to the next. */
  readonly stride: number;
}

/** A store, and the loads that read what it wrote some iterations before, by how many. */
interface ReadBack {
  readonly store: At;
  readonly loads: ReadonlyMap<number, readonly Op[]>;
  /** The ops that find the place of a load of the most iterations before. */
  readonly finding: readonly Op[];
  readonly behind: number;
}

const carried = (loop: Op, ctx: RewriteContext, known: Known): Replacement | undefined => {
  const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, known.facts);
  const step = Number(constantOf(loop.operands[2]!));
  if (!(step > 0)) return undefined;
  const trips = tripCount(known.facts.control(loop)?.count, constantOf);
  const found = readBacks(loop, step, known).filter(
    ({ behind }) => behind === 1 || (trips !== undefined && trips >= BigInt(behind)),
  );
  if (found.length === 0 || trips === 0n) return undefined;
  return ctx.build((b) => {
    const [region] = loop.regions as [(typeof loop.regions)[0]];
    /* Of each store what it wrote one, two, … iterations before. */
    const before = found.map(({ store, behind }) =>
      Array.from({ length: behind }, () => makeValue(ctx.ids.next(), store.element.type, undefined)),
    );
    const first = found.flatMap((back) =>
      Array.from({ length: back.behind }, (_, k) =>
        firstOf(back, back.behind - 1 - k, step, loop, trips !== undefined, b, ctx),
      ),
    );
    const values = new Map<number, Value>();
    const gone = new Set<Op>();
    found.forEach(({ loads }, n) => {
      for (const [by, ops] of loads)
        for (const op of ops) {
          gone.add(op);
          values.set(op.results[0]!.id, before[n]![by - 1]!);
        }
    });
    const left = substitute({ params: region.params, ops: region.ops.filter((op) => !gone.has(op)) }, values);
    const stored = (back: ReadBack): Value => values.get(back.store.element.id) ?? back.store.element;
    const next = found.flatMap((back, n) => [stored(back), ...before[n]!.slice(0, -1)]);
    const end = terminatorOf(left);
    const ops = [...bodyOf(left), opWith(end, { operands: [...end.operands, ...next] })];
    const carries = before.flat();
    const copy = (v: Value): Value => makeValue(ctx.ids.next(), v.type, undefined);
    const results = loop.results.map(copy);
    b.append(
      opWith(loop, {
        operands: [...loop.operands, ...first],
        results: [...results, ...carries.map(copy)],
        regions: [{ params: [...region.params, ...carries], ops }],
      }),
    );
    return results;
  });
};

/** What the loads of `behind` iterations before would read in iteration `number`; where there may be none, only if there is one. */
const firstOf = (
  { loads, finding, behind }: ReadBack,
  number: number,
  step: number,
  loop: Op,
  runs: boolean,
  b: Builder,
  ctx: RewriteContext,
): Value => {
  const [load] = loads.get(behind)!;
  const [from, to] = loop.operands as readonly [Value, Value];
  const read = (): Value => {
    const counter = number === 0 ? from : b.add(from, indexConstant(b, loop, BigInt(number * step)));
    const { ops, values } = cloneOps(
      [...finding, load!],
      ctx.ids,
      new Map([[loop.regions[0]!.params[0]!.id, counter]]),
    );
    for (const op of ops) b.append(op);
    return values.get(load!.results[0]!.id)!;
  };
  const { type } = load!.results[0]!;
  if (runs) return read();
  return b.if(b.cmp('lt', from, to), read, () => b.constant(0, type as ScalarType))[0]!;
};

/** The stores of a loop of which loads take what earlier iterations wrote. */
const readBacks = (loop: Op, step: number, { facts, forms, most }: Known): readonly ReadBack[] => {
  const [region] = loop.regions as [(typeof loop.regions)[0]];
  const counter = region.params[0]!.id;
  const body = bodyOf(region);
  const all = body.flatMap((op): At[] => {
    const access = loadStoreOf(op);
    if (!access) return [];
    const stride = step * Number(forms.coefficients(access.index).get(counter) ?? 0n);
    return [{ op, buffer: bufferName(op), element: access.element, form: forms.of(access.index), stride }];
  });
  const stores = all.filter(({ op }) => op.name === 'mem.store');
  const accessed = new Set(all.map(({ op }) => op));
  const isElsewhere = (buffer: string): boolean =>
    body.every((op) => accessed.has(op) || !touches(clobbered(facts.footprint(op)), buffer));
  const early = earlyIn(region, new Set([counter]), facts);
  const taken = new Set<Op>();
  return stores.flatMap((store): ReadBack[] => {
    if (store.stride === 0 || !isElsewhere(store.buffer)) return [];
    const loads = new Map<number, Op[]>();
    for (const load of all) {
      const by = distance(store, load) / store.stride;
      if (load.op.name !== 'mem.load' || taken.has(load.op) || !(by >= 1 && by <= most && Number.isInteger(by)))
        continue;
      if (isVector(load.element.type) || load.element.type !== store.element.type) continue;
      if (early(load.op.operands) === undefined) continue;
      if (stores.every((other) => other === store || leaves(other, load, by))) {
        loads.set(by, [...(loads.get(by) ?? []), load.op]);
        taken.add(load.op);
      }
    }
    const behind = Math.max(0, ...loads.keys());
    return behind === 0 ? [] : [{ store, loads, behind, finding: early(loads.get(behind)![0]!.operands)! }];
  });
};

/** By how many elements a place is before another one in each iteration; NaN where that differs. */
const distance = (a: At, b: At): number =>
  a.buffer === b.buffer && a.form.terms === b.form.terms && a.form.bits === b.form.bits
    ? Number(BigInt.asIntN(a.form.bits, a.form.offset - b.form.offset))
    : NaN;

const widthOf = ({ type }: Value): number => (isVector(type) ? type.lanes : 1);

/** Whether another store leaves alone, in the iterations from the one that wrote it on, what a load reads. */
const leaves = (other: At, load: At, by: number): boolean => {
  if (other.buffer !== load.buffer) return true;
  const apart = distance(other, load);
  return (
    other.stride === load.stride &&
    Array.from({ length: by + 1 }, (_, k) => apart - k * load.stride).every(
      (d) => d > 0 || -d >= widthOf(other.element),
    )
  );
};
