import { costsMore } from '@filigree/ir';
import { MUL } from '../decompose/codes.js';
import type { Decomposition } from '../decompose/decompose.js';
import { isLongProduct, MANY, REDUCTION } from '../decompose/reductions.js';
import type { GroupOptions } from '../options.js';
import type { CutHashes } from './cut-hash.js';
import { destinationNumbers, type Destinations } from './destinations.js';
import type { Group } from './groups.js';
import type { Structured } from './loops.js';
import { numbered } from './sequences.js';
import type { StructureOf } from './structure.js';
import { kindsOf, termList, type TermList } from './terms.js';

/** Groups of sums of one level and kind of destination from which only the largest stay as they are. */
export const MAX_GROUPS = 16;
export const LARGEST = 7;

/**
 * What is said of sums holds for minima, maxima and long products too; short products are no loops.
 *
 * Sums that are long, or of a length that few others have, join the other sums of the same kinds of terms in one rolled group. And
 * where there are sums of many structures, all but the most frequent are one rolled group: with terms of two kinds, added in the
 * order of the program, already sums of n terms come in 2ⁿ structures.
 *
 * @param exact the units of each structure, level and kind of destination
 * @param together whether sums of few units are loops whatever their terms are
 */
export const rollSums = (
  d: Decomposition,
  hashes: CutHashes,
  dest: Destinations,
  exact: readonly Int32Array[],
  structureOf: StructureOf,
  options: GroupOptions,
  together = false,
): StructuredGroup[] => {
  const list = termList(d, hashes);
  const destination = destinationNumbers(dest);
  const unrolled = (units: Int32Array): StructuredGroup => ({
    level: d.level[units[0]],
    units,
    rolled: false,
    structure: structureOf(units[0]),
  });
  const others: StructuredGroup[] = [];
  const sums = new Map<string, Sums[]>();
  for (const units of exact) {
    const found = sumsOf(d, destination, list, units, options);
    if (found === undefined) {
      others.push(unrolled(units));
      continue;
    }
    const known = sums.get(found.kind);
    if (known) known.push(found);
    else sums.set(found.kind, [found]);
  }
  const all = [...sums.values()];
  const joined = together ? ofAnyTerms(all.flat()) : all.flatMap((ofOne) => fewer(ofSameTerms(ofOne, options)));
  const numberOf = numbered<string>();
  return [
    ...others,
    ...joined.map(({ units, structure, loop, level }): StructuredGroup =>
      loop ? { level, units, rolled: true, structure: ~numberOf(structure) } : unrolled(units),
    ),
  ];
};

interface StructuredGroup extends Group, Structured {}

/** Sums that may be a loop over terms. */
interface Sums {
  readonly units: Int32Array;
  readonly level: number;
  /** The same for sums of one level, operation and kind of destination. */
  readonly kind: string;
  /** The same for sums of one operation and kind of destination, whatever their level; */
  readonly goes: string;
  /** and of the same kinds of terms. */
  readonly structure: string;
  readonly kinds: Int32Array;
  readonly terms: number;
  /** Whether there are enough of them for a kernel of their own. */
  readonly many: boolean;
  /** Whether they are few terms that cost next to nothing, as those of a filter. */
  readonly short: boolean;
  readonly loop: boolean;
}

const sumsOf = (
  d: Decomposition,
  destinationOf: (from: number, to: number) => number,
  list: TermList,
  units: Int32Array,
  options: GroupOptions,
): Sums | undefined => {
  const u = units[0];
  const r = d.ptr[u];
  const code = d.graph.op[d.roots[r]];
  if (d.ptr[u + 1] - r > 1 || REDUCTION[code] === 0) return undefined;
  const terms = list.collect(d.roots[r]);
  const many = units.length >= options.minUnrolledInstances;
  if (terms < 2 || (code === MUL && !isLongProduct(d.graph, list.terms.subarray(0, terms)))) return undefined;
  if (!mayBeLoop(d, list, terms, many)) return undefined;
  const level = d.level[u];
  const goes = `${code} ${destinationOf(r, r + 1)}`;
  const kinds = kindsOf(list, terms);
  const structure = `${goes} of ${kinds.join(' ')}`;
  const short =
    terms <= MOST_UNROLLED && !list.terms.subarray(0, terms).some((t) => costsMore(d.graph, t, LIGHT, d.stored));
  return { units, level, kind: `${level} ${goes}`, goes, structure, kinds, terms, many, short, loop: false };
};

