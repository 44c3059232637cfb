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
          'plain loop ÷ chosen kernel',
          '–',
          all.map((r) => [r.name, r.spmv.speedup]),
        ),
        line(
          'rows with vectors ÷ chosen kernel',
          '–',
          all.map((r) => [r.name, r.spmv.speedupTuned]),
        ),
        line(
          'MKL ÷ chosen kernel',
          '–',
          all.map((r) => [r.name, mklRatio(r.spmv)]),
        ),
        line(
          'rows with vectors ÷ chosen kernel, cold',
          '–',
          all.map((r) => [r.name, coldRatio(r.spmv)]),
        ),
        line(
          'plain loop ÷ pieces alone',
          `${mean} (${least} to ${most}, ${compiled} matrices)`,
          all.map((r) => [r.name, r.spmv.speedupAffine]),
        ),
      ],
    },
    notes: [
      'The plain loop is the usual one over compressed rows as C++, -O3 -march=native (Figure 1a of the paper); rows with vectors is such a loop that takes each row by as many vectors as it is long. All run in one process, one sample of each a round, in rotating order, after every result was checked.',
      'MKL is its product of a matrix in compressed rows, told beforehand that there will be many (`mkl_sparse_optimize`), where it is found: `FILIGREE_MKL` names the file of its library.',
      'Cold is one call after more memory was written than caches hold.',
      `Pieces alone is a loop nest for each piece and nothing else; it is left out where a compiler would take minutes. The paper's mean is over the ${compiled} of its matrices that could be compiled.`,
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
      'plain loop µs',
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
      'plain loop µs',
      'with vectors µs',
      'pieces alone µs',
      'chosen µs',
      'speed-up',
      'with vectors',
      'with vectors, cold',
      'MKL',
      'instructions',
    ],
    rows: results.map(({ name, row, best, instructions: n }) => {
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
        ratioOr(m?.speedupTuned),
        ratioOr(m && coldRatio(m)),
        ratioOr(m && mklRatio(m)),
        n ? ratio(n.chosen / n.csr) : '–',
      ];
    }),
  },
  notes: ['Speed-ups and instructions are those of the chosen kernel over the plain loop.'],
});

/** A matrix that is made for it, in which many non-zeros stand alone. */
export const loneSections = (result: MatrixResult | undefined): readonly Section[] => {
  const m = result?.row.spmv;
  if (result === undefined || m === undefined) return [];
  return [
    {
      title: 'Where many non-zeros stand alone',
      table: {
        head: ['', 'plain loop µs', 'with vectors µs', 'MKL µs', 'chosen µs', 'with vectors ÷ chosen'],
        rows: [
          ['in caches', us(m.csrMs), us(m.csrTunedMs), us(m.mklMs), us(m.chosenMs), ratioOr(m.speedupTuned)],
          ['cold', ...['csr', 'csrTuned', 'mkl', 'chosen'].map((name) => us(m.coldMs?.[name])), ratioOr(coldRatio(m))],
        ],
      },
      notes: [
        `The pattern of a stiffness matrix of linear triangles on a grid, every square of which is cut along one of its diagonals at random: ${result.row.rows} rows, ${result.row.nnz} non-zeros.`,
      ],
    },
  ];
};

const mklRatio = ({ mklMs, chosenMs }: SpmvAnswer): number | null =>
  mklMs === undefined || mklMs === null ? null : mklMs / chosenMs;

const coldRatio = ({ coldMs }: SpmvAnswer): number | null => {
  const [tuned, chosen] = [coldMs?.['csrTuned'], coldMs?.['chosen']];
  return tuned === undefined || chosen === undefined ? null : tuned / chosen;
};

const ratioOr = (v: number | null | undefined): string => (v === null || v === undefined ? '–' : ratio(v));

const ratio = (v: number): string => v.toFixed(2);
const us = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? '–' : (1000 * ms).toPrecision(3);
