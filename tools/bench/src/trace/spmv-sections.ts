import type { BenchmarkPage } from '../table.js';
import type { MatrixResult, SpmvAnswer } from './matrix-result.js';
import { PAPER } from './paper.js';
import { geometricMean } from '../measure.js';

type Section = BenchmarkPage['sections'][number];

/** A matrix whose product with a vector was timed. */
interface Timed extends MatrixResult {
  readonly spmv: SpmvAnswer;
}

const timed = (results: readonly MatrixResult[]): readonly Timed[] =>
  results.flatMap((r) => (r.row.spmv ? [{ ...r, spmv: r.row.spmv }] : []));

/** Products with a vector: the whole set, the matrices that the paper singles out, and every matrix. */
export const spmvSections = (results: readonly MatrixResult[]): readonly Section[] => {
  const all = timed(results);
  return all.length === 0 ? [] : [overall(all), singledOut(all)];
};

const overall = (all: readonly Timed[]): Section => {
  const line = (title: string, paper: string, values: readonly (readonly [string, number | null])[]): string[] => {
    const found = values.flatMap(([name, v]) => (v === null ? [] : [[name, v] as const]));
    if (found.length === 0) return [title, paper, '0', '–', '–', '–', '–'];
    const sorted = [...found].sort((a, b) => a[1] - b[1]);
    const [least, most] = [sorted[0], sorted.at(-1)!];
    return [
      title,
      paper,
      String(found.length),
      ratio(geometricMean(found.map(([, v]) => v))),
      `${ratio(least[1])} (${least[0]})`,
      `${ratio(most[1])} (${most[0]})`,
      String(found.filter(([, v]) => v < 1).length),
    ];
  };
  const { compiled, least, mean, most } = PAPER.speedup;
  return {
    title: 'Products with a vector',
    table: {
      head: ['time ÷ time', 'paper', 'matrices', 'geometric mean', 'least', 'most', 'below 1'],
      rows: [
        line(
          'Figure 1a ÷ chosen kernel',
          '–',
          all.map((r) => [r.name, r.spmv.speedup]),
        ),
        line(
          'rows with vectors ÷ chosen kernel',
          '–',
          all.map((r) => [r.name, r.spmv.speedupTuned]),
        ),
        line(
          'Figure 1a ÷ pieces alone',
          `${mean} (${least} to ${most}, ${compiled} matrices)`,
          all.map((r) => [r.name, r.spmv.speedupAffine]),
        ),
      ],
    },
    notes: [
      'Figure 1a is the loop of the paper over compressed rows as C++, -O3 -march=native; rows with vectors is such a loop that takes each row by as many vectors as it is long. All run in one process, one sample of each a round, in rotating order, after every result was checked.',
      `Pieces alone is the affine code of §4 and nothing else; it is left out where a compiler would take minutes. The paper's mean is over the ${compiled} of its matrices that could be compiled.`,
      'Figure 5 of the paper sets speed-ups against instructions executed, counted by hardware; counters are missing on virtual machines, so that ours are set against non-zeros, with what the paper says of its own beside them: the least, the mean, the most, and the matrices for which it gives a number.',
      `Checks passed: ${all.filter((r) => r.spmv.check.passed).length} of ${all.length}.`,
    ],
  };
};

/** The matrices of Table 3 and Figure 6. */
const singledOut = (all: readonly Timed[]): Section => ({
  title: 'Matrices that the paper singles out',
  table: {
    head: [
      'matrix',
      'non-zeros',
      'pieces',
      'Figure 1a µs',
      'with vectors µs',
      'pieces alone µs',
      'chosen µs',
      'chosen',
      'pieces alone',
      'paper',
    ],
    rows: Object.entries(PAPER.singled).flatMap(([name, paper]) => {
      const r = all.find((x) => x.name === name);
      if (r === undefined) return [];
      const m = r.spmv;
      return [
        [
          name,
          String(r.row.nnz),
          String(r.row.pieces),
          us(m.csrMs),
          us(m.csrTunedMs),
          us(m.affineMs),
          us(m.chosenMs),
          ratio(m.speedup),
          m.speedupAffine === null ? '–' : ratio(m.speedupAffine),
          paper === undefined ? 'slower' : ratio(paper),
        ],
      ];
    }),
  },
});

/**
 * Figure 5 here: how many times faster than Figure 1a, by the number of non-zeros. The paper has instructions executed
 * instead, from counters that virtual machines lack; what it says of its speed-ups is drawn beside ours.
 */
