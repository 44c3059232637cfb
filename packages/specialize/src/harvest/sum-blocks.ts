import { mix } from '@filigree/ir';
import type { NeededElements } from '../decompose/needs.js';
import { LARGEST, MAX_GROUPS } from '../group/sums.js';
import type { GroupOptions } from '../options.js';
import { ValueReader, type Sums } from '../trace/elements/elements.js';

/** Needed sums of a call of elements in units, and the order in which each of those calls stores what elements compute. */
export interface SumBlocks {
  readonly units: readonly SumUnits[];
  /** Of each elements its needed roots. */
  readonly order: readonly (readonly number[])[];
}

/** Unit i has the sums `sums[unitPtr[i] .. unitPtr[i+1])`. */
export interface SumUnits {
  readonly unitPtr: Int32Array;
  readonly sums: Int32Array;
  /** Units that are read at the same distances have equal numbers; 0 for a sum by itself. */
  readonly form: Int32Array;
}

/** Leaves of a block, from which on the sums that follow are another; of one that evaluates elements these say how many terms. */
const MOST_LEAVES = 64;

/** Forms that blocks have which evaluate elements: each is code for all elements of a block, and others are evaluated term by term. */
const MOST_FORMS = 16;

/**
 * Sums that have values of the same elements as terms, one after the other (the nine entries of two vertices that share two faces), are one unit: its operands stand
 * at constant distances from the first, and so one index is enough. Roots are stored in the order in which such blocks read
 * them, so that blocks at different corners of elements have the same distances. Where few blocks are alike, or there are already many kinds of them,
 * each sum is a unit by itself. Sums that evaluate elements are put together wherever they go, since these are evaluated once for all of a unit.
 *
 * @param own of each elements the sums that are units, ascending
 * @param isNumber whether a node is a number, which may be a term too
 * @param goesTo a number for where the value of a sum goes; undefined for a sum that stays single
 */
export const sumBlocks = (
  elements: readonly NeededElements[],
  own: readonly Int32Array[],
  isNumber: (id: number) => boolean,
  goesTo: (id: number) => number | undefined,
  { blocks, minUnrolledInstances }: Pick<GroupOptions, 'blocks' | 'minUnrolledInstances'>,
): SumBlocks => {
  const values = valuesOf(elements, isNumber);
  const most = elements.map(({ mostTerms }) => (mostTerms > 0 ? mostTerms : blocks ? MOST_LEAVES : 0));
  const evaluates = elements.map(({ mostTerms }) => mostTerms > 0);
  const found = elements.map(({ sums }, k) => sameElements(sums, own[k], values(sums.terms), most, evaluates));
  const order = storedInOrder(elements, found);
  const rank = order.map((roots) => {
    const at: number[] = [];
    roots.forEach((r, i) => (at[r] = i));
    return at;
  });
  return {
    units: elements.map(({ sums }, k) => unitsAlike(sums, found[k], rank, evaluates, goesTo, minUnrolledInstances)),
    order,
  };
};

/** Which root of which element each term is. */
interface Values {
  /** Elements of all calls numbered through; for a number what `ofNumber` says, `NODE` for any other node. */
  readonly element: Int32Array;
  readonly root: Int32Array;
  /** The call that they are of. */
  readonly of: Int32Array;
}

const NODE = -1;
const ofNumber = (id: number): number => NODE - 1 - id;

const valuesOf = (
  elements: readonly NeededElements[],
  isNumber: (id: number) => boolean,
): ((terms: Int32Array) => Values) => {
  const firstElement = elements.map(() => 0);
  for (let k = 1; k < elements.length; k++) firstElement[k] = firstElement[k - 1] + elements[k - 1].count;
  return (terms) => {
    const element = new Int32Array(terms.length).fill(NODE);
    const root = new Int32Array(terms.length);
    const of = new Int32Array(terms.length);
    const reader = new ValueReader(elements);
    for (let t = 0; t < terms.length; t++) {
      if (terms[t] >= 0) {
        if (isNumber(terms[t])) element[t] = ofNumber(terms[t]);
        continue;
      }
      const value = ~terms[t];
      const call = reader.callOf(value);
      const r = reader.rootOf(value);
      of[t] = call;
      root[t] = r;
      element[t] = firstElement[call] + reader.elementOf(value, r);
    }
    return { element, root, of };
  };
};

