import { defaultOptions } from '../options.js';
import { MOST_HEAD_TERMS, MOST_MORE_TERMS } from '../trace/elements/settled.js';
import { NO_FACTOR, type Sums, type Terms } from '../trace/elements/elements.js';
import { placesIn } from '../trace/products/places-in.js';
import { rowCounts } from '../trace/products/row-counts.js';
import type { Stretches } from '../trace/products/stretches.js';
import { isProduct, type SumOfProducts } from '../trace/products/sum-of-products.js';
import { ValueMap } from '../trace/products/value-map.js';

/** The entries of a sum of products as sums with terms of their own; entries that are alike share a unit. */
export interface ProductSums {
  /** Sum s is entry s. */
  readonly sums: Sums;
  /** Sums of unit u: `unitSums[unitPtr[u] .. unitPtr[u+1])`, several where these begin with the same terms. */
  readonly unitPtr: Int32Array;
  readonly unitSums: Int32Array;
  /** Where the values of unit u go: that of its only sum to all of `places[placePtr[u] .. placePtr[u+1])`, those of several sums to one each. */
  readonly placePtr: Int32Array;
  readonly places: Int32Array;
}

/* What becomes of an entry: a sum of its own, one that goes on from a head, or a place where another's value goes as well. */
const [OWN, OF_HEAD, COPY] = [0, 1, 2];

/** Lists the sums of products. */
export const productSums = (p: SumOfProducts, stretches: Stretches): ProductSums => {
  const { parts, pattern } = p;
  const entries = pattern.colIdx.length;
  const places = parts.map((part) => placesIn(part.pattern, pattern));
  const rows = parts.map((part) =>
    isProduct(part) ? rowCounts(part.pattern, part.left.pattern, part.right.pattern) : undefined,
  );
  const counts = rows.map((row) => row?.all());
  /* Entries with the same terms of the first part share these where all else is added to it; else they are alike as a whole. */
  const byFirst = isProduct(parts[0]) && !parts.slice(1).some(isProduct);
  const firstOf = byFirst ? alikeInFirst(p, places[0]) : alikeInAll(p, places);
  const next = nextAlike(firstOf, entries);
  const isFirst = (e: number): boolean => firstOf === undefined || firstOf[e] === e;

  /* Of the parts that tell entries alike apart. */
  const more = new Uint8Array(entries);
  if (byFirst) for (const at of places.slice(1)) for (let e = 0; e < at.length; e++) more[at[e]]++;
  const role = new Uint8Array(entries);
  const headOf = new Int32Array(entries).fill(-1);
  const headEnds = [0];
  if (firstOf !== undefined)
    for (let e = 0, q = 0; e < entries; e++) {
      /* The entry of the first part that stands here. */
      while (q < places[0].length && places[0][q] < e) q++;
      if (firstOf[e] !== e || next[e] < 0) continue;
      let [members, most] = [0, 0];
      for (let m = e; m >= 0; m = next[m], members++) most = Math.max(most, more[m]);
      const terms = byFirst ? counts[0]![q] : 0;
      if (most === 0) for (let m = next[e]; m >= 0; m = next[m]) role[m] = COPY;
      else if (most <= MOST_MORE_TERMS && terms <= MOST_HEAD_TERMS && savesEnough(terms, members)) {
        for (let m = e; m >= 0; m = next[m]) {
          role[m] = OF_HEAD;
          headOf[m] = headEnds.length - 1;
        }
        headEnds.push(headEnds[headEnds.length - 1] + terms);
      }
    }

  const ptr = new Int32Array(entries + 1);
  const countTerms = (at: Int32Array, count: Int32Array | undefined, k: number): void => {
    for (let e = 0; e < at.length; e++)
      if (role[at[e]] === OWN || (role[at[e]] === OF_HEAD && k > 0))
        ptr[at[e] + 1] += count === undefined ? 1 : count[e];
  };
  parts.forEach((_, k) => countTerms(places[k], counts[k], k));
  for (let s = 0; s < entries; s++) ptr[s + 1] += ptr[s];
  const isStretched = stretches.scales.length > 1;
  const own = newTerms(ptr, isStretched);
  const head = newTerms(Int32Array.from(headEnds), isStretched);
  const filled = ptr.slice(0, entries);
  /* Of the terms of one part. */
  const mark = ({ negative, stretches: of }: typeof own, k: number, from: number, to: number): void => {
    if (stretches.negative[k]) negative.fill(1, from, to);
    of?.fill(stretches.of[k], from, to);
  };
  for (const [k, part] of parts.entries()) {
    const at = places[k];
    const row = rows[k];
    const { left } = part;
    if (row === undefined || !isProduct(part)) {
      for (let e = 0; e < at.length; e++)
        if (role[at[e]] !== COPY) {
          const t = filled[at[e]]++;
          own.terms[t] = left.values[e];
          own.factors[t] = NO_FACTOR;
          mark(own, k, t, t + 1);
        }
      continue;
    }
    const { right, pattern: product } = part;
    /* Where the terms of each entry of a row go next: to heads from ~0 downwards. */
    const to = new Int32Array(row.most);
    const fillRow = (i: number): void => {
      const begin = product.rowPtr[i];
      const width = product.rowPtr[i + 1] - begin;
      for (let s = 0; s < width; s++) {
        row.slotOf[product.colIdx[begin + s]] = s;
        const entry = at[begin + s];
        to[s] =
          role[entry] === OWN || (role[entry] === OF_HEAD && k > 0)
            ? filled[entry]
            : role[entry] === OF_HEAD && isFirst(entry)
              ? ~headEnds[headOf[entry]]
              : NOWHERE;
      }
      for (let q = left.pattern.rowPtr[i]; q < left.pattern.rowPtr[i + 1]; q++) {
        const j = left.pattern.colIdx[q];
        const x = left.values[q];
        for (let r = right.pattern.rowPtr[j]; r < right.pattern.rowPtr[j + 1]; r++) {
          const s = row.slotOf[right.pattern.colIdx[r]];
          const t = to[s];
          if (t === NOWHERE) continue;
          if (t >= 0) {
            own.terms[t] = x;
            own.factors[t] = right.values[r];
            to[s] = t + 1;
          } else {
            head.terms[~t] = x;
            head.factors[~t] = right.values[r];
            to[s] = t - 1;
          }
        }
      }
      for (let s = 0; s < width; s++) {
        if (to[s] < 0 || to[s] === NOWHERE) continue;
        const entry = at[begin + s];
        mark(own, k, filled[entry], to[s]);
        filled[entry] = to[s];
      }
    };
    for (let i = 0; i < product.rows; i++) fillRow(i);
  }
  mark(head, 0, 0, head.terms.length);
  return {
    sums: { first: 0, ...own, ...(headEnds.length > 1 && { heads: { ...head, of: headOf } }) },
    ...unitsOf(role, next, isFirst),
  };
};

