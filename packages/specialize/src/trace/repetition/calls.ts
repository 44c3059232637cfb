import { Sym, type Graph } from '@filigree/ir';
import { flatten, isStill, rebuild, recipeOf, type Flat, type Recipe } from './flat-values.js';
import type { Stretches } from './stretches.js';

/** Items that arguments have together, and results. */
const MOST_ITEMS = 128;
/** Runs that are known of a function. */
const MOST_RUNS = 16;
/** Calls in vain after which a function is only called. */
const MOST_IN_VAIN = 64;

/** What a call did within a stretch. */
interface Run {
  /** The path from where it was called to where it ended. */
  readonly from: number;
  readonly to: number;
  readonly given: Flat;
  /** New leaves of the stretch: of an argument `~i`, else a node. */
  readonly leaves: Int32Array;
  readonly result: Recipe;
}

interface Known {
  readonly runs: Run[];
  inVain: number;
}

/**
 * Calls of functions that read nothing but their arguments, and change nothing. Symbols decide nothing while code is traced: so a call from the same place of a path with
 * arguments of the same form, equal numbers and equal symbols at the same places goes the same way again, and need not run: the stretch goes on where the path of the
 * call ended, and what it returned is made anew of its own values.
 */
export class Calls {
  private readonly known = new Map<unknown, Known>();

  constructor(
    private readonly graph: Graph,
    private readonly stretches: Stretches,
  ) {}

  run<A extends readonly unknown[], R>(call: (...args: A) => R, args: A): R {
    const { stretches } = this;
    if (stretches.cursor === 0) return call(...args);
    let known = this.known.get(call);
    if (known === undefined) this.known.set(call, (known = { runs: [], inVain: 0 }));
    if (known.inVain > MOST_IN_VAIN) return call(...args);
    const given = flatten(this.graph, stretches, args, MOST_ITEMS);
    if (given === undefined) {
      known.inVain++;
      return call(...args);
    }
    const from = stretches.cursor;
    for (const run of known.runs)
      if (run.from === from && isSame(run.given, given)) {
        known.inVain = 0;
        return this.again(run, given) as R;
      }
    known.inVain++;
    return known.runs.length < MOST_RUNS ? this.first(known, call, args, given) : call(...args);
  }

  private again({ to, leaves, result }: Run, { items }: Flat): unknown {
    const { stretches } = this;
    for (let k = 0; k < leaves.length; k++) {
      const leaf = leaves[k];
      stretches.keep(leaf < 0 ? (items[~leaf] as Sym).at : leaf);
    }
    stretches.cursor = to;
    return rebuild(result, this.graph, stretches.base, items);
  }

  /** Runs a call, and keeps what it did if that is all within a stretch and worth it. */
  private first<A extends readonly unknown[], R>(known: Known, call: (...args: A) => R, args: A, given: Flat): R {
    const { stretches, graph } = this;
    const [from, base] = [stretches.cursor, stretches.base];
    const [firstLeaf, ownLeaves] = [stretches.leafCount, stretches.firstLeaf];
    const returned = call(...args);
    const to = stretches.cursor;
    const within = stretches.base === base && stretches.firstLeaf === ownLeaves && stretches.paths.isWithin(from, to);
    if (!within || !isStill(args, given)) return returned;
    const result = recipeOf(graph, base, given, returned, MOST_ITEMS);
    if (result === undefined) return returned;
    const operations = stretches.paths.operationsOf(to) - stretches.paths.operationsOf(from);
    if (operations < given.items.length + result.size) return returned;
    const leaves = this.sourcesOf(given, from, to, firstLeaf);
    if (leaves !== undefined) known.runs.push({ from, to, given, leaves, result: result.recipe });
    return returned;
  }

  /** Where the leaves come from that a call adds; undefined where it reads anything but arguments and numbers, or leaves that cannot be told apart. */
  private sourcesOf({ items }: Flat, from: number, to: number, firstLeaf: number): Int32Array | undefined {
    const { stretches, graph } = this;
    const argumentOf = (leaf: number): number => items.findIndex((x) => x instanceof Sym && x.at === leaf);
    for (const k of stretches.leavesAgain(from, to)) {
      const leaf = stretches.leaves[k];
      if (k < firstLeaf && (argumentOf(leaf) < 0 || stretches.placeOfLeaf(leaf) !== k - stretches.firstLeaf))
        return undefined;
    }
    const leaves = stretches.leaves.slice(firstLeaf, stretches.leafCount);
    for (const [k, leaf] of leaves.entries()) {
      if (leaf >= 0 && graph.isConstant(leaf)) continue;
      const item = argumentOf(leaf);
      if (item < 0) return undefined;
      leaves[k] = ~item;
    }
    return leaves;
  }
}

/** Whether arguments are of the same form, with equal numbers, and symbols that stand for the same places of a stretch or are equal where those of others are. */
const isSame = (a: Flat, b: Flat): boolean => {
  if (a.form.length !== b.form.length) return false;
  for (let i = 0; i < a.form.length; i++) if (a.form[i] !== b.form[i]) return false;
  for (let i = 0; i < a.items.length; i++)
    if (!(a.items[i] instanceof Sym) && !Object.is(a.items[i], b.items[i])) return false;
  return true;
};
