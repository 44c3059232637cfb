import { defaultOptions } from '../options.js';
import { MOST_HEAD_TERMS, MOST_MORE_TERMS } from '../trace/elements/settled.js';
import { NO_FACTOR, type Sums } from '../trace/elements/elements.js';
import type { ProductOfStored } from '../trace/products/product-of-stored.js';
import { rowCounts } from './row-counts.js';

/** The entries of a product and of what is added to it as sums with terms of their own; entries that are alike share a unit. */
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

/** Lists the sums of a product with what is added to it. */
export const productSums = (p: ProductOfStored): ProductSums => {
  const { left, right, product, pattern, added } = p;
  const entries = pattern.colIdx.length;
  const entryOf = placesIn(product, pattern);
  const addedAt = added.map(({ matrix }) => placesIn(matrix.pattern, pattern));
  const more = new Uint8Array(entries);
  for (const at of addedAt) for (const e of at) more[e]++;
  const row = rowCounts(product, left.pattern, right.pattern);
  const counts = row.all();
  const next = nextAlike(p);
  const isFirst = (e: number): boolean => p.firstAlike === undefined || p.firstAlike[e] === e;

  const role = new Uint8Array(entries);
  const headOf = new Int32Array(entries).fill(-1);
  let heads = 0;
  let headTerms = 0;
  for (let e = 0; e < counts.length; e++) {
    if (!isFirst(e) || next[e] < 0) continue;
    let [members, most] = [0, 0];
    for (let m = e; m >= 0; m = next[m], members++) most = Math.max(most, more[entryOf[m]]);
    if (most === 0) for (let m = next[e]; m >= 0; m = next[m]) role[entryOf[m]] = COPY;
    else if (most <= MOST_MORE_TERMS && counts[e] <= MOST_HEAD_TERMS && savesEnough(counts[e], members)) {
      for (let m = e; m >= 0; m = next[m]) {
        role[entryOf[m]] = OF_HEAD;
        headOf[entryOf[m]] = heads;
      }
      heads++;
      headTerms += counts[e];
    }
  }

  const productOf = new Int32Array(entries).fill(-1);
  for (let e = 0; e < entryOf.length; e++) productOf[entryOf[e]] = e;
  const ptr = new Int32Array(entries + 1);
  for (let s = 0; s < entries; s++) {
    const own = role[s] === OWN && productOf[s] >= 0 ? counts[productOf[s]] : 0;
    ptr[s + 1] = ptr[s] + own + more[s];
  }
  const own = newTerms(ptr);
  const head = newTerms(new Int32Array(heads + 1), headTerms);
  let filledHeads = 0;
  /* Where the terms of each entry of a row go next: to heads from ~0 downwards. */
  const at = new Int32Array(row.most);
  for (let i = 0; i < product.rows; i++) {
    const begin = product.rowPtr[i];
    for (let e = begin, s = 0; e < product.rowPtr[i + 1]; e++, s++) {
      row.slotOf[product.colIdx[e]] = s;
      const entry = entryOf[e];
      at[s] = role[entry] === OWN ? ptr[entry] : NOWHERE;
      if (role[entry] === OF_HEAD && isFirst(e)) {
        at[s] = ~head.ptr[filledHeads];
        head.ptr[filledHeads + 1] = head.ptr[filledHeads] + counts[e];
        filledHeads++;
      }
    }
    for (let q = left.pattern.rowPtr[i]; q < left.pattern.rowPtr[i + 1]; q++) {
      const k = left.pattern.colIdx[q];
      for (let r = right.pattern.rowPtr[k]; r < right.pattern.rowPtr[k + 1]; r++) {
        const s = row.slotOf[right.pattern.colIdx[r]];
        const t = at[s];
        if (t === NOWHERE) continue;
        const [into, place] = t >= 0 ? [own, t] : [head, ~t];
        into.terms[place] = left.values[q];
        into.factors[place] = right.values[r];
        at[s] = t >= 0 ? t + 1 : t - 1;
      }
    }
  }
  /* What is added stands behind the products. */
  const filled = ptr.slice(1);
  for (let s = 0; s < entries; s++) filled[s] -= more[s];
  added.forEach(({ matrix, negative }, k) =>
    addedAt[k].forEach((entry, e) => {
      const t = filled[entry]++;
      own.terms[t] = matrix.values[e];
      own.factors[t] = NO_FACTOR;
      own.negative[t] = negative ? 1 : 0;
    }),
  );
  return {
    sums: { first: 0, ...own, ...(heads > 0 && { heads: { ...head, of: headOf } }) },
    ...unitsOf(role, productOf, entryOf, next, isFirst),
  };
};

const NOWHERE = 2 ** 31 - 1;

/** As sums that are heads of others are found worth it. */
const savesEnough = (terms: number, members: number): boolean =>
  (members - 1) * (4 * terms - 1) >= defaultOptions.decompose.minComplexity;

const newTerms = (ptr: Int32Array, terms = ptr[ptr.length - 1]) => ({
  ptr,
  terms: new Int32Array(terms),
  factors: new Int32Array(terms),
  negative: new Uint8Array(terms),
});

/** Units in the order of their first entries. */
const unitsOf = (
  role: Uint8Array,
  productOf: Int32Array,
  entryOf: Int32Array,
  next: Int32Array,
  isFirst: (e: number) => boolean,
): Pick<ProductSums, 'unitPtr' | 'unitSums' | 'placePtr' | 'places'> => {
  const leads = (s: number): boolean => role[s] === OWN || (role[s] === OF_HEAD && isFirst(productOf[s]));
  let units = 0;
  for (let s = 0; s < role.length; s++) if (leads(s)) units++;
  const unitPtr = new Int32Array(units + 1);
  const placePtr = new Int32Array(units + 1);
  const unitSums = new Int32Array(role.length);
  const places = new Int32Array(role.length);
  let [unit, sums, place] = [0, 0, 0];
  for (let s = 0; s < role.length; s++) {
    if (!leads(s)) continue;
    const e = productOf[s];
    unitSums[sums++] = s;
    places[place++] = s;
    /* Alike, but evaluated apart from it, are those that are sums of their own. */
    for (let m = e < 0 || !isFirst(e) ? -1 : next[e]; m >= 0; m = next[m]) {
      const other = entryOf[m];
      if (role[other] === OWN) continue;
      places[place++] = other;
      if (role[other] === OF_HEAD) unitSums[sums++] = other;
    }
    unitPtr[++unit] = sums;
    placePtr[unit] = place;
  }
  return { unitPtr, unitSums: unitSums.subarray(0, sums), placePtr, places: places.subarray(0, place) };
};

/** Of each entry of a product the next that is alike, −1 behind the last. */
const nextAlike = ({ product, firstAlike }: ProductOfStored): Int32Array => {
  const next = new Int32Array(product.colIdx.length).fill(-1);
  if (firstAlike === undefined) return next;
  const last = new Int32Array(next.length);
  for (let e = 0; e < next.length; e++) {
    const first = firstAlike[e];
    if (first !== e) next[last[first]] = e;
    last[first] = e;
  }
  return next;
};

type Pattern = ProductOfStored['pattern'];

/** Where the entries of a pattern stand among those of one that has them all. */
const placesIn = (part: Pattern, whole: Pattern): Int32Array => {
  const at = new Int32Array(part.colIdx.length);
  for (let i = 0; i < part.rows; i++)
    for (let e = part.rowPtr[i], w = whole.rowPtr[i]; e < part.rowPtr[i + 1]; e++, w++) {
      while (whole.colIdx[w] !== part.colIdx[e]) w++;
      at[e] = w;
    }
  return at;
};
