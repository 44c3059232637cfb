import { termStarts, type HarvestedGroup, type Segment } from './harvested.js';

/** Most runs of terms that become segments; each is a loop of its own in the code. */
const MOST_RUNS = 6;

/**
 * A rolled sum whose terms come in the same few runs in all instances, each run of one kind: a start value, products, an offset. The terms of
 * each run become a segment, although several are of one kind, and segment comes after segment: nothing asks for each term which kind is next. Any other
 * group is given back as it is.
 */
export const segmentsInRuns = (g: HarvestedGroup): HarvestedGroup => {
  const { turns, segments, ...rest } = g;
  if (turns === undefined) return g;
  const starts = termStarts(g);
  const pattern = longestRuns(turns, starts);
  const runOf = pattern && runsOfTerms(turns, starts, pattern);
  if (pattern === undefined || runOf === undefined) return g;
  const lists = pattern.map((): number[] => []);
  const ptrs = pattern.map(() => new Int32Array(starts.length));
  const next = segments.map(() => 0);
  for (let i = 0; i + 1 < starts.length; i++) {
    for (let t = starts[i]; t < starts[i + 1]; t++) lists[runOf[t]].push(next[turns[t]]++);
    for (const [r, ptr] of ptrs.entries()) ptr[i + 1] = lists[r].length;
  }
  return {
    ...rest,
    segments: pattern.map((s, r): Segment => ({
      ...segments[s],
      ptr: ptrs[r],
      columns: segments[s].columns.map((c) => ({ ...c, nodes: Int32Array.from(lists[r], (e) => c.nodes[e]) })),
      constants: segments[s].constants.map((c) => Float64Array.from(lists[r], (e) => c[e])),
    })),
  };
};

/** The kinds of the runs of the instance that has most of them; none where these are too many. */
const longestRuns = (turns: Int32Array, starts: Int32Array): readonly number[] | undefined => {
  let longest: number[] = [];
  for (let i = 0; i + 1 < starts.length; i++) {
    const runs: number[] = [];
    for (let t = starts[i]; t < starts[i + 1]; t++) if (runs.at(-1) !== turns[t]) runs.push(turns[t]);
    if (runs.length > MOST_RUNS) return undefined;
    if (runs.length > longest.length) longest = runs;
  }
  return longest;
};

/** Which run of a pattern each term is in, where the runs of all instances are among it, in its order. */
const runsOfTerms = (turns: Int32Array, starts: Int32Array, pattern: readonly number[]): Uint8Array | undefined => {
  const runs = new Uint8Array(turns.length);
  for (let i = 0; i + 1 < starts.length; i++) {
    let run = -1;
    for (let t = starts[i]; t < starts[i + 1]; t++) {
      if (t === starts[i] || turns[t] !== turns[t - 1]) run = pattern.indexOf(turns[t], run + 1);
      if (run < 0) return undefined;
      runs[t] = run;
    }
  }
  return runs;
};
