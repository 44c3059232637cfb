import { geometricMean } from '../measure.js';
import { barChartSvg } from '@filigree/e2e';
import type { BenchmarkPage, Table } from '../table.js';
import { ms } from '../table.js';
import type { TensorSpeed } from './measure-tensors.js';
import { PAPER_PEAK, paperRow } from './paper.js';

/** Figure 8 and table 2 of the paper beside ours: shares of the peak, and what fusing brings. */
export const seissolSection = (rows: readonly TensorSpeed[]): BenchmarkPage['sections'][number] => ({
  title: 'SeisSol: elastic waves on tetrahedra',
  table: {
    head: [
      'type',
      'order',
      'simulations',
      'elements',
      ...SPEED,
      'fused ÷ single',
      'paper: non-zero %',
      'hardware %',
      'fused ÷ single',
    ],
    rows: rows.map((r) => {
      const paper = paperRow(r.dtype, r.order, r.simulations);
      const single = rows.find((s) => s.dtype === r.dtype && s.order === r.order && s.simulations === 1);
      const paperSingle = paperRow(r.dtype, r.order, 1);
      return [
        r.dtype,
        `${r.order}`,
        `${r.simulations}`,
        `${r.elements}`,
        ...speedCells(r),
        single && r.simulations > 1 ? times(r.mdofs / single.mdofs) : '',
        paper ? percent(paper.nonzero / PAPER_PEAK[r.dtype]) : '',
        paper ? percent(paper.hardware / PAPER_PEAK[r.dtype]) : '',
        paper && paperSingle && r.simulations > 1 ? times(paper.mdofs / paperSingle.mdofs) : '',
      ];
    }),
  },
  notes: [
    'A step of a periodic mesh of tetrahedra with all kernels: derivatives, Taylor sum, volume, local and neighbour flux. The first step of each is compared with plain loops before it is timed; the peak is measured in turns with it, by multiply-adds in registers. Times are the least of all runs, as those of the paper (C. Uphoff and M. Bader, *Yet Another Tensor Toolbox for Discontinuous Galerkin Methods and Other Applications*, ACM TOMS 2020). Meshes take about the same memory for all numbers of simulations.',
    'Non-zero operations are those of the best order on the patterns, whatever is executed; hardware operations are what the code executes, zeros of dense storage and padding included.',
    'The paper has two sockets of Skylake (SKX), 48 cores, peak 4147 (f64) and 8294 (f32) GFLOP/s, with AVX-512; ours is one core.',
    ...libraryNotes(rows),
  ],
});

/** Figure 10: orders and dimensions of LinA. */
export const linaSection = (rows: readonly TensorSpeed[]): BenchmarkPage['sections'][number] => ({
  title: 'LinA: sound on squares and cubes',
  table: {
    head: ['dimensions', 'type', 'order', 'cells', ...SPEED],
    rows: rows.map((r) => [r.label.replace('lina ', ''), r.dtype, `${r.order}`, `${r.elements}`, ...speedCells(r)]),
  },
  notes: [
    'The paper reaches up to 48 % of the peak on non-zeros (order 32 in 2-D, SKX; 1769 of 4147 GFLOP/s in f64 are 43 %).',
    ...libraryNotes(rows),
  ],
});

const SPEED = [
  'ms a step',
  'MDoF/s',
  'non-zero GFLOP/s',
  'hardware GFLOP/s',
  'peak',
  'non-zero %',
  'hardware %',
  'ours ÷ LIBXSMM',
  'products by LIBXSMM',
];

const speedCells = (r: TensorSpeed): readonly string[] => [
  ms(r.ms),
  r.mdofs.toFixed(1),
  r.nonzero.toFixed(1),
  r.hardware.toFixed(1),
  r.peak.toFixed(1),
  percent(r.nonzero / r.peak),
  percent(r.hardware / r.peak),
  ...('ratio' in r.library
    ? [times(r.library.ratio), `${r.library.products.library} of ${r.library.products.all}`]
    : ['–', '–']),
];

const libraryNotes = (rows: readonly TensorSpeed[]): readonly string[] => {
  const ratios = rows.flatMap(({ library }) => ('ratio' in library ? [library.ratio] : []));
  const missing = rows.flatMap(({ library }) => ('missing' in library ? [library.missing] : []));
  const mean = geometricMean(ratios);
  return [
    ...(ratios.length > 0
      ? [
          'LIBXSMM: the same plans in the same layouts with that library for the products that it takes, dense matrices by columns with rows of padding, as YATeTo calls it. Products with matrices that are stored by their non-zeros, or whose strides it does not have, are ours in both; how many of all are its own stands beside. Both answers are checked, then steps are timed in turns in one process; the median of the ratios within a round, above 1 where we are faster.',
          `Ours ÷ LIBXSMM: geometric mean ${mean.toFixed(2)}, least ${Math.min(...ratios).toFixed(2)}, most ${Math.max(...ratios).toFixed(2)}.`,
        ]
      : []),
    ...(missing.length > 0 ? [`LIBXSMM was not measured: ${missing[0]}.`] : []),
  ];
};

/** What planning costs. */
export const planningTable = (
  rows: readonly {
    readonly order: number;
    readonly dtype: string;
    readonly simulations: number;
    readonly ms: number;
  }[],
): Table => ({
  head: ['order', 'type', 'simulations', 'planning, ms'],
  rows: rows.map((r) => [`${r.order}`, r.dtype, `${r.simulations}`, r.ms.toFixed(0)]),
});

/** Shares of the measured peak. */
export const tensorChart = (rows: readonly TensorSpeed[]): string =>
  barChartSvg({
    title: 'Share of the measured peak of one core',
    unit: '%',
    bars: rows.flatMap((r) => [
      {
        label: `${r.label} order ${r.order}, ${r.dtype}${r.simulations > 1 ? `, ${r.simulations} simulations` : ''}: non-zero`,
        value: (100 * r.nonzero) / r.peak,
      },
      { label: 'hardware', value: (100 * r.hardware) / r.peak, strong: true },
    ]),
  });

const percent = (share: number): string => (100 * share).toFixed(1);
const times = (x: number): string => `${x.toFixed(2)}×`;
