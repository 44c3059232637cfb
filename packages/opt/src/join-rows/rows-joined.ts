import {
  bufferName,
  cloneOps,
  isInteger,
  isVector,
  mapKernels,
  rewriteOps,
  scalarOf,
  type Dialect,
  type Module,
  type Op,
  type Replacement,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { affineFormsIn, type AffineForms } from '../support/affine.js';
import { constantIn } from '../support/constant-in.js';
import { factsOf, type Facts } from '../support/facts.js';
import { loadStoreOf } from '../support/load-store.js';
import { indexConstant } from '../support/split-loop.js';
import { bodyOf, definedIn } from '../support/values.js';
import { MOST, shortWithin } from './join-rows.js';

/** See `joinRows`. */
export const rowsJoined = (module: Module, dialects: readonly Dialect[]): Module => {
  const facts = factsOf(dialects);
  return mapKernels(module, (kernel) => {
    const forms = affineFormsIn(kernel, facts);
    return rewriteOps(kernel, dialects, (op, ctx) => joined(op, ctx, facts, forms), module.buffers);
  });
};

const joined = (loop: Op, ctx: RewriteContext, facts: Facts, forms: AffineForms): Replacement | undefined => {
  const inner = shortWithin(loop);
  if (!inner) return undefined;
  const constantOf = (v: Value): number => Number(constantIn(v, ctx.definition, facts) ?? NaN);
  const [from, count, by] = inner.operands.map(constantOf) as [number, number, number];
  if (from !== 0 || by !== 1 || !(count >= 2 && count <= MOST) || constantOf(loop.operands[2]!) !== 1) return undefined;
  const [row, column] = [loop.regions[0]!.params[0]!, inner.regions[0]!.params[0]!];
  if (row.type !== column.type) return undefined;
  const ops = [...bodyOf(loop.regions[0]!).filter((op) => op !== inner), ...bodyOf(inner.regions[0]!)];
  const finding = findingIn(ops, [row, column], facts);
  const places = ops.filter((op) => loadStoreOf(op) !== undefined);
  const inside = definedIn(loop.regions[0]!);
  if (
    !finding ||
    !places.every((op) => goesOn(op, row, column, count, inside, forms)) ||
    !areApart(places, column, count, forms)
  )
    return undefined;
  return ctx.build((b) => {
    b.loc = loop.loc;
    const [lb, ub, one] = loop.operands as readonly [Value, Value, Value];
    const times = (v: Value, n: number): Value => (n === 1 ? v : b.mul(v, indexConstant(b, loop, BigInt(n))));
    const found = new Set(finding);
    /* Where each access is before the first of the loop's iterations: at zero of both. */
    const zero = indexConstant(b, loop, 0n);
    const first = cloneOps(finding, ctx.ids, new Map([row, column].map((v) => [v.id, zero])));
    for (const op of first.ops) b.append(op);
    const { independent: _independent, ...attrs } = loop.attrs;
    /* Bounds that are no elements, of a loop that does not run, may go round. */
    const begin = times(lb, count);
    const runs = constantOf(lb) >= 0 && constantOf(ub) * count < 2 ** 31;
    const end = runs ? times(ub, count) : b.select(b.cmp('lt', lb, ub), times(ub, count), begin);
    b.for(begin, end, one, { ...attrs, simd: true }, [], (at) => {
      const moved = new Map<number, Value>();
      for (const op of places) {
        const { index } = loadStoreOf(op)!;
        const step = Number(forms.coefficients(index).get(column.id) ?? 0n);
        const start = first.values.get(index.id) ?? index;
        if (step !== 0 && !moved.has(index.id)) moved.set(index.id, b.add(start, times(at, step)));
        else if (step === 0) moved.set(index.id, start);
      }
      const left = ops.filter((op) => !found.has(op));
      for (const op of cloneOps(left, ctx.ids, moved).ops) b.append(op);
      return [];
    });
    return [];
  });
};

/** The ops that what is counted goes into, all of integers for places in memory; nothing where it goes elsewhere. */
const findingIn = (ops: readonly Op[], counted: readonly Value[], facts: Facts): readonly Op[] | undefined => {
  const known = new Set(counted.map((v) => v.id));
  const found: Op[] = [];
  for (const op of ops) {
    const access = loadStoreOf(op);
    if (!access && !facts.speculatable(op) && !facts.pure(op)) return undefined;
    const uses = op.operands.filter((v) => known.has(v.id));
    if (access) {
      if (uses.some((v) => v !== access.index) || (access.kind === 'store' && known.has(access.element.id)))
        return undefined;
      continue;
    }
    if (uses.length === 0) continue;
    const [result] = op.results;
    if (
      op.results.length !== 1 ||
      isVector(result!.type) ||
      !isInteger(scalarOf(result!.type)) ||
      !facts.speculatable(op)
    )
      return undefined;
    known.add(result!.id);
    found.push(op);
  }
  return found;
};

/** Whether an access goes on by as much with each row as with all columns of one, and else by nothing that changes in the loop. */
const goesOn = (
  op: Op,
  row: Value,
  column: Value,
  count: number,
  inside: ReadonlySet<number>,
  forms: AffineForms,
): boolean => {
  const { index, kind } = loadStoreOf(op)!;
  if (isVector(index.type) || index.type !== row.type) return false;
  const by = forms.coefficients(index);
  const step = by.get(column.id) ?? 0n;
  return (
    (by.get(row.id) ?? 0n) === step * BigInt(count) &&
    (step !== 0n || kind === 'load') &&
    [...by.keys()].every((id) => id === row.id || id === column.id || !inside.has(id))
  );
};

/** Whether no iteration of the inner loop touches what another one of it writes. */
const areApart = (places: readonly Op[], column: Value, count: number, forms: AffineForms): boolean =>
  places.every((store) => {
    const written = loadStoreOf(store)!;
    if (written.kind !== 'store') return true;
    const { terms, offset, bits } = forms.of(written.index);
    const step = Math.abs(Number(forms.coefficients(written.index).get(column.id)));
    return places.every((op) => {
      if (bufferName(op) !== bufferName(store)) return true;
      const other = forms.of(loadStoreOf(op)!.index);
      const distance = Math.abs(Number(BigInt.asIntN(bits, offset - other.offset)));
      return other.terms === terms && (distance === 0 || distance >= step * count);
    });
  });