const NOWHERE = 2 ** 31 - 1;

/** As sums that are heads of others are found worth it. */
const savesEnough = (terms: number, members: number): boolean =>
  (members - 1) * (4 * terms - 1) >= defaultOptions.decompose.minComplexity;

const newTerms = (
  ptr: Int32Array,
  isStretched: boolean,
): Required<Omit<Terms, 'stretches'>> & Pick<Terms, 'stretches'> => {
  const n = ptr[ptr.length - 1];
  return {
    ptr,
    terms: new Int32Array(n),
    factors: new Int32Array(n),
    negative: new Uint8Array(n),
    ...(isStretched && { stretches: new Uint8Array(n) }),
  };
};

/** Units in the order of their first entries. */
const unitsOf = (
  role: Uint8Array,
  next: Int32Array,
  isFirst: (e: number) => boolean,
): Pick<ProductSums, 'unitPtr' | 'unitSums' | 'placePtr' | 'places'> => {
  const leads = (s: number): boolean => role[s] === OWN || (role[s] === OF_HEAD && isFirst(s));
  let units = 0;
  for (let s = 0; s < role.length; s++) if (leads(s)) units++;
  const unitPtr = new Int32Array(units + 1);
  const placePtr = new Int32Array(units + 1);
  const unitSums = new Int32Array(role.length);
  const places = new Int32Array(role.length);
  let [unit, sums, place] = [0, 0, 0];
  for (let s = 0; s < role.length; s++) {
    if (!leads(s)) continue;
    unitSums[sums++] = s;
    places[place++] = s;
    /* Alike, but evaluated apart from it, are those that are sums of their own. */
    for (let m = isFirst(s) ? next[s] : -1; m >= 0; m = next[m]) {
      if (role[m] === OWN) continue;
      places[place++] = m;
      if (role[m] === OF_HEAD) unitSums[sums++] = m;
    }
    unitPtr[++unit] = sums;
    placePtr[unit] = place;
  }
  return { unitPtr, unitSums: unitSums.subarray(0, sums), placePtr, places: places.subarray(0, place) };
};

/** Of each entry of a sum the first with the same terms of the first part; `undefined` where all differ. */
const alikeInFirst = ({ parts: [part], pattern }: SumOfProducts, at: Int32Array): Int32Array | undefined => {
  const { firstAlike } = part;
  if (firstAlike === undefined || firstAlike.length === pattern.colIdx.length) return firstAlike;
  const firstOf = Int32Array.from({ length: pattern.colIdx.length }, (_, e) => e);
  for (let e = 0; e < at.length; e++) firstOf[at[e]] = at[firstAlike[e]];
  return firstOf;
};

/** Of each entry of a sum the first with the same terms of all parts; `undefined` where all differ. */
const alikeInAll = ({ parts, pattern }: SumOfProducts, places: readonly Int32Array[]): Int32Array | undefined => {
  if (!parts.some(({ firstAlike }) => firstAlike !== undefined)) return undefined;
  const entries = pattern.colIdx.length;
  let firstOf = new Int32Array(entries);
  for (const [k, part] of parts.entries()) {
    const terms = new Int32Array(entries).fill(NOWHERE);
    for (let e = 0; e < places[k].length; e++)
      terms[places[k][e]] = isProduct(part) ? (part.firstAlike?.[e] ?? e) : part.left.values[e];
    const map = new ValueMap(entries);
    firstOf = firstOf.map((first, e) => map.firstOf(first, terms[e], e));
  }
  return firstOf;
};

/** Of each entry the next that is alike, −1 behind the last. */
const nextAlike = (firstOf: Int32Array | undefined, entries: number): Int32Array => {
  const next = new Int32Array(entries).fill(-1);
  if (firstOf === undefined) return next;
  const last = new Int32Array(entries);
  for (let e = 0; e < entries; e++) {
    const first = firstOf[e];
    if (first !== e) next[last[first]] = e;
    last[first] = e;
  }
  return next;
};
