import {
  mapKernels,
  mapRegions,
  opWith,
  useCounts,
  walk,
  type Module,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import { elementOf } from '../access/field-dialect.js';
import { isSparse, type Layout } from '../layout/layout.js';
import { changingIn } from './changing.js';
import { innerLoop } from './inner-loop.js';

/** Turns nests of loops, see `sumsInside`. */
export const turnModule = (module: Module, layout: Layout): Module =>
  mapKernels(module, (kernel) => {
    const c: Context = { layout, uses: useCounts(kernel.body) };
    const visit = (op: Op): Op =>
      mapRegions(op, (region) => {
        const ops = region.ops.flatMap((inner) =>
          op.attrs['parallel'] === true ? (turned(c, op, inner) ?? [visit(inner)]) : [visit(inner)],
        );
        return ops.length === region.ops.length && ops.every((o, n) => o === region.ops[n])
          ? region
          : { params: region.params, ops };
      });
    const ops = kernel.body.ops.map(visit);
    return ops.every((op, n) => op === kernel.body.ops[n]) ? kernel : { ...kernel, body: { ...kernel.body, ops } };
  });

interface Context {
  readonly layout: Layout;
  readonly uses: ReadonlyMap<number, number>;
}

/** The nest of a loop with the inner one around it, and what is the same in all of it in front; nothing where that cannot be, or gains nothing. */
const turned = (c: Context, around: Op, outer: Op): readonly Op[] | undefined => {
  const inner = innerLoop(outer);
  if (!inner) return undefined;
  const [outside, inside] = [outer.regions[0]!, inner.regions[0]!];
  const changing = changingIn(outside);
  const own = outside.ops.slice(0, -1).filter((op) => op !== inner);
  /* What writes is no value that could be the same. */
  const before = own.filter(({ results }) => results.length > 0 && results.every(({ id }) => !changing.has(id)));
  const within = [...own.filter((op) => !before.includes(op)), ...inside.ops.slice(0, -1)];
  if (inner.operands.some(({ id }) => changing.has(id))) return undefined;
  if (!isSums(c, within, changing, inside.params[0]!.id) || !shares(around, outer, inner)) return undefined;
  const sums = opWith(outer, { regions: [{ params: outside.params, ops: [...within, outside.ops.at(-1)!] }] });
  return [...before, opWith(inner, { regions: [{ params: inside.params, ops: [sums, inside.ops.at(-1)!] }] })];
};

/**
 * Whether ops compute and read, and update elements that are the same for the outer loop and each iteration's own in the inner one, of fields of which they touch nothing else. Where an op of the outer loop goes through every
 * iteration of the inner one it should cost no more than it reads.
 */
const isSums = (c: Context, ops: readonly Op[], changing: ReadonlySet<number>, counter: number): boolean => {
  const written = new Map<string, string>();
  const read = new Map<string, Set<string>>();
  const ofInner = new Set([counter]);
  for (const op of ops) {
    const { name, operands, results, attrs } = op;
    const follows = operands.some(({ id }) => ofInner.has(id));
    if (follows) for (const { id } of results) ofInner.add(id);
    if (op.regions.length > 0) return false;
    if (name.startsWith('arith.') || name.startsWith('math.')) {
      if (!follows && !cheap.test(name)) return false;
      continue;
    }
    const element = elementOf(c.layout, op);
    if (!element || element.placed.path.some((n) => isSparse(c.layout.nodes[n]))) return false;
    const leaf = c.layout.nodes[element.placed.path.at(-1)!]!;
    if (leaf.stored !== undefined) return false;
    const field = String(attrs['field']);
    const at = element.index.map(({ id }) => id).join();
    if (name === 'field.load') {
      read.set(field, (read.get(field) ?? new Set()).add(at));
      continue;
    }
    const updates = name === 'field.store' || (name === 'field.atomic' && !results.some(({ id }) => c.uses.has(id)));
    if (!updates || (written.has(field) && written.get(field) !== at)) return false;
    /* One coordinate is the counter of the inner loop, and none follows from the outer one. */
    if (!element.index.some(({ id }) => id === counter)) return false;
    if (element.index.some(({ id }) => id !== counter && changing.has(id))) return false;
    written.set(field, at);
  }
  return written.size > 0 && [...written].every(([field, at]) => [...(read.get(field) ?? [at])].every((r) => r === at));
};

/** Ops that may be done once more for each iteration of the inner loop. */
const cheap = /^arith\.(?!div|rem)/;

/** Whether the nest reads elements that differ for both loops, and are the same for all iterations of the parallel loop around. */
const shares = (around: Op, outer: Op, inner: Op): boolean => {
  const counters = [outer, inner].map(({ regions: [region] }) => madeOf(region!));
  const iteration = madeOf(around.regions[0]!);
  const follows = (operands: readonly Value[], from: ReadonlySet<number>): boolean =>
    operands.some(({ id }) => from.has(id));
  const { ops } = inner.regions[0]!;
  /* What several iterations add to would not stay in a value. */
  const isOwn = ops.every(
    ({ name, operands }) =>
      (name !== 'field.store' && name !== 'field.atomic') || follows(operands.slice(1), iteration),
  );
  return (
    isOwn &&
    ops.some(
      ({ name, operands }) =>
        name === 'field.load' &&
        counters.every((counter) => follows(operands, counter)) &&
        !follows(operands, iteration),
    )
  );
};

/** What a loop counts, and all that is made of that in it, by id. */
const madeOf = (region: Region): ReadonlySet<number> => {
  const found = new Set(region.params.map(({ id }) => id));
  walk(region, ({ operands, results }) => {
    if (operands.some(({ id }) => found.has(id))) for (const { id } of results) found.add(id);
  });
  return found;
};