export const speedupPicture = (results: readonly MatrixResult[]): string => {
  const all = timed(results);
  const [left, top, width, height] = [50, 40, 600, 300];
  const [low, high] = [0.0625, 16];
  const [fewest, most] = [10, 1e6];
  const x = (n: number): number =>
    left + (width * Math.log(Math.min(most, Math.max(fewest, n)) / fewest)) / Math.log(most / fewest);
  const y = (v: number): number =>
    top + height - (height * Math.log(Math.min(high, Math.max(low, v)) / low)) / Math.log(high / low);
  const dot = (r: Timed, v: number | null, colour: string): string =>
    v === null
      ? ''
      : `<circle cx="${x(r.row.nnz).toFixed(1)}" cy="${y(v).toFixed(1)}" r="3" fill="${colour}" fill-opacity=".75"><title>${r.name}: ${v.toFixed(2)}</title></circle>`;
  const theirs = Object.entries(PAPER.singled).flatMap(([name, v]) => {
    const r = all.find((m) => m.name === name);
    if (v === undefined || r === undefined) return [];
    return [
      `<circle cx="${x(r.row.nnz).toFixed(1)}" cy="${y(v).toFixed(1)}" r="5" fill="none" stroke="#009e73" stroke-width="2"><title>${name}, paper: ${v}</title></circle>`,
    ];
  });
  const range = (['least', 'mean', 'most'] as const).map((what) => {
    const at = y(PAPER.speedup[what]);
    return `<path d="M${left} ${at.toFixed(1)}h${width}" stroke="#009e73" stroke-dasharray="${what === 'mean' ? 'none' : '4 4'}"/><text x="${left + width}" y="${(at - 4).toFixed(1)}" text-anchor="end" fill="#009e73">${what} ${PAPER.speedup[what]}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="680" height="390" viewBox="0 0 680 390" font-family="sans-serif" font-size="12">`,
    '<rect width="680" height="390" fill="#ffffff"/>',
    '<text x="12" y="24" font-size="15">Times faster than Figure 1a: <tspan fill="#0072b2">chosen kernel</tspan>, <tspan fill="#d55e00">pieces alone</tspan>, <tspan fill="#009e73">the paper</tspan></text>',
    ...[0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16].map(
      (v) =>
        `<path d="M${left} ${y(v).toFixed(1)}h${width}" stroke="${v === 1 ? '#333' : '#ddd'}"/><text x="${left - 6}" y="${(y(v) + 4).toFixed(1)}" text-anchor="end">${v}</text>`,
    ),
    ...[10, 100, 1000, 1e4, 1e5, 1e6].map(
      (n) => `<text x="${x(n).toFixed(1)}" y="${top + height + 18}" text-anchor="middle">${n}</text>`,
    ),
    ...range,
    ...theirs,
    ...all.map((r) => dot(r, r.spmv.speedupAffine, '#d55e00')),
    ...all.map((r) => dot(r, r.spmv.speedup, '#0072b2')),
    `<text x="${left + width / 2}" y="${top + height + 38}" text-anchor="middle">non-zeros</text>`,
    '</svg>',
    '',
  ].join('\n');
};

/** One line for each matrix. */
export const eachMatrixSection = (results: readonly MatrixResult[]): Section => ({
  title: 'Every matrix',
  table: {
    head: [
      'matrix',
      'non-zeros',
      'pieces',
      'best order',
      'ms',
      'Figure 1a µs',
      'with vectors µs',
      'pieces alone µs',
      'chosen µs',
      'speed-up',
      'with vectors',
    ],
    rows: results.map(({ name, row, best }) => {
      const m = row.spmv;
      return [
        name,
        String(row.nnz),
        `${row.pieces}${row.exact ? '' : ' (incomplete)'}`,
        best === undefined ? '–' : `${best.pieces} (${best.order})`,
        row.ms.reconstruct.toFixed(0),
        us(m?.csrMs),
        us(m?.csrTunedMs),
        us(m?.affineMs),
        us(m?.chosenMs),
        m ? ratio(m.speedup) : '–',
        m?.speedupTuned ? ratio(m.speedupTuned) : '–',
      ];
    }),
  },
});

const ratio = (v: number): string => v.toFixed(2);
const us = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? '–' : (1000 * ms).toPrecision(3);