/** Terms up to which sums are written out that most sums of a level are like, and what such a term may cost. */
const MOST_UNROLLED = 64;
const LIGHT = 4;
/** Of the sums of a level, those of one structure are usual if they are one in so many. */
const USUAL = 8;

/**
 * Long sums, and sums that few others are like, with the others of the same kinds of terms. But not those that many are like, as the sums of a filter of 5 × 5 taps: written out they need no
 * table of what they read, and run on lanes.
 */
const ofSameTerms = (all: readonly Sums[], { maxUnrolledTerms }: GroupOptions): Sums[] => {
  const out: Sums[] = [];
  const families = new Map<string, Sums[]>();
  const count = all.reduce((n, { units }) => n + units.length, 0);
  for (const sums of all) {
    const usual = sums.short && maxUnrolledTerms > 0 && USUAL * sums.units.length >= count;
    if (sums.many && (sums.terms <= maxUnrolledTerms || usual)) {
      out.push(sums);
      continue;
    }
    const known = families.get(sums.structure);
    if (known) known.push(sums);
    else families.set(sums.structure, [sums]);
  }
  for (const family of families.values())
    out.push({
      ...family[0],
      units: mergeAscending(family),
      loop: family.length > 1 || family[0].terms > maxUnrolledTerms,
    });
  return out;
};

/**
 * Sums that are there in few units a level, in a loop each level whatever their terms are, as far as these are of a few kinds: so all levels have the same loop, in which steps of an
 * elimination differ by what they add up alone.
 */
const ofAnyTerms = (all: readonly Sums[]): Sums[] => {
  const out: Sums[] = [];
  const usual = usualKinds(all);
  const families = new Map<string, Sums[]>();
  for (const sums of all) {
    if (sums.many || !sums.kinds.every((k) => usual.has(k))) {
      out.push(sums);
      continue;
    }
    const known = families.get(sums.kind);
    if (known) known.push(sums);
    else families.set(sums.kind, [sums]);
  }
  for (const family of families.values())
    out.push({ ...family[0], units: mergeAscending(family), structure: family[0].goes, loop: true });
  return out;
};

/** The kinds of terms that most sums have. */
const usualKinds = (all: readonly Sums[]): ReadonlySet<number> => {
  const count = new Map<number, number>();
  for (const { kinds, units } of all) for (const k of kinds) count.set(k, (count.get(k) ?? 0) + units.length);
  return new Set(
    [...count]
      .sort((a, b) => b[1] - a[1])
      .slice(0, MOST_KINDS)
      .map(([k]) => k),
  );
};

/** Each kind of term is code of its own in the loop over them. */
const MOST_KINDS = 8;

const fewer = (all: readonly Sums[]): readonly Sums[] => {
  if (all.length <= MAX_GROUPS) return all;
  const sorted = [...all].sort((a, b) => b.units.length - a.units.length);
  const rest = sorted.slice(LARGEST);
  const structure = rest.map((s) => s.structure).join(', ');
  return [...sorted.slice(0, LARGEST), { ...rest[0], units: mergeAscending(rest), structure, loop: true }];
};

/**
 * Whether a sum of `n` terms may be a loop: where many others have its structure, or where it has few terms, only if no term costs
 * much. A sum that few others are like, of many terms of few kinds, may be one always.
 */
const mayBeLoop = (d: Decomposition, list: TermList, n: number, many: boolean): boolean => {
  const { terms } = list;
  if (n > (many ? MANY : FEW) && kindsOf(list, n).length * TERMS_A_KIND <= n) return true;
  for (let t = 0; t < n; t++) if (costsMore(d.graph, terms[t], MAX_TERM_COST, d.stored)) return false;
  return true;
};

const MAX_TERM_COST = 64;
/** Terms from which a sum without its like is a loop whatever these cost. */
const FEW = 16;
/** Fewer terms of a kind than this are no loop but straight-line code. */
const TERMS_A_KIND = 8;

const mergeAscending = (sums: readonly Sums[]): Int32Array => {
  if (sums.length === 1) return sums[0].units;
  const out = new Int32Array(sums.reduce((n, s) => n + s.units.length, 0));
  let at = 0;
  for (const { units } of sums) {
    out.set(units, at);
    at += units.length;
  }
  return out.sort();
};
