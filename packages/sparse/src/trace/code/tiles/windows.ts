import type { CsrPattern } from '../../../formats/patterns/csr.js';
import type { Prices } from './prices.js';
import type { Tile } from './tile.js';

/** Windows of consecutive rows as tiles: how many of their columns agree, and what that costs. */
export class Windows {
  /** For each entry the last matching that used it. */
  private readonly used: Int32Array;
  private matching = 0;
  private readonly at: Int32Array;
  private readonly known: Matched[][] = [];

  constructor(private readonly p: CsrPattern) {
    this.used = new Int32Array(p.colIdx.length);
    this.at = new Int32Array(64);
  }

  /** What a window would cost if all columns agreed that can. */
  leastCost(first: number, height: number, prices: Prices): number {
    const { least, sum } = this.lengths(first, height);
    return prices.least(least) + (sum - height * least) * prices.add;
  }

  cost(first: number, height: number, prices: Prices): number {
    const { slides, shares } = this.best(first, height);
    const { least, sum } = this.lengths(first, height);
    const signature = prices.cheapest(height, slides, shares, least - slides - shares);
    return prices.of(signature) + (sum - height * least) * prices.add;
  }

  /** The window as a tile, and tiles for single entries of rows that have more than others. */
  tiles(first: number, height: number, prices: Prices): readonly Tile[] {
    const { p } = this;
    const { slides, shares, slidesFirst } = this.best(first, height);
    const found: Record<'slides' | 'shares', number[]> = { slides: [], shares: [] };
    this.match(first, height, slidesFirst, (kind, entries) => found[kind].push(...entries));
    const rows = Array.from({ length: height }, (_, h) => first + h);
    const left = rows.map((i) =>
      Array.from({ length: p.rowPtr[i + 1] - p.rowPtr[i] }, (_, k) => p.rowPtr[i] + k).filter(
        (e) => this.used[e] !== this.matching,
      ),
    );
    const gathers = Math.min(...left.map((l) => l.length));
    const { counts } = prices.cheapest(height, slides, shares, gathers);
    const alone = [found.slides.slice(0, counts[0] * height), found.shares.slice(0, counts[1] * height)].flat();
    const gathered = [
      ...found.slides.slice(counts[0] * height),
      ...found.shares.slice(counts[1] * height),
      ...Array.from({ length: gathers * height }, (_, t) => left[t % height][Math.floor(t / height)]),
    ];
    const heads = [...alone.filter((_, t) => t % height === 0), ...gathered];
    return [
      {
        form: 'lanes',
        rows,
        counts,
        columns: Int32Array.from(heads, (e) => p.colIdx[e]),
        entries: Int32Array.from([...alone, ...gathered]),
      },
      ...left.flatMap((l, h) => l.slice(gathers).map((e) => addTile(p, rows[h], e))),
    ];
  }

  private lengths(first: number, height: number): { readonly least: number; readonly sum: number } {
    const { rowPtr } = this.p;
    let least = Infinity;
    for (let i = first; i < first + height; i++) least = Math.min(least, rowPtr[i + 1] - rowPtr[i]);
    return { least, sum: rowPtr[first + height] - rowPtr[first] };
  }

  /** Slides and shares compete for entries: whichever is taken first, the other gets what is left. */
  private best(first: number, height: number): Matched {
    const known = (this.known[height] ??= new Array<Matched>(this.p.rows));
    return (known[first] ??= this.findBest(first, height));
  }

  private findBest(first: number, height: number): Matched {
    const slides = this.match(first, height, true);
    const { least } = this.lengths(first, height);
    if (slides.shares + slides.slides === least) return slides;
    const shares = this.match(first, height, false);
    return shares.shares + shares.slides > slides.shares + slides.slides ? shares : slides;
  }

  private match(first: number, height: number, slidesFirst: boolean, found?: Found): Matched {
    this.matching++;
    const counts = { slides: 0, shares: 0 };
    /* A vector of three lanes is loaded as one of four, which might reach beyond the end of x. */
    const canSlide = (height & (height - 1)) === 0;
    for (const kind of slidesFirst ? (['slides', 'shares'] as const) : (['shares', 'slides'] as const)) {
      if (kind === 'shares' || canSlide) counts[kind] = this.matchKind(first, height, kind, found);
    }
    return { ...counts, slidesFirst };
  }

  private matchKind(first: number, height: number, kind: 'slides' | 'shares', found?: Found): number {
    const { used, matching, at } = this;
    const { rowPtr, colIdx } = this.p;
    const step = kind === 'slides' ? 1 : 0;
    let count = 0;
    for (let h = 0; h < height; h++) at[h] = rowPtr[first + h];
    for (; at[0] < rowPtr[first + 1]; at[0]++) {
      const column = colIdx[at[0]];
      let agree = used[at[0]] !== matching;
      for (let h = 1; agree && h < height; h++) {
        const end = rowPtr[first + h + 1];
        const wanted = column + step * h;
        while (at[h] < end && colIdx[at[h]] < wanted) at[h]++;
        agree = at[h] < end && colIdx[at[h]] === wanted && used[at[h]] !== matching;
      }
      if (!agree) continue;
      count++;
      for (let h = 0; h < height; h++) used[at[h]] = matching;
      found?.(kind, Array.from(at.subarray(0, height)));
    }
    return count;
  }
}

interface Matched {
  readonly slides: number;
  readonly shares: number;
  readonly slidesFirst: boolean;
}

type Found = (kind: 'slides' | 'shares', entries: readonly number[]) => void;

const addTile = (p: CsrPattern, row: number, e: number): Tile => ({
  form: 'add',
  rows: [row],
  counts: [1, 0, 0],
  columns: Int32Array.of(p.colIdx[e]),
  entries: Int32Array.of(e),
});
