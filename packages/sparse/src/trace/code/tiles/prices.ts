import { groupBy } from '../group-by.js';
import { codeOf, signatureKey, signatureOf, type Signature, type Tile } from './tile.js';

/**
 * What tiles cost, in cycles of a processor that loads two vectors and one index, or three numbers, and does one
 * multiply-add of vectors each cycle. Only the ratios matter. They follow from what is loaded and computed, not from
 * any particular matrix.
 */
export class Prices {
  private readonly gatherCost: number;
  /** Signatures whose code is written out, by height and number of entries of a row. */
  private readonly bySize = new Map<string, Signature[]>();

  /**
   * @param lanes rows or entries that a vector holds
   * @param written signatures that have code; until that is known any of which there would be little
   */
  constructor(
    readonly lanes: number,
    private readonly written: ReadonlyMap<string, Written> | undefined = undefined,
  ) {
    this.gatherCost = gatherCost(lanes);
    for (const { signature: s } of written?.values() ?? []) {
      if (s.form !== 'lanes' || s.scattered) continue;
      const key = sizeKey(s.height, s.counts[0] + s.counts[1] + s.counts[2]);
      const list = this.bySize.get(key);
      if (list) list.push(s);
      else this.bySize.set(key, [s]);
    }
  }

  /** An entry that is added to a row in memory. */
  readonly add = 2.5;

  /** The least that a tile of so many rows with so many entries each can cost. */
  least(entries: number): number {
    return BEGIN.written + entries;
  }

  /** Of a row in compressed rows, as many vectors as fit and the rest one by one. */
  row(entries: number): number {
    const vectors = Math.floor(entries / this.lanes);
    return ROW + (vectors > 0 ? BEGIN.sum : 0) + vectors * this.gatherCost + (entries % this.lanes) * SINGLE;
  }

  /** Of a row with so many runs of columns, which have so many whole vectors and so many entries besides. */
  runs(runs: number, vectors: number, rest: number): number {
    return ROW + BEGIN.sum + runs * RUN + vectors + rest * SINGLE;
  }

  /** Of a tile; infinite where it has no code. */
  of(s: Signature): number {
    const [a, b, c] = s.counts;
    if (s.form === 'add') return this.add;
    const begin = this.begin(s);
    if (s.form === 'lanes') return begin + (s.scattered ? s.height - 1 : 0) + a + b + c * gatherCost(s.height);
    return begin + (a + b > 0 ? BEGIN.sum : 0) + a + b * this.gatherCost + c * SINGLE;
  }

  /** A row beside others of its length that need not be near. */
  beside(entries: number): number {
    return this.of({ form: 'lanes', height: this.lanes, scattered: true, counts: [0, 0, entries] }) / this.lanes;
  }

  private begin(s: Signature): number {
    if (this.written === undefined) return codeOf(s, this.lanes) <= CODE.tile ? BEGIN.written : Infinity;
    const tiles = this.written.get(signatureKey(s))?.tiles;
    return tiles === undefined ? Infinity : writtenCost(tiles);
  }

  /** The cheapest signature for consecutive rows where so many slides and shares are possible; each may be a gather, too. */
  cheapest(height: number, slides: number, shares: number, gathers: number): Signature {
    const own: Signature = { form: 'lanes', height, scattered: false, counts: [slides, shares, gathers] };
    let best = own;
    for (const s of this.bySize.get(sizeKey(height, slides + shares + gathers)) ?? []) {
      if (s.counts[0] <= slides && s.counts[1] <= shares && this.of(s) < this.of(best)) best = s;
    }
    return best;
  }
}

/** In quarters, so that sums are exact and ties are ties. */
const gatherCost = (height: number): number => Math.round((4 * (2 * height + 1)) / 3) / 4;

const sizeKey = (height: number, entries: number): string => `${height} ${entries}`;

const BEGIN = {
  /** A loop over tiles whose code is written out, and each of them: its row, its sum. */
  loop: 12,
  written: 2,
  /** The sum over the lanes of a row that runs along them. */
  sum: 4,
};

/** One tile needs no loop. */
const writtenCost = (tiles: number): number =>
  tiles === 1 ? BEGIN.written : BEGIN.written + Math.ceil((4 * BEGIN.loop) / tiles) / 4;

/** An entry by itself. */
const SINGLE = 1.25;

/** A row of compressed rows: its loops, and what a processor expects in vain of how long it is. */
const ROW = 6;

/** A run of columns: its loops, as those of a row. */
const RUN = 6;

/** How much code may be unrolled, for one tile and in all, in loads and operations: compilers take time for each. */
export const CODE = { tile: 40, all: 240 };

/** A signature and how many tiles have it. */
export interface Written {
  readonly signature: Signature;
  readonly tiles: number;
}

/**
 * The signatures that gain most from unrolled code for their tiles.
 *
 * @param saved what a tile costs less, if it costs no loop
 * @param perEntry how many loads and operations code for one entry consists of
 */
export const signaturesToWrite = (
  tiles: readonly Tile[],
  lanes: number,
  saved: (s: Signature) => number,
  perEntry = 1,
): ReadonlyMap<string, Written> => {
  const size = (s: Written): number => perEntry * codeOf(s.signature, lanes);
  const gain = ({ signature, tiles: n }: Written): number => n * (saved(signature) + BEGIN.written - writtenCost(n));
  const sets = groupBy(
    tiles.filter((t) => t.form !== 'add'),
    (t) => signatureKey(signatureOf(t)),
  ).map((set): Written => ({ signature: signatureOf(set[0]), tiles: set.length }));
  const out = new Map<string, Written>();
  let code = 0;
  for (const s of sets.sort((a, b) => gain(b) / size(b) - gain(a) / size(a))) {
    if (!(gain(s) > 0) || size(s) > CODE.tile || code + size(s) > CODE.all) continue;
    out.set(signatureKey(s.signature), s);
    code += size(s);
  }
  return out;
};