/** How many blocks of sums that end with one element may stand where it says. */
const PLACES_AN_ELEMENT = 4;

/** Sums in blocks, in the order of the first of each: block b is `sums[ptr[b] .. ptr[b+1])`. */
interface Blocks extends Values {
  readonly ptr: Int32Array;
  readonly sums: Int32Array;
}

/**
 * Puts sums together whose terms are values of the same elements, in order; with the same signs, but where they evaluate these.
 *
 * @param most how many terms a block of values of each call may have
 */
const sameElements = (
  sums: Sums,
  own: Int32Array,
  values: Values,
  most: readonly number[],
  evaluates: readonly boolean[],
): Blocks => {
  const { element, of } = values;
  const { ptr, negative } = sums;
  const plain = sums.heads === undefined && sums.factors === undefined;
  const places = 2 ** Math.ceil(Math.log2(2 * own.length + 2));
  /* The number of a block after that of its hash: 0 where there is none. */
  const table = new Int32Array(places);
  const hashes = new Int32Array(own.length);
  const blockOf = new Int32Array(own.length);
  const firstOf = new Int32Array(own.length);
  const size = new Int32Array(own.length);
  let blocks = 0;
  const equal = (s: number, r: number): boolean => {
    const n = ptr[s + 1] - ptr[s];
    if (n !== ptr[r + 1] - ptr[r]) return false;
    for (let t = 0; t < n; t++)
      if (
        element[ptr[s] + t] !== element[ptr[r] + t] ||
        (negative[ptr[s] + t] !== negative[ptr[r] + t] && !evaluates[of[ptr[s] + t]])
      )
        return false;
    return true;
  };
  for (let m = 0; m < own.length; m++) {
    const s = own[m];
    const n = ptr[s + 1] - ptr[s];
    let h = n;
    let room = plain && n > 0 ? Infinity : 0;
    for (let t = ptr[s]; 2 * n <= room && t < ptr[s + 1]; t++) {
      if (element[t] >= 0) room = Math.min(room, most[of[t]]);
      else if (element[t] === NODE) room = 0;
      h = mix(h, element[t]);
    }
    const may = 2 * n <= room;
    /* Sums that follow one another end with elements that do. */
    let at = may ? (PLACES_AN_ELEMENT * element[ptr[s + 1] - 1] + (h & (PLACES_AN_ELEMENT - 1))) & (places - 1) : 0;
    if (may)
      for (let next = h & (places - 1); table[at] !== 0; at = next, next = (next + 1) & (places - 1))
        if (hashes[table[at] - 1] === h && equal(s, firstOf[table[at] - 1])) break;
    const known = may ? table[at] - 1 : -1;
    if (known >= 0 && (size[known] + 1) * n <= room) blockOf[m] = known;
    else {
      firstOf[blocks] = s;
      hashes[blocks] = h;
      blockOf[m] = blocks++;
      if (may) table[at] = blocks;
    }
    size[blockOf[m]]++;
  }
  const begins = new Int32Array(blocks + 1);
  for (let b = 0; b < blocks; b++) begins[b + 1] = begins[b] + size[b];
  const next = begins.slice(0, blocks);
  const sorted = new Int32Array(own.length);
  for (let m = 0; m < own.length; m++) sorted[next[blockOf[m]]++] = own[m];
  return { ...values, ptr: begins, sums: sorted };
};

