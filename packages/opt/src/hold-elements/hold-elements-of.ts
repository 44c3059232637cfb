import {
  bufferName,
  makeValue,
  mapKernels,
  opWith,
  rewriteOps,
  substitute,
  walk,
  type Builder,
  type Dialect,
  type Module,
  type Op,
  type Replacement,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { affineFormsIn } from '../support/affine.js';
import { constantIn } from '../support/constant-in.js';
import { clobbered, factsOf, observed, touches, type Facts } from '../support/facts.js';
import { loadStoreOf, type LoadStore } from '../support/load-store.js';
import { tripCount } from '../support/trip-count.js';
import { bodyOf, terminatorOf } from '../support/values.js';
import { distinctIndices, type Distinct } from './distinct-indices.js';
import { changedBy, type Changed } from './changed.js';
import { isSerial } from './hold-elements.js';

/** See `holdElements`. */
export const holdElementsOf = (module: Module, dialects: readonly Dialect[]): Module => {
  const facts = factsOf(dialects);
  return mapKernels(module, (kernel) => {
    const distinct = distinctIndices(kernel, affineFormsIn(kernel, facts), facts);
    return rewriteOps(
      kernel,
      dialects,
      (op, ctx) => (isSerial(op) ? held(op, ctx, facts, distinct) : undefined),
      module.buffers,
    );
  });
};

const held = (loop: Op, ctx: RewriteContext, facts: Facts, distinct: Distinct): Replacement | undefined => {
  const constantOf = (v: Value) => constantIn(v, ctx.definition, facts);
  if (!(Number(constantOf(loop.operands[2]!)) > 0)) return undefined;
  const trips = tripCount(facts.control(loop)?.count, constantOf);
  if (trips === 0n) return undefined;
  const all = changedBy(loop).filter((changed) => isAlone(changed, loop, facts, distinct));
  if (all.length === 0) return undefined;
  return ctx.build((b) => {
    const runs = (): readonly Value[] => run(loop, all, b, () => ctx.ids.next());
    if (trips !== undefined) return runs();
    const [from, to, , ...inits] = loop.operands as readonly [Value, Value, Value, ...Value[]];
    return b.if(b.cmp('lt', from, to), runs, () => inits);
  });
};

/** Whether nothing but what loads and stores this element at the top of the body may touch it. */
const isAlone = ({ store }: Changed, loop: Op, facts: Facts, distinct: Distinct): boolean => {
  const buffer = bufferName(store);
  const { index } = loadStoreOf(store)!;
  const isHere = (op: Op): boolean => {
    const access = loadStoreOf(op);
    return access?.index.id === index.id && bufferName(op) === buffer && isOne(access);
  };
  const top = new Set(bodyOf(loop.regions[0]!).filter(isHere));
  let alone = true;
  walk(loop.regions[0]!, (op) => {
    if (!alone || top.has(op)) return;
    /* What is in a region is asked by itself. */
    if (op.regions.length > 0) return void (alone = facts.control(op) !== undefined);
    const footprint = facts.footprint(op);
    if (!touches(clobbered(footprint), buffer) && !touches(observed(footprint), buffer)) return;
    const access = loadStoreOf(op);
    alone = access !== undefined && isOne(access) && distinct(access.index, index);
  });
  return alone;
};

/** Whether it is of one element: a vector reaches over others, too. */
const isOne = ({ index, element }: LoadStore): boolean =>
  typeof index.type === 'string' && typeof element.type === 'string';

/** The loop, which hands the elements on, between what reads them and what writes them; its own results. */
const run = (loop: Op, all: readonly Changed[], b: Builder, next: () => number): readonly Value[] => {
  const typed = ({ load }: Changed): Value => makeValue(next(), load.results[0]!.type, undefined);
  const first = all.map((changed) => {
    const value = typed(changed);
    b.append(opWith(changed.load, { results: [value] }));
    return value;
  });
  const [region] = loop.regions as [(typeof loop.regions)[0]];
  const params = all.map(typed);
  const now = [...params];
  const known = new Map<number, Value>();
  const at = (op: Op): number =>
    all.findIndex(
      ({ store }) => bufferName(store) === bufferName(op) && loadStoreOf(store)!.index.id === loadStoreOf(op)!.index.id,
    );
  const { region: body } = b.region([], () => {
    const renamed = (op: Op): Op => substitute({ params: [], ops: [op] }, known).ops[0]!;
    for (const op of bodyOf(region)) {
      const access = loadStoreOf(op);
      const k = access ? at(op) : -1;
      if (k < 0) b.append(renamed(op));
      else if (access!.kind === 'load') known.set(access!.element.id, now[k]!);
      else now[k] = known.get(access!.element.id) ?? access!.element;
    }
    return [...renamed(terminatorOf(region)).operands, ...now];
  });
  const results = loop.results.map((v) => makeValue(next(), v.type, undefined));
  const last = all.map(typed);
  b.append(
    opWith(loop, {
      operands: [...loop.operands, ...first],
      results: [...results, ...last],
      regions: [{ params: [...region.params, ...params], ops: body.ops }],
    }),
  );
  all.forEach(({ store }, k) => b.append(opWith(store, { operands: [last[k]!, ...store.operands.slice(1)] })));
  return results;
};
