import { termStarts, type Body, type Harvest, type HarvestedGroup, type Segment } from '../harvest/harvested.js';

/** The groups with their instances in a new order of units. */
export const reorderInstances = (h: Harvest, order: Int32Array): HarvestedGroup[] => {
  const groupOf = new Int32Array(order.length).fill(-1);
  const instance = new Int32Array(order.length);
  h.harvested.forEach(({ units }, g) => {
    for (let i = 0; i < units.length; i++) {
      groupOf[units[i]] = g;
      instance[units[i]] = i;
    }
  });
  /* For each group the old numbers of its instances, in their new order. */
  const from = h.harvested.map(({ units }) => new Int32Array(units.length));
  const filled = new Int32Array(from.length);
  for (const unit of order) {
    const g = groupOf[unit];
    if (g >= 0) from[g][filled[g]++] = instance[unit];
  }
  return h.harvested.map((g, k) => ({
    ...g,
    units: take(g.units, from[k]),
    body: g.body && takeBody(g.body, from[k]),
    segments: g.segments.map((s) => takeSegment(s, from[k])),
    ...(g.turns === undefined ? {} : { turns: take(g.turns, termsFrom(termStarts(g), from[k]).terms) }),
  }));
};

const take = <T extends Int32Array | Float64Array>(values: T, from: Int32Array): T => {
  const out = new (values.constructor as new (n: number) => T)(from.length);
  for (let i = 0; i < from.length; i++) out[i] = values[from[i]];
  return out;
};

const takeBody = <B extends Body>(body: B, from: Int32Array): B => ({
  ...body,
  columns: body.columns.map((c) => ({ ...c, nodes: take(c.nodes, from) })),
  constants: body.constants.map((c) => take(c, from)),
});

const takeSegment = (segment: Segment, from: Int32Array): Segment => {
  const { ptr, terms } = termsFrom(segment.ptr, from);
  return { ...takeBody(segment, terms), ptr };
};

/** The terms of instances in their new order, of which instance i has `ptr[i] .. ptr[i + 1])`. */
const termsFrom = (ptr: Int32Array, from: Int32Array): { readonly ptr: Int32Array; readonly terms: Int32Array } => {
  const moved = new Int32Array(ptr.length);
  const terms = new Int32Array(ptr[ptr.length - 1]);
  let n = 0;
  for (let i = 0; i < from.length; i++) {
    for (let t = ptr[from[i]]; t < ptr[from[i] + 1]; t++) terms[n++] = t;
    moved[i + 1] = n;
  }
  return { ptr: moved, terms };
};
