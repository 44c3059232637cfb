import { CONSTANT } from '../decompose/codes.js';
import type { NeededElements } from '../decompose/needs.js';
import { ValueReader, type Heads } from '../trace/elements/elements.js';
import { countFrom } from '../trace/count-from.js';
import { MAX_DIRECT, type Destinations } from '../group/destinations.js';
import type { Grouping } from '../group/group.js';
import type { GroupOptions } from '../options.js';
import { hostsOf } from './hosts.js';
import { sumBlocks, type SumUnits } from './sum-blocks.js';

/** Units of elements and their sums, behind those of the graph, and where their values go. */
export interface ElementRoots {
  readonly ids: number;
  readonly ptr: Int32Array;
  readonly roots: Int32Array;
  readonly level: Int32Array;
  readonly unit: Int32Array;
  readonly destinations: Destinations;
  readonly elements: readonly {
    /** Units `firstUnit + e`, each with the values of these nodes of the templates of some calls, its own among them; none where another call has them (`hostsOf`). */
    readonly firstUnit: number;
    readonly calls: readonly number[];
    readonly roots: readonly number[];
    /** Unit `firstSumUnit + i` has the sums `sums[unitPtr[i] .. unitPtr[i+1])`: those that are needed and are not the value of one element as it is. */
    readonly firstSumUnit: number;
    readonly unitPtr: Int32Array;
    readonly sums: Int32Array;
    /** Equal for units of several sums that are read alike, see `SumUnits`. */
    readonly form: Int32Array;
  }[];
  /** The number of a value of elements. */
  readonly idOfValue: (value: number) => number;
}

/**
 * Numbers the units of elements and of sums. Where each value of a root is all that there is to some sum, and these go to the same
 * places, elements write the sums themselves.
 */
export const elementRoots = (d: Grouping, options: GroupOptions): ElementRoots => {
  const { graph, needs, elementLevels } = d;
  const results = resultPlaces(d);
  const uses = usesOfValues(d);
  const direct = directRoots(needs.elements, results, uses);
  const parts = needs.elements.map((e, k) => ({ ...e, direct: direct[k] }));
  const ids = graph.length + uses.length;
  /* 1 for sums that elements write themselves, 2 where some of a root's are read by others. */
  const written = new Uint8Array(graph.length);
  const idOf = countFrom(graph.length, uses.length);
  for (const { direct, firstValue, count } of parts)
    for (const [r, sums] of direct) {
      const mark = sums.some((id) => id < 0 || results.isRead(id)) ? 2 : 1;
      for (let i = 0; i < count; i++) {
        if (sums[i] < 0) continue;
        idOf[firstValue + r * count + i] = sums[i];
        written[sums[i]] = mark;
      }
    }
  const own = parts.map((e) => {
    const sums = new Int32Array(e.summed ? e.sums.ptr.length - 1 : 0);
    let n = 0;
    for (let s = 0; s < sums.length; s++)
      if (written[e.sums.first + s] === 0 && results.isNeeded(e.sums.first + s)) sums[n++] = s;
    return sums.slice(0, n);
  });
  const evaluates = needs.elements.some(({ mostTerms }) => mostTerms > 0);
  const blocks =
    options.blocks || evaluates
      ? sumBlocks(needs.elements, own, (id) => graph.op[id] === CONSTANT, results.goesTo, options)
      : undefined;
  const stored = blocks?.order ?? parts.map((e) => e.needed);
  let count = d.ptr.length - 1;
  let values = d.roots.length;
  const hosts = hostsOf(d);
  const callsIn = parts.map((): number[] => []);
  hosts.forEach((host, k) => parts[k].needed.length > 0 && callsIn[host].push(k));
  const elements = parts.map((e, k) => {
    const { unitPtr, sums, form } = unitsOfSums(own[k], e.sums.heads, blocks?.units[k]);
    const firstUnit = count;
    const calls = callsIn[k];
    if (calls.length > 0) count += e.count;
    const firstSumUnit = count;
    count += unitPtr.length - 1;
    values += e.needed.length * e.count + sums.length;
    const rootsOfCalls = calls.flatMap((g) => stored[g].map((r) => parts[g].roots[r]));
    return { firstUnit, calls, roots: rootsOfCalls, firstSumUnit, unitPtr, sums, form };
  });
  const ptr = grown(d.ptr, count + 1);
  const level = grown(d.level, count);
  const roots = grown(d.roots, values);
  const unit = grown(d.unit, ids);
  let u = d.ptr.length - 1;
  let at = d.roots.length;
  const add = (id: number): void => {
    unit[id] = u;
    roots[at++] = id;
  };
  const addValues = (n: number, calls: readonly number[], l: number): void => {
    const firsts = calls.flatMap((g) => stored[g].map((r) => parts[g].firstValue + r * n));
    for (let i = 0; i < n; i++) {
      level[u] = l;
      for (let r = 0; r < firsts.length; r++) add(idOf[firsts[r] + i]);
      ptr[++u] = at;
    }
  };
  const addSums = ({ unitPtr, sums }: SumUnits, first: number, l: number): void => {
    for (let i = 0; i + 1 < unitPtr.length; i++) {
      level[u] = l;
      for (let m = unitPtr[i]; m < unitPtr[i + 1]; m++) add(first + sums[m]);
      ptr[++u] = at;
    }
  };
  parts.forEach((e, k) => {
    const { calls } = elements[k];
    if (calls.length > 0) addValues(e.count, calls, elementLevels[k].values);
    addSums(elements[k], e.sums.first, elementLevels[k].sums);
  });
  return {
    ids,
    ptr,
    roots,
    level,
    unit,
    destinations: allDestinations(d, roots, results, written),
    elements,
    idOfValue: (v) => idOf[v],
  };
};

