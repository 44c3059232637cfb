import type { EvaluatedTerms } from './evaluated-terms.js';
import { NO_FACTOR, type Sums, type Terms } from '../trace/elements/elements.js';

/** The terms of the units of sums as harvesting takes them: equal codes say that terms are of one kind. */
export interface UnitTerms {
  /** Terms of unit i: entries `ptr[i] .. ptr[i+1])`. */
  readonly ptr: Int32Array;
  readonly ids: Int32Array;
  /** The second factor of terms that are products. */
  readonly factors: Int32Array | undefined;
  readonly codes: Int32Array;
  /** Codes lie below. */
  readonly base: number;
  readonly kindsOf: (code: number) => TermKinds;
  /** What the sums of each stretch of terms are scaled by. */
  readonly scales: readonly number[];
  /** Where some terms are no leaves, what those of a kind are. */
  readonly ofKind?: EvaluatedTerms['ofKind'] | undefined;
}

/** The code that stands in front of each of several sums, behind the terms that all of them begin with, if there are any. */
export const BREAK = 0;

/** What another code says. */
export interface TermKinds {
  readonly kind: number;
  readonly factor: number | undefined;
  readonly negative: boolean;
  readonly stretch: number;
}

/** Of sums that are nothing but terms. */
export const ONE_STRETCH: readonly number[] = [1];

/**
 * Terms of units with their codes. Where they may be added in any order, those of each sum are put in order by kind; products then by how often what they read
 * occurs in the unit, as in `canonicalForm`, so that what several terms read stands at the same place in all.
 *
 * @param idOf the number of a term's value
 * @param kinds kinds of leaves lie from −1 below this
 */
export const termsOfUnits = (
  sums: Sums,
  units: { readonly unitPtr: Int32Array; readonly sums: Int32Array },
  idOf: (term: number) => number,
  kindOf: (id: number) => number,
  kinds: number,
  anyOrder: boolean,
  scales = ONE_STRETCH,
): UnitTerms => {
  const width = kinds + 1;
  /* Codes of a stretch. */
  const codesOfOne = 2 * (width + 1) * width;
  const { heads } = sums;
  const headOf = (s: number): number => (heads === undefined ? -1 : heads.of[s]);
  const count = units.unitPtr.length - 1;
  const ptr = new Int32Array(count + 1);
  for (let i = 0; i < count; i++) {
    const from = units.unitPtr[i];
    const to = units.unitPtr[i + 1];
    const head = headOf(units.sums[from]);
    let n = to - from === 1 && head < 0 ? 0 : to - from;
    if (head >= 0) n += heads!.ptr[head + 1] - heads!.ptr[head];
    for (let m = from; m < to; m++) n += sums.ptr[units.sums[m] + 1] - sums.ptr[units.sums[m]];
    ptr[i + 1] = ptr[i] + n;
  }
  const ids = new Int32Array(ptr[count]);
  const codes = new Int32Array(ptr[count]);
  const factors = sums.factors === undefined ? undefined : new Int32Array(ptr[count]).fill(NO_FACTOR);
  let at = 0;
  const put = (of: Terms, from: number, to: number): void => {
    for (let t = from; t < to; t++, at++) {
      let id = idOf(of.terms[t]);
      let kind = kindOf(id);
      let both = 0;
      if (factors !== undefined && of.factors![t] !== NO_FACTOR) {
        const second = kindOf(of.factors![t]);
        factors[at] = of.factors![t];
        both = second + 2;
        if (second < kind) {
          factors[at] = id;
          id = of.factors![t];
          both = kind + 2;
          kind = second;
        }
      }
      ids[at] = id;
      codes[at] = 1 + 2 * (both * width + kind + 1) + of.negative[t];
      if (of.stretches !== undefined) codes[at] += of.stretches[t] * codesOfOne;
    }
  };
  const terms: UnitTerms = {
    ...{ ptr, ids, factors, codes },
    base: scales.length * codesOfOne + 1,
    scales,
    kindsOf: (code) => {
      const stretch = Math.floor((code - 1) / codesOfOne);
      const both = ((code - 1) % codesOfOne) >> 1;
      const of = Math.floor(both / width);
      const negative = ((code - 1) & 1) === 1;
      return { kind: (both % width) - 1, factor: of === 0 ? undefined : of - 2, negative, stretch };
    },
  };
  const pairs = Uint8Array.from({ length: terms.base }, (_, code) => {
    const { kind, factor } = terms.kindsOf(code);
    return kind === factor ? 1 : 0;
  });
  for (let i = 0; i < count; i++) {
    const from = units.unitPtr[i];
    const to = units.unitPtr[i + 1];
    const head = headOf(units.sums[from]);
    if (head >= 0) put(heads!, heads!.ptr[head], heads!.ptr[head + 1]);
    for (let m = from; m < to; m++) {
      if (head >= 0 || to - from > 1) {
        ids[at] = NO_FACTOR;
        codes[at++] = BREAK;
      }
      put(sums, sums.ptr[units.sums[m]], sums.ptr[units.sums[m] + 1]);
    }
    if (factors !== undefined) sortFactors(ids, factors, codes, pairs, ptr[i], ptr[i + 1]);
    if (anyOrder) sortStretches(terms, ptr[i], ptr[i + 1]);
  }
  return terms;
};

