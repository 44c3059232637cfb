import { geometricMean } from '../measure.js';
import type { BenchmarkPage } from '../table.js';
import type { MatrixResult, TraceAnswer } from './matrix-result.js';
import { PAPER } from './paper.js';

type Section = BenchmarkPage['sections'][number];

/** Pieces of HB/nos1 for each limit of loops, row after row and in the best order. */
export interface LimitResult {
  readonly dims: number;
  readonly row: TraceAnswer;
  readonly best: TraceAnswer;
}

/** Table 1 of the paper. */
export const limitsSection = (limits: readonly LimitResult[]): Section => ({
  title: 'Pieces of HB/nos1 by the most loops of a piece',
  table: {
    head: ['most loops', ...limits.map((l) => String(l.dims))],
    rows: [
      ['paper', ...limits.map((l) => String(PAPER.nos1[l.dims] ?? '–'))],
      ['row after row', ...limits.map((l) => String(l.row.pieces))],
      ['best order', ...limits.map((l) => `${l.best.pieces} (${l.best.order})`)],
    ],
  },
  notes: [
    'With two loops, row after row, 313 is the least there can be: four consecutive non-zeros are in one piece only where they are a parallelogram in (position, row, column) or three of them that follow one another are evenly spaced, and no fewer intervals without other fours cover the matrix.',
  ],
});

/** The set as a whole: how many matrices, how exact, how few pieces, how fast. */
export const setSection = (results: readonly MatrixResult[], failed: number): Section => {
  const n = results.length;
  const within = (of: (r: MatrixResult) => TraceAnswer | undefined): string => {
    const few = results.filter((r) => (of(r)?.pieces ?? Infinity) <= PAPER.limit).length;
    return `${few} of ${n} (${percent(few, n)})`;
  };
  const ordered = results.filter((r) => r.best !== undefined);
  const fewer = ordered.filter((r) => r.best!.pieces < r.row.pieces).length;
  const perPiece = mean(results.map((r) => r.row.ms.reconstruct / Math.max(1, r.row.pieces)));
  const all = sum(results.map((r) => r.row.ms.reconstruct)) / sum(results.map((r) => r.row.pieces));
  return {
    title: 'The set',
    table: {
      head: ['', 'paper', 'row after row', 'best order'],
      rows: [
        [
          'matrices',
          String(PAPER.matrices),
          `${n} present${failed > 0 ? `, ${failed} failed` : ''}`,
          `${ordered.length}`,
        ],
        [
          `at most ${PAPER.limit} pieces`,
          `${PAPER.within} of ${PAPER.matrices} (${percent(PAPER.within, PAPER.matrices)})`,
          within((r) => r.row),
          ordered.length === n ? within((r) => r.best) : '–',
        ],
        [
          'exact cover',
          '–',
          `${results.filter((r) => r.row.exact).length} of ${n}`,
          `${ordered.filter((r) => r.best!.exact).length} of ${ordered.length}`,
        ],
        ['time a piece, mean of matrices', `${PAPER.secondsAPiece} s`, `${perPiece.toFixed(1)} ms`, '–'],
        ['time a piece, all pieces', '–', `${all.toFixed(1)} ms`, '–'],
        [
          'fewer pieces than row after row',
          '–',
          '–',
          `${fewer} of ${ordered.length} (${percent(fewer, ordered.length)})`,
        ],
      ],
    },
  };
};