/** Sums in units: those of one head in one, which stands where its first sum would, others in blocks, if these are given. */
const unitsOfSums = (sums: Int32Array, heads: Heads | undefined, blocks: SumUnits | undefined): SumUnits => {
  if (heads === undefined)
    return blocks ?? { unitPtr: countFrom(0, sums.length + 1), sums, form: new Int32Array(sums.length) };
  const unitOfHead = new Int32Array(heads.ptr.length).fill(-1);
  const unitOf = new Int32Array(sums.length);
  let count = 0;
  for (let m = 0; m < sums.length; m++) {
    const head = heads.of[sums[m]];
    if (head < 0) unitOf[m] = count++;
    else {
      if (unitOfHead[head] < 0) unitOfHead[head] = count++;
      unitOf[m] = unitOfHead[head];
    }
  }
  const unitPtr = new Int32Array(count + 1);
  for (const u of unitOf) unitPtr[u + 1]++;
  for (let u = 0; u < count; u++) unitPtr[u + 1] += unitPtr[u];
  const next = unitPtr.slice(0, count);
  const sorted = new Int32Array(sums.length);
  for (let m = 0; m < sums.length; m++) sorted[next[unitOf[m]]++] = sums[m];
  return { unitPtr, sums: sorted, form: new Int32Array(count) };
};

type ResultPlaces = ReturnType<typeof resultPlaces>;

/** The destinations of the graph's roots and of those behind them. */
const allDestinations = (d: Grouping, roots: Int32Array, results: ResultPlaces, written: Uint8Array): Destinations => {
  const { graph, outputs, destinations: known } = d;
  const from = d.roots.length;
  const read = grown(known.read, roots.length);
  const ptr = grown(known.ptr, roots.length + 1);
  const rootOf = new Int32Array(graph.length).fill(-1);
  for (let r = from; r < roots.length; r++) {
    const id = roots[r];
    const isSum = id < graph.length;
    if (isSum) rootOf[id] = r;
    read[r] = !isSum || results.isRead(id) || written[id] === 2 ? 1 : 0;
    ptr[r + 1] = ptr[r] + (isSum ? results.direct(id) : 0);
  }
  const output = grown(known.output, ptr[roots.length]);
  const position = grown(known.position, ptr[roots.length]);
  const next = ptr.slice(0, roots.length);
  if (roots.length > from)
    outputs.forEach(({ nodes }, k) => {
      for (let i = 0; i < nodes.length; i++) {
        const r = rootOf[nodes[i]];
        if (r < 0 || results.direct(nodes[i]) === 0) continue;
        output[next[r]] = k;
        position[next[r]++] = i;
      }
    });
  return { read, ptr, output, position, copied: (node) => known.copied(node) || results.copied(node) };
};

const grown = <T extends Int32Array | Uint8Array>(values: T, length: number): T => {
  const out = new (values.constructor as new (n: number) => T)(length);
  out.set(values.subarray(0, Math.min(values.length, length)));
  return out;
};