/** In longer sums leaves are not counted: they are loops, in which no leaf has a place. */
const MOST_COUNTED = 64;
const leaves = new Int32Array(2 * MOST_COUNTED);
const often = new Int32Array(2 * MOST_COUNTED);
const ranks = new Int32Array(MOST_COUNTED);

/**
 * Of factors of one kind the one that occurs more often comes first. Leaves in `ranks` how often those of each term occur.
 *
 * @param pairs 1 for codes of products of one kind
 */
const sortFactors = (
  ids: Int32Array,
  by: Int32Array,
  codes: Int32Array,
  pairs: Uint8Array,
  from: number,
  to: number,
): void => {
  const n = to - from;
  if (n > MOST_COUNTED) return;
  for (let k = 0; k < n; k++) {
    leaves[2 * k] = ids[from + k];
    leaves[2 * k + 1] = by[from + k];
  }
  for (let k = 0; k < 2 * n; k++) {
    const id = leaves[k];
    let count = 1;
    if (id === NO_FACTOR) count = 0;
    else
      for (let m = 0; m < k; m++)
        if (leaves[m] === id) {
          count++;
          often[m]++;
        }
    often[k] = count;
  }
  for (let k = 0; k < n; k++) {
    ranks[k] = often[2 * k] + often[2 * k + 1];
    if (often[2 * k + 1] > often[2 * k] && pairs[codes[from + k]] === 1) {
      ids[from + k] = leaves[2 * k + 1];
      by[from + k] = leaves[2 * k];
    }
  }
};

/** Between breaks. */
const sortStretches = (terms: UnitTerms, from: number, to: number): void => {
  let begin = from;
  for (let t = from; t < to; t++)
    if (terms.codes[t] === BREAK) {
      sortTerms(terms, begin, t, from, to);
      begin = t + 1;
    }
  sortTerms(terms, begin, to, from, to);
};

/** @param unit where the unit begins, of which `ranks` are */
const sortTerms = (
  { ids, factors, codes }: UnitTerms,
  from: number,
  to: number,
  unit: number,
  unitEnd: number,
): void => {
  const ranked = factors !== undefined && unitEnd - unit <= MOST_COUNTED;
  for (let i = from + 1; i < to; i++) {
    const id = ids[i];
    const factor = factors === undefined ? NO_FACTOR : factors[i];
    const code = codes[i];
    const rank = ranked ? ranks[i - unit] : 0;
    let j = i - 1;
    for (; j >= from && (codes[j] > code || (ranked && codes[j] === code && ranks[j - unit] < rank)); j--) {
      ids[j + 1] = ids[j];
      codes[j + 1] = codes[j];
      if (factors !== undefined) factors[j + 1] = factors[j];
      if (ranked) ranks[j + 1 - unit] = ranks[j - unit];
    }
    ids[j + 1] = id;
    codes[j + 1] = code;
    if (factors !== undefined) factors[j + 1] = factor;
    if (ranked) ranks[j + 1 - unit] = rank;
  }
};

/**
 * For each term of sums of products where in its unit its leaves stand first, as a code. Undefined where no term is a product: then
 * terms are different leaves.
 */
export const firstPlaces = ({ ptr, ids, factors }: UnitTerms): Pick<UnitTerms, 'codes' | 'base'> | undefined => {
  if (factors === undefined) return undefined;
  const width = 2 * MOST_COUNTED;
  const codes = new Int32Array(ids.length);
  for (let i = 0; i + 1 < ptr.length; i++) {
    const from = ptr[i];
    const n = ptr[i + 1] - from;
    if (n > MOST_COUNTED) continue;
    for (let k = 0; k < n; k++) {
      leaves[2 * k] = ids[from + k];
      leaves[2 * k + 1] = factors[from + k];
    }
    for (let k = 0; k < n; k++) codes[from + k] = width * firstPlace(leaves[2 * k]) + firstPlace(leaves[2 * k + 1]);
  }
  return { codes, base: width * width };
};

/** Among the leaves of a unit. */
const firstPlace = (id: number): number => {
  let k = 0;
  while (leaves[k] !== id) k++;
  return k;
};
