import {
  bufferName,
  cloneOps,
  makeValue,
  mapKernels,
  opWith,
  rewriteOps,
  substitute,
  type Builder,
  type Dialect,
  type IdSource,
  type Module,
  type Op,
  type Replacement,
  type RewriteContext,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { affineFormsIn, type AffineForms } from '../support/affine.js';
import { constantIn } from '../support/constant-in.js';
import { earlyIn } from '../support/early.js';
import { clobbered, factsOf, touches, type Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { tripCount } from '../support/trip-count.js';
import { bodyOf, definedIn, terminatorOf } from '../support/values.js';
import { handsOn } from '../support/hands-on.js';
import { isIndex } from './carry-loads.js';

/** See `carryLoads`. */
export const carryLoadsOf = (module: Module, dialects: readonly Dialect[]): Module => {
  const facts = factsOf(dialects);
  return mapKernels(module, (kernel) => {
    const forms = affineFormsIn(kernel, facts);
    return rewriteOps(
      kernel,
      dialects,
      (op, ctx) => (handsOn(op) ? carried(op, ctx, facts, forms) : undefined),
      module.buffers,
    );
  });
};

/** Where a load reads: a sum of multiples of values. */
interface Place {
  readonly buffer: string;
  readonly bits: number;
  readonly terms: ReadonlyMap<number, bigint>;
  readonly offset: bigint;
}

/** Loads at one place that is made of what a loop carries, and the ops of its body that find the place and read there. */
interface CarriedLoads {
  readonly place: Place;
  readonly loads: Op[];
  readonly reading: readonly Op[];
}

const carried = (loop: Op, ctx: RewriteContext, facts: Facts, forms: AffineForms): Replacement | undefined => {
  const constantOf = (v: Value) => constantIn(v, ctx.definition, facts);
  const trips = tripCount(facts.control(loop)?.count, constantOf);
  if (trips === 0n || !(Number(constantOf(loop.operands[2]!)) > 0)) return undefined;
  const body = loop.regions[0]!;
  const written = clobbered(facts.footprint(loop));
  const loads = bodyOf(body).filter(
    (op) =>
      loadStoreOf(op)?.kind === 'load' &&
      typeof op.results[0]!.type === 'string' &&
      op.results[0]!.type !== 'i1' &&
      !touches(written, bufferName(op)),
  );
  if (loads.length < 2) return undefined;
  const params = body.params.slice(1);
  const next = terminatorOf(body).operands;
  const definitions = new Map(bodyOf(body).map((op) => [op.results[0]?.id, op]));
  const placed = loads.map((load) => ({ load, place: placeOf(load, forms) }));

  const found: { readonly at: CarriedLoads; readonly chosen: Chosen }[] = [];
  for (const at of loadsAtCarried(placed, loop, facts)) {
    const used = params.flatMap((param, k) => (at.place.terms.has(param.id) ? [k] : []));
    const before = used.map((k) => params[k]!);
    const read = (values: readonly Value[]): Value | undefined => {
      const place = moved(at.place, before, values, forms);
      return placed.find((p) => isSame(p.place, place))?.load.results[0];
    };
    const chosen = chosenAt(
      used.map((k) => next[k]!),
      before,
      definitions,
      read,
    );
    if (chosen !== undefined && chosen !== 'carried' && 'condition' in chosen) found.push({ at, chosen });
  }
  if (found.length === 0) return undefined;

  return ctx.build((b) => {
    const now = found.map(({ at }) => makeValue(ctx.ids.next(), at.loads[0]!.results[0]!.type, undefined));
    const known = new Map(
      found.flatMap(({ at }, k) => at.loads.map((load): [number, Value] => [load.results[0]!.id, now[k]!])),
    );
    const first = found.map(({ at }) => firstOf(at, loop, trips !== undefined, b, ctx.ids));
    const gone = new Set(found.flatMap(({ at }) => at.loads));
    const left = substitute({ params: body.params, ops: bodyOf(body).filter((op) => !gone.has(op)) }, known);
    const { region } = b.region([], () => {
      for (const op of left.ops) b.append(op);
      const more = found.map(({ chosen }, k) => choose(chosen, now[k]!, known, b));
      return [...substitute({ params: [], ops: [terminatorOf(body)] }, known).ops[0]!.operands, ...more];
    });
    const results = [...loop.results, ...now.map((v) => makeValue(ctx.ids.next(), v.type, undefined))];
    b.append(
      opWith(loop, {
        operands: [...loop.operands, ...first],
        results,
        regions: [{ params: [...body.params, ...now], ops: region.ops }],
      }),
    );
    return loop.results;
  });
};

const placeOf = (load: Op, forms: AffineForms): Place => {
  const [index] = load.operands as readonly [Value];
  const { bits, offset } = forms.of(index);
  return { buffer: bufferName(load), bits, terms: forms.coefficients(index), offset };
};

const isSame = (a: Place, b: Place): boolean =>
  a.buffer === b.buffer &&
  a.bits === b.bits &&
  a.offset === b.offset &&
  a.terms.size === b.terms.size &&
  [...a.terms].every(([id, c]) => b.terms.get(id) === c);

/** The place with other values in place of those. */
const moved = (place: Place, before: readonly Value[], values: readonly Value[], forms: AffineForms): Place => {
  const wrap = (x: bigint): bigint => BigInt.asIntN(place.bits, x);
  const terms = new Map(place.terms);
  let { offset } = place;
  for (const v of before) terms.delete(v.id);
  before.forEach((v, k) => {
    const factor = place.terms.get(v.id)!;
    offset = wrap(offset + factor * forms.of(values[k]!).offset);
    for (const [id, c] of forms.coefficients(values[k]!)) {
      const sum = wrap((terms.get(id) ?? 0n) + factor * c);
      if (sum === 0n) terms.delete(id);
      else terms.set(id, sum);
    }
  });
  return { ...place, terms, offset };
};

/** The loads whose places are made of carried integers and of what the loop does not change. */
const loadsAtCarried = (
  placed: readonly { readonly load: Op; readonly place: Place }[],
  loop: Op,
  facts: Facts,
): readonly CarriedLoads[] => {
  const inside = definedIn(loop.regions[0]!);
  const carries = new Set(loop.regions[0]!.params.slice(1).flatMap((v) => (isIndex(v) ? [v.id] : [])));
  const early = earlyIn(loop.regions[0]!, carries, facts);
  const found: CarriedLoads[] = [];
  for (const { load, place } of placed) {
    const ids = [...place.terms.keys()];
    if (!ids.some((id) => carries.has(id)) || ids.some((id) => inside.has(id) && !carries.has(id))) continue;
    const same = found.find((f) => isSame(f.place, place));
    const finding = same ? undefined : early(load.operands);
    if (same) same.loads.push(load);
    else if (finding) found.push({ place, loads: [load], reading: [...finding, load] });
  }
  return found;
};

/** What is at the indices that a loop carries on: what was at those it had, what the body has read, or a choice. */
type Chosen =
  | 'carried'
  | { readonly read: Value }
  | { readonly condition: Value; readonly yes: Chosen; readonly no: Chosen };

const chosenAt = (
  values: readonly Value[],
  before: readonly Value[],
  definitions: ReadonlyMap<number | undefined, Op>,
  read: (values: readonly Value[]) => Value | undefined,
): Chosen | undefined => {
  if (values.every((v, k) => v.id === before[k]!.id)) return 'carried';
  const choice = values.map((v) => definitions.get(v.id)).find((op) => op?.name === 'arith.select');
  if (choice === undefined) {
    const value = read(values);
    return value && { read: value };
  }
  const condition = choice.operands[0]!;
  const side = (k: 1 | 2): Chosen | undefined =>
    chosenAt(
      values.map((v) => {
        const op = definitions.get(v.id);
        return op?.name === 'arith.select' && op.operands[0]!.id === condition.id ? op.operands[k]! : v;
      }),
      before,
      definitions,
      read,
    );
  const yes = side(1);
  const no = yes && side(2);
  return no && { condition, yes, no };
};

const choose = (chosen: Chosen, now: Value, known: ReadonlyMap<number, Value>, b: Builder): Value => {
  if (chosen === 'carried') return now;
  if ('read' in chosen) return known.get(chosen.read.id) ?? chosen.read;
  return b.select(chosen.condition, choose(chosen.yes, now, known, b), choose(chosen.no, now, known, b));
};

/** What the first iteration would read; where there may be none, only if there is one. */
const firstOf = ({ loads, reading }: CarriedLoads, loop: Op, runs: boolean, b: Builder, ids: IdSource): Value => {
  const [, ...carries] = loop.regions[0]!.params;
  const inits = carries.map((v, k): [number, Value] => [v.id, loop.operands[3 + k]!]);
  const { ops, values } = cloneOps(reading, ids, new Map(inits));
  const [element] = loads[0]!.results as readonly [Value];
  const read = (): Value => {
    for (const op of ops) b.append(op);
    return values.get(element.id)!;
  };
  if (runs) return read();
  const [from, to] = loop.operands as readonly [Value, Value];
  return b.if(b.cmp('lt', from, to), read, () => b.constant(0, element.type as ScalarType))[0]!;
};
