import { makeValue, type Builder, type Op, type Replacement, type RewriteContext, type Value } from '@filigree/ir';
import type { Anchor } from './forms.js';
import { padFor, type Scratchpads, type Side } from './pads.js';
import { addTo } from './transfer.js';

/** An access to a cached field as one to its pad, which threads of a `team` may make at once; undefined for any other op. */
export const cachedAccess = (op: Op, ctx: RewriteContext, all: Scratchpads, team: boolean): Replacement | undefined => {
  const found = padFor(all, op);
  if (!found) return undefined;
  const { box, strides, buffer } = all.pads[found.pad];
  const { slot } = found.field;
  return ctx.build((b) => {
    const coordinates = op.operands.slice(-box.length);
    const place = placedBefore(ctx, `${found.pad} ${coordinates.map((v) => v.id).join(' ')}`, () =>
      box
        .map((side, n) => {
          const local = localOf(b, ctx, all, side, coordinates[n]);
          return strides[n] === 1 ? local : b.mul(local, b.i32(strides[n]));
        })
        .reduce((x, y) => b.add(x, y)),
    );
    const at = slot === 0 ? place : b.add(place, b.i32(slot));
    return op.name === 'field.load' ? b.load(buffer, at) : addTo(b, all.pads[found.pad], op.operands[0], at, team);
  });
};

/** The place of an earlier access of the same region, or a new one: the components of a vector are accessed one after the other. */
const placedBefore = (ctx: RewriteContext, key: string, make: () => Value): Value => {
  const known = placesOf.get(ctx) ?? new Map<string, Value>();
  placesOf.set(ctx, known);
  const place = known.get(key) ?? make();
  known.set(key, place);
  return place;
};

/* A context belongs to one region, so what was built in it comes before what is built later. */
const placesOf = new WeakMap<RewriteContext, Map<string, Value>>();

/** The sum of some terms. A fractional coefficient is a whole number of the unit of its anchor. */
export const sumOf = (
  b: Builder,
  { spans }: Pick<Scratchpads, 'spans'>,
  terms: ReadonlyMap<Anchor, number>,
  first: ReadonlyMap<number, Value>,
): Value => {
  const parts = [...terms].map(([anchor, c]) => {
    if (typeof anchor === 'string') return times(b, makeValue(Number(anchor.slice(1)), 'i32', undefined), c);
    const value = first.get(anchor)!;
    if (Number.isInteger(c)) return times(b, value, c);
    const { unit } = spans.get(anchor)!;
    return times(b, b.value('snode.extract', [value], { below: unit, extent: 0, signed: true }), c * unit);
  });
  return parts.length === 0 ? b.i32(0) : parts.reduce((x, y) => b.add(x, y));
};

/** A coordinate relative to the lower corner of the box. */
const localOf = (b: Builder, ctx: RewriteContext, all: Scratchpads, { lo }: Side, v: Value): Value => {
  const above = withoutTerms(b, ctx, all, v);
  return lo === 0 ? above : b.sub(above, b.i32(lo));
};

/**
 * A value minus the terms of its form: sums and products are taken apart, so that little is left to compute. A value bounded by
 * a promise is clamped to the promised bounds, so that a broken promise does no harm. It is clamped before it is used in sums,
 * once for all of them, so that these differ by constants.
 */
const withoutTerms = (b: Builder, ctx: RewriteContext, all: Scratchpads, v: Value): Value => {
  const form = all.forms.get(v.id)!;
  if (form.terms.size === 0 && !form.promised) return v;
  for (const [axis, param] of all.params) if (param.id === v.id) return all.added.get(axis)!;
  const op = ctx.definition(v);
  const part = (n: number): Value => withoutTerms(b, ctx, all, op!.operands[n]);
  const known = op?.operands.every((o) => all.forms.has(o.id)) === true;
  if (known && (op!.name === 'arith.add' || op!.name === 'arith.sub'))
    return op!.name === 'arith.add' ? b.add(part(0), part(1)) : b.sub(part(0), part(1));
  if (known && op!.name === 'arith.mul') return b.mul(part(0), part(1));
  if (known && op!.name === 'arith.shl') return b.shl(part(0), part(1));
  const rest = form.terms.size === 0 ? v : b.sub(v, sumOf(b, all, form.terms, all.first));
  return form.promised ? b.min(b.max(rest, b.i32(form.lo)), b.i32(form.hi)) : rest;
};

const times = (b: Builder, value: Value, by: number): Value => (by === 1 ? value : b.mul(value, b.i32(by)));
