import {
  byteSize,
  isVector,
  mapKernels,
  opWith,
  rewriteOps,
  scalarOf,
  type Builder,
  type Dialect,
  type Module,
  type Op,
  type Region,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { affineFormsIn, type AffineForms } from '../support/affine.js';
import { constantIn } from '../support/constant-in.js';
import { factsOf, type Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { attrsOfParts, indexConstant } from '../support/split-loop.js';
import { bodyOf, definedIn } from '../support/values.js';
import { accessesIn, inner, isAnyOrder } from './nest.js';

/** See `tile`. */
export const tileNests = (module: Module, dialects: readonly Dialect[]): Module => {
  const facts = factsOf(dialects);
  return mapKernels(module, (kernel) => {
    const forms = affineFormsIn(kernel, facts);
    return rewriteOps(
      kernel,
      dialects,
      (op, ctx) => {
        const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, facts);
        const nest = isAnyOrder(op) ? crossingIn(op, facts, forms, constantOf) : undefined;
        return nest && ctx.build((b) => tiled(nest, b, facts));
      },
      module.buffers,
    );
  });
};

/** Loops from one to the innermost that go across each other, and the side of a tile. */
interface Crossing {
  readonly loops: readonly Op[];
  /** Which of the two is the innermost in a tile: in which more is near. */
  readonly last: Op;
  readonly side: bigint;
  /** Loops of which all tiles are whole. */
  readonly even: readonly Op[];
}

const crossingIn = (
  outer: Op,
  facts: Facts,
  forms: AffineForms,
  constantOf: (v: Value) => Scalar | undefined,
): Crossing | undefined => {
  const loops = [outer];
  for (let next = inner(outer); next !== undefined; next = inner(next)) loops.push(next);
  const innermost = loops.at(-1)!;
  if (loops.length < 2 || !loops.every(isAnyOrder) || !isPlain(innermost.regions[0]!, facts)) return undefined;
  if (
    !loops.slice(0, -1).every((l) => bodyOf(l.regions[0]!).every((op) => loops.includes(op) || facts.speculatable(op)))
  )
    return undefined;
  /* Bounds that do not change in the nest. */
  const inside = definedIn(outer.regions[0]!);
  if (loops.slice(1).some((l) => l.operands.some((v) => inside.has(v.id)))) return undefined;

  const accesses = accessesIn(innermost.regions[0]!).filter(({ element }) => !isVector(element.type));
  const strides = accesses.map(({ element, index }): readonly [bigint, bigint] => {
    const coefficients = forms.coefficients(index);
    const strideOf = ({ id }: Value): bigint => {
      const apart = coefficients.get(id) ?? 0n;
      return (apart < 0n ? -apart : apart) * BigInt(byteSize(scalarOf(element.type)));
    };
    return [strideOf(counterOf(outer)), strideOf(counterOf(innermost))];
  });
  const isNear = (stride: bigint): boolean => stride > 0n && stride <= NEAR;
  const isCrossing =
    strides.some(([a, b]) => isNear(a) && b >= LINE) && strides.some(([a, b]) => isNear(b) && a >= LINE);
  if (!isCrossing) return undefined;

  const bytes = BigInt(Math.max(...accesses.map(({ element }) => byteSize(scalarOf(element.type)))));
  const side = LINE / bytes > LONGEST ? LONGEST : LINE / bytes;
  const across = [outer, innermost];
  const trips = across.map((l) => {
    const [from, to, step] = l.operands.slice(0, 3).map(constantOf);
    if (from === undefined || to === undefined || Number(step) !== 1) return 0n;
    return BigInt(to) + side < 1n << 31n ? BigInt(to) - BigInt(from) : 0n;
  });
  if (trips.some((n) => n < 2n * side)) return undefined;
  /* A store of neighbours saves more than a load of them. */
  const worth = (k: 0 | 1): number =>
    accesses.reduce((sum, { kind }, n) => sum + (isNear(strides[n]![k]) ? (kind === 'store' ? 1.5 : 1) : 0), 0);
  const last = worth(0) > worth(1) ? outer : innermost;
  return { loops, last, side, even: across.filter((_, k) => trips[k]! % side === 0n) };
};

/** Bytes of a cache line. */
const LINE = 64n;

/** Elements so many bytes apart are neighbours: of vectors, and of records of few fields. */
const NEAR = 16n;

/** The longest side of a tile. */
const LONGEST = 16n;

/** Whether a region holds nothing but arithmetic, loads, stores and branches of those. */
const isPlain = ({ ops }: Region, facts: Facts): boolean =>
  ops.every((op) => {
    if (facts.terminator(op)) return true;
    if (op.name === 'scf.if') return op.regions.every((r) => isPlain(r, facts));
    return op.regions.length === 0 && (loadStoreOf(op) !== undefined || facts.pure(op));
  });

/**
 * Loops over tiles where the outer and the innermost loop were; in them what is in between, the innermost loop, and in this the outer one. What does
 * not depend on the outer counter stays where it is.
 */
const tiled = ({ loops, last, side, even }: Crossing, b: Builder, facts: Facts): readonly Value[] => {
  const [outer, innermost] = [loops[0]!, loops.at(-1)!];
  const own = (loop: Op): readonly Op[] => bodyOf(loop.regions[0]!).filter((op) => !loops.includes(op));
  const within = (loop: Op, first: Value, body: () => void): void => {
    const { region } = b.region([], body);
    const next = b.add(first, indexConstant(b, loop, side));
    const end = even.includes(loop) ? next : b.min(next, loop.operands[1]!);
    const attrs = loop === last ? { simd: true } : { independent: true };
    const operands = [first, end, loop.operands[2]!];
    b.append(opWith(loop, { operands, regions: [{ params: loop.regions[0]!.params, ops: region.ops }], attrs }));
  };
  const inTile = (ops: readonly Op[], xs: Value, ys: Value): void => {
    const [then, first] = last === outer ? [innermost, ys] : [outer, xs];
    within(then, first, () => {
      const { free, bound } = apart(ops, counterOf(last), facts);
      free.forEach((op) => b.append(op));
      within(last, last === outer ? xs : ys, () => bound.forEach((op) => b.append(op)));
    });
  };
  const overTiles = (loop: Op, body: (first: Value) => void): void => {
    const [from, to] = loop.operands as readonly [Value, Value];
    const { simd: _, ...attrs } = attrsOfParts(loop);
    const step = indexConstant(b, loop, side);
    b.for(from, to, step, { ...attrs, ...(attrs['parallel'] === true ? {} : { independent: true }) }, [], body);
  };
  /* From the loop at that depth on; `ops` are those around it that ask for the outer counter. */
  const from = (depth: number, ops: readonly Op[], xs: Value): void => {
    const loop = loops[depth]!;
    if (loop === innermost) return overTiles(loop, (ys) => inTile([...ops, ...own(loop)], xs, ys));
    const { free, bound } = apart([...ops, ...own(loop)], counterOf(outer), facts);
    const body = (): void => {
      free.forEach((op) => b.append(op));
      from(depth + 1, bound, xs);
    };
    if (loop === outer) return body();
    const { region } = b.region([], body);
    b.append(opWith(loop, { regions: [{ params: loop.regions[0]!.params, ops: region.ops }] }));
  };
  overTiles(outer, (xs) => from(0, [], xs));
  return [];
};

const counterOf = (loop: Op): Value => loop.regions[0]!.params[0]!;

/** Ops that can be taken out of a loop, and those that are bound to its counter, or to memory. */
const apart = (
  ops: readonly Op[],
  counter: Value,
  facts: Facts,
): { readonly free: readonly Op[]; readonly bound: readonly Op[] } => {
  const depends = new Set([counter.id]);
  const bound = ops.filter((op) => {
    if (facts.speculatable(op) && op.regions.length === 0 && !op.operands.some((v) => depends.has(v.id))) return false;
    for (const v of op.results) depends.add(v.id);
    return true;
  });
  return { free: ops.filter((op) => !bound.includes(op)), bound };
};