/** Who reads sums of elements, and how often outputs have them. */
const resultPlaces = ({ graph, needs, outputs, references }: Grouping) => {
  const positions = new Int32Array(graph.length);
  const output = new Int32Array(graph.length).fill(-1);
  outputs.forEach(({ nodes }, k) => {
    for (let i = 0; i < nodes.length; i++)
      if (needs.isSum(nodes[i])) {
        positions[nodes[i]]++;
        output[nodes[i]] = k;
      }
  });
  const copied = (id: number): boolean => positions[id] > MAX_DIRECT;
  /* What outputs or elements have is listed once among what is referred to. */
  const isRead = (id: number): boolean => {
    const listed = positions[id] > 0 || needs.read[id] === 1 ? 1 : 0;
    return copied(id) || needs.read[id] === 1 || references[id] > listed;
  };
  return {
    copied,
    isRead,
    isNeeded: (id: number): boolean => positions[id] > 0 || isRead(id),
    /** How many places of outputs a sum is written to at once. */
    direct: (id: number): number => (copied(id) ? 0 : positions[id]),
    /**
     * A number for the output that alone has the value of a sum. Undefined where others read it, whose lanes want values of a kind side by side, and
     * for several places of outputs: of mirrored blocks an instance would write to twice as many rows, which takes longer than reading an index an entry.
     */
    goesTo: (id: number): number | undefined =>
      isRead(id) || (!copied(id) && positions[id] > 1) ? undefined : copied(id) ? -1 : output[id],
    /** The last of the outputs that have a sum. */
    output: (id: number): number => output[id],
  };
};

/** How many terms of needed sums are each value of elements: 2 for more. */
const usesOfValues = ({ needs }: Grouping): Uint8Array => {
  const last = needs.elements[needs.elements.length - 1];
  const uses = new Uint8Array(last === undefined ? 0 : last.firstValue + last.roots.length * last.count);
  for (const { summed, sums } of needs.elements) if (summed) countValues(sums.terms, uses);
  return uses;
};

const countValues = (terms: Int32Array, uses: Uint8Array): void => {
  for (let t = 0; t < terms.length; t++) if (terms[t] < 0 && uses[~terms[t]] < 2) uses[~terms[t]]++;
};

/** Of each elements the roots whose values are sums by themselves, with the nodes that stand for these; −1 where a value is in no sum. */
const directRoots = (
  elements: readonly NeededElements[],
  results: ResultPlaces,
  uses: Uint8Array,
): readonly Map<number, Int32Array>[] => {
  const found = elements.map((e) => new Map(e.needed.map((r) => [r, new Int32Array(e.count).fill(-1)] as const)));
  const own = elements.map((e, k) => Array.from(e.roots, (_, r) => found[k].get(r)));
  const several = elements.map((e) => new Uint8Array(e.roots.length));
  /* How many needed roots are not known to be terms of sums with others. */
  const rest = elements.map((e) => e.needed.length);
  const reader = new ValueReader(elements);
  for (const { summed, sums } of elements) {
    if (!summed) continue;
    const { ptr, terms, negative, first, heads } = sums;
    for (let s = 0; s + 1 < ptr.length; s++) {
      const alone = ptr[s + 1] - ptr[s] === 1 && (heads === undefined || heads.of[s] < 0);
      for (let t = ptr[s]; t < ptr[s + 1]; t++) {
        if (terms[t] >= 0) continue;
        const value = ~terms[t];
        const of = reader.callOf(value);
        if (rest[of] === 0) continue;
        const root = reader.rootOf(value);
        if (several[of][root] === 1) continue;
        const sumOf = own[of][root];
        if (!alone || negative[t] !== 0 || uses[value] !== 1) {
          several[of][root] = 1;
          if (sumOf !== undefined) rest[of]--;
        } else if (sumOf !== undefined) sumOf[reader.elementOf(value, root)] = first + s;
      }
    }
  }
  for (const [k, ofRoots] of found.entries())
    for (const [r, sums] of ofRoots) {
      const some = sums.find((id) => id >= 0) ?? -1;
      const [places, output] = some < 0 ? [2, -1] : [results.direct(some), results.output(some)];
      const alike = (id: number): boolean =>
        id < 0
          ? places === 0
          : results.isNeeded(id) && results.direct(id) === places && (places === 0 || results.output(id) === output);
      if (places > 1 || several[k][r] === 1 || !sums.every(alike)) ofRoots.delete(r);
    }
  return found;
};