/** The needed roots of each elements in the order in which blocks read them, then those that no block reads. */
const storedInOrder = (elements: readonly NeededElements[], blocks: readonly Blocks[]): number[][] => {
  const order = elements.map(() => new Set<number>());
  const open = elements.map(({ needed }) => needed.length);
  blocks.forEach(({ ptr, sums, element, root, of }, k) => {
    const { ptr: terms } = elements[k].sums;
    for (let b = 0; b + 1 < ptr.length; b++) {
      if (ptr[b + 1] - ptr[b] < 2) continue;
      const s = sums[ptr[b]];
      for (let t = 0; t < terms[s + 1] - terms[s]; t++) {
        const into = of[terms[s] + t];
        if (element[terms[s] + t] < 0 || order[into].size === open[into]) continue;
        for (let m = ptr[b]; m < ptr[b + 1]; m++) order[into].add(root[terms[sums[m]] + t]);
      }
    }
  });
  return elements.map(({ needed }, k) => {
    needed.forEach((r) => order[k].add(r));
    return [...order[k]];
  });
};

/** Blocks of which there are enough alike as units, the sums of others one by one. */
const unitsAlike = (
  { ptr: terms, negative, first }: Sums,
  { ptr, sums, element, root, of }: Blocks,
  rank: readonly (readonly number[])[],
  evaluates: readonly boolean[],
  goesTo: (id: number) => number | undefined,
  least: number,
): SumUnits => {
  const blocks = ptr.length - 1;
  /* Numbers of 53 bits: on an irregular mesh there are more forms than 32 bits tell apart. */
  const formOf = new Float64Array(blocks);
  const counts = new Map<number, { readonly evaluated: boolean; blocks: number; sums: number }>();
  for (let b = 0; b < blocks; b++) {
    const size = ptr[b + 1] - ptr[b];
    if (size < 2) continue;
    const from = terms[sums[ptr[b]]];
    const n = terms[sums[ptr[b]] + 1] - from;
    let [h, k] = [mix(size, n), 0x2545f491];
    const add = (x: number): void => {
      h = mix(h, x);
      k = mix(k, x);
    };
    let [single, evaluated] = [false, false];
    for (let m = ptr[b]; m < ptr[b + 1]; m++) {
      const goes = goesTo(first + sums[m]);
      single ||= goes === undefined;
      add(goes ?? 0);
    }
    for (let t = from; t < from + n; t++) evaluated ||= element[t] >= 0 && evaluates[of[t]];
    if (single && !evaluated) continue;
    for (let t = 0; t < n; t++) {
      if (element[from + t] < 0) {
        add(element[from + t]);
        continue;
      }
      const call = of[from + t];
      const rankOf = rank[call];
      add(call);
      for (let m = ptr[b]; m < ptr[b + 1]; m++) {
        const at = terms[sums[m]] + t;
        add(negative[at]);
        add(evaluates[call] ? root[at] : rankOf[root[at]] - rankOf[root[from + t]]);
      }
    }
    formOf[b] = 1 + (h >>> 0) * 0x200000 + (k >>> 11);
    const known = counts.get(formOf[b]);
    if (known === undefined) counts.set(formOf[b], { evaluated, blocks: 1, sums: size });
    else {
      known.blocks++;
      known.sums += size;
    }
  }
  let evaluating = 0;
  for (const { evaluated, blocks: n } of counts.values()) if (evaluated) evaluating += n;
  const enough = [...counts].filter(
    ([, c]) => c.blocks >= (c.evaluated ? Math.max(least, evaluating / MOST_FORMS) : least),
  );
  const kept = enough.length > MAX_GROUPS ? enough.sort((x, y) => y[1].sums - x[1].sums).slice(0, LARGEST) : enough;
  const numberOf = new Map(kept.map(([form], k) => [form, k + 1]));
  const unitPtr: number[] = [0];
  const form: number[] = [];
  for (let b = 0; b < blocks; b++) {
    const number = numberOf.get(formOf[b]) ?? 0;
    const together = number > 0;
    for (let m = together ? ptr[b + 1] : ptr[b] + 1; m <= ptr[b + 1]; m++) {
      unitPtr.push(m);
      form.push(number);
    }
  }
  return { unitPtr: Int32Array.from(unitPtr), sums, form: Int32Array.from(form) };
};