/** Table 2 of the paper: by the number of pieces, for matrices with at most 1,000. */
export const categoriesSection = (results: readonly MatrixResult[]): Section => ({
  title: 'Matrices by their number of pieces, row after row',
  table: {
    head: [
      'pieces',
      ...['loops', 'non-zeros', 'pieces', 'points a piece', 'matrices'].flatMap((h) => [`${h}, paper`, h]),
    ],
    rows: [...PAPER.categories, { above: 800, to: 1000 }].map((c) => {
      const here = results.map((r) => r.row).filter((r) => r.pieces > c.above && r.pieces <= c.to);
      const pair = (paper: number | undefined, ours: string): string[] => [
        paper === undefined ? '–' : String(paper),
        ours,
      ];
      const geo = (of: (r: TraceAnswer) => number, digits: number): string =>
        here.length === 0 ? '–' : geometricMean(here.map(of)).toFixed(digits);
      const p = 'count' in c ? c : undefined;
      return [
        `${c.above + 1} to ${c.to}`,
        ...pair(
          p?.dims,
          geo((r) => r.meanDims, 2),
        ),
        ...pair(
          p?.nnz,
          geo((r) => r.nnz, 0),
        ),
        ...pair(
          p?.pieces,
          geo((r) => r.pieces, 2),
        ),
        ...pair(
          p?.points,
          geo((r) => r.nnz / r.pieces, 2),
        ),
        ...pair(p?.count, String(here.length)),
      ];
    }),
  },
  notes: [
    'Geometric means. The paper counts 292 matrices; only those that are present are counted here.',
    `The paper's counts are copied as printed: they add up to ${sum(PAPER.categories.map((c) => c.count))}, where its text has ${PAPER.within} matrices and a most of 881 pieces.`,
  ],
});

/**
 * Figure 4 of the paper as a picture: a histogram of the number of pieces, with a stroke for each matrix. The paper's own is
 * drawn from its Table 2, whose counts are spread evenly over their ranges.
 */
export const piecesHistogram = (results: readonly MatrixResult[]): string => {
  const pieces = results.map((r) => r.row.pieces).filter((n) => n > 0 && n <= PAPER.limit);
  const bins = new Array<number>(PAPER.limit / BIN).fill(0);
  for (const n of pieces) bins[Math.floor((n - 1) / BIN)]++;
  const theirs = bins.map((_, k) =>
    sum(PAPER.categories.map((c) => (c.count * overlap(c.above, c.to, k * BIN, (k + 1) * BIN)) / (c.to - c.above))),
  );
  const most = Math.max(1, ...bins, ...theirs);
  const [left, top, width, height] = [50, 40, 600, 220];
  const x = (n: number): number => left + (width * n) / PAPER.limit;
  const bars = bins.map((n, k) => {
    const h = (height * n) / most;
    return `<rect x="${(x(k * BIN) + 1).toFixed(1)}" y="${(top + height - h).toFixed(1)}" width="${(x(BIN) - left - 2).toFixed(1)}" height="${h.toFixed(1)}" fill="#0072b2"/>`;
  });
  const steps = theirs.map((n, k) => {
    const y = (top + height - (height * n) / most).toFixed(1);
    return `${k === 0 ? 'M' : 'L'}${x(k * BIN).toFixed(1)} ${y}H${x((k + 1) * BIN).toFixed(1)}`;
  });
  const rug = pieces.map(
    (n) => `<path d="M${x(n).toFixed(1)} ${top + height + 2}v8" stroke="#d55e00" stroke-opacity=".6"/>`,
  );
  const ticks = [0, 200, 400, 600, 800, 1000].map(
    (n) => `<text x="${x(n)}" y="${top + height + 26}" text-anchor="middle">${n}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="680" height="310" viewBox="0 0 680 310" font-family="sans-serif" font-size="12">`,
    '<rect width="680" height="310" fill="#ffffff"/>',
    `<text x="12" y="24" font-size="15">Pieces of ${pieces.length} matrices, row after row (${results.length - pieces.length} have more than ${PAPER.limit}); <tspan fill="#009e73">the paper's ${sum(PAPER.categories.map((c) => c.count))}</tspan></text>`,
    `<text x="${left - 6}" y="${top + 10}" text-anchor="end">${Math.round(most)}</text><text x="${left - 6}" y="${top + height}" text-anchor="end">0</text>`,
    `<path d="M${left} ${top}v${height}h${width}" fill="none" stroke="#333"/>`,
    ...bars,
    `<path d="${steps.join('')}" fill="none" stroke="#009e73" stroke-width="2"/>`,
    ...rug,
    ...ticks,
    `<text x="${left + width / 2}" y="${top + height + 44}" text-anchor="middle">pieces</text>`,
    '</svg>',
    '',
  ].join('\n');
};

const BIN = 50;

/** What two ranges share. */
const overlap = (a: number, b: number, c: number, d: number): number => Math.max(0, Math.min(b, d) - Math.max(a, c));

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
