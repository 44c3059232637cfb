import {
  isFloat,
  mapKernels,
  mapRegions,
  opWith,
  walk,
  type Kernel,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { constantIn } from './support/constant-in.js';
import { corePass } from './support/core-pass.js';
import { factsOf } from './support/facts.js';
import { freshValues, simpleOp } from './support/values.js';

/**
 * Takes constant factors of integers out of what is computed from them: b·s - a·s, weighted and added to a·s, is one product with s at the end in place of one
 * for each integer. So numbers in fixed point are interpolated as the integers that they are stored as. Sums, differences, signs, choices, the
 * smaller and larger of two, and products with anything pass a factor on, within a region; what leaves them is multiplied. That is done where it takes
 * fewer products than before.
 *
 * Products are associated differently, so results change by rounding, unless the factor is a power of two.
 */
export const factorScales = corePass('factor-scales', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) =>
    mapKernels(module, (kernel) => {
      const definitions = new Map<number, Op>();
      const uses = new Map<number, number>();
      walk(kernel.body, (op) => {
        for (const v of op.results) definitions.set(v.id, op);
        for (const v of op.operands) uses.set(v.id, (uses.get(v.id) ?? 0) + 1);
      });
      const definition = (v: Value): Op | undefined => definitions.get(v.id);
      return factorKernel(kernel, {
        definition,
        constant: (v) => isFloat(v.type) && constantIn(v, definition, facts) !== undefined,
        number: (v) => Number(constantIn(v, definition, facts)),
        uses,
      });
    });
});

interface Context {
  readonly definition: (v: Value) => Op | undefined;
  readonly constant: (v: Value) => boolean;
  readonly number: (v: Value) => number;
  /** How often each value is used. */
  readonly uses: ReadonlyMap<number, number>;
}

/** A value that is a factor times what can be computed without it. */
interface Scaled {
  readonly op: Op;
  readonly factor: Value;
  /** The operands that are scaled too; none where the op multiplies an integer. */
  readonly of: readonly Value[];
}

const factorKernel = (kernel: Kernel, context: Context): Kernel => {
  const fresh = freshValues(kernel);
  let changed = false;
  const factored = (region: Region): Region => {
    const scaled = worthwhile(scaledIn(region, context), context);
    const plain = new Map<number, Value>();
    changed ||= scaled.size > 0;
    const ops = region.ops.flatMap((op): readonly Op[] => {
      const found = op.results.length === 1 ? scaled.get(op.results[0]!.id) : undefined;
      if (!found) return [mapRegions(op, factored)];
      const [result] = op.results as readonly [Value];
      const leaves = found.used < (context.uses.get(result.id) ?? 0);
      if (found.of.length === 0) {
        plain.set(
          result.id,
          op.operands.find((v) => v.id !== found.factor.id)!,
        );
        return leaves ? [op] : [];
      }
      const value = fresh(result.type);
      plain.set(result.id, value);
      const inner = new Set(found.of.map((v) => v.id));
      const operands = op.operands.map((v) => (inner.has(v.id) ? plain.get(v.id)! : v));
      const without = opWith(op, { operands, results: [value] });
      return leaves ? [without, simpleOp('arith.mul', [value, found.factor], {}, result, op.loc)] : [without];
    });
    return { params: region.params, ops };
  };
  const body = factored(kernel.body);
  return changed ? { ...kernel, body } : kernel;
};

/** The scaled values of a region, by their ids, in order. */
const scaledIn = (region: Region, context: Context): ReadonlyMap<number, Scaled> => {
  const scaled = new Map<number, Scaled>();
  const { number } = context;
  const factorOf = (v: Value): number | undefined => {
    const found = scaled.get(v.id);
    return found && number(found.factor);
  };
  for (const op of region.ops) {
    const [result] = op.results;
    if (op.results.length !== 1 || op.regions.length > 0 || !isFloat(result!.type)) continue;
    const passed = () => {
      const [first, ...others] = operandsWithFactor(op);
      const factor = first && factorOf(first);
      if (factor === undefined || !others.every((v) => factorOf(v) === factor)) return undefined;
      return factor > 0 || !ORDERED.has(op.name)
        ? { op, factor: scaled.get(first!.id)!.factor, of: [first!, ...others] }
        : undefined;
    };
    const found = op.name === 'arith.mul' ? (multiplied(op, context) ?? weighted(op, scaled)) : passed();
    if (found) scaled.set(result!.id, found);
  }
  return scaled;
};

/** Operands that must have one factor for the result to have it. */
const operandsWithFactor = (op: Op): readonly Value[] =>
  op.name === 'arith.select' ? op.operands.slice(1) : PASSING.has(op.name) ? op.operands : [];

const PASSING = new Set(['arith.add', 'arith.sub', 'arith.neg', 'arith.min', 'arith.max']);

/** Ops that ask which is larger, which a negative factor would turn around. */
const ORDERED = new Set(['arith.min', 'arith.max']);

/** A constant times what was an integer. */
const multiplied = (op: Op, { definition, constant }: Context): Scaled | undefined => {
  const factor = op.operands.find(constant);
  const other = op.operands.find((v) => v !== factor);
  const cast = other && definition(other);
  const isInteger = cast?.name === 'arith.cast' && !isFloat(cast.operands[0]!.type);
  return factor && isInteger ? { op, factor, of: [] } : undefined;
};

const weighted = (op: Op, scaled: ReadonlyMap<number, Scaled>): Scaled | undefined => {
  const [a, b] = op.operands as readonly [Value, Value];
  const of = a.id === b.id ? undefined : [a, b].find((v) => scaled.has(v.id));
  return of && { op, factor: scaled.get(of.id)!.factor, of: [of] };
};

/** Those that together need fewer products without their factor, with how often others of them use each. */
const worthwhile = (
  scaled: ReadonlyMap<number, Scaled>,
  { uses }: Context,
): ReadonlyMap<number, Scaled & { readonly used: number }> => {
  const parents = new Map([...scaled.keys()].map((id) => [id, id]));
  const rootOf = (id: number): number => {
    let root = id;
    while (parents.get(root) !== root) root = parents.get(root)!;
    parents.set(id, root);
    return root;
  };
  const used = new Map<number, number>();
  for (const [id, { of }] of scaled)
    for (const v of of) {
      parents.set(rootOf(v.id), rootOf(id));
      used.set(v.id, (used.get(v.id) ?? 0) + 1);
    }
  const saved = new Map<number, number>();
  for (const [id, { of }] of scaled) {
    const leaves = (used.get(id) ?? 0) < (uses.get(id) ?? 0);
    saved.set(rootOf(id), (saved.get(rootOf(id)) ?? 0) + (of.length === 0 ? 1 : 0) - (leaves ? 1 : 0));
  }
  return new Map(
    [...scaled]
      .filter(([id]) => saved.get(rootOf(id))! > 0)
      .map(([id, found]) => [id, { ...found, used: used.get(id) ?? 0 }]),
  );
};
