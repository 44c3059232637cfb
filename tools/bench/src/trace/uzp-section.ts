import { geometricMean } from '../measure.js';
import type { BenchmarkPage } from '../table.js';
import type { MatrixResult } from './matrix-result.js';
import { UZP } from './uzp.js';

/**
 * The kernels beside another format of the same idea: what was measured with this page, and a dated citation of that format's times,
 * which meet in the loop of Figure 1a that both were timed beside. Nothing where none of its matrices was measured.
 */
export const uzpSections = (results: readonly MatrixResult[]): BenchmarkPage['sections'] => {
  const both = UZP.cited.flatMap((cited) => {
    const spmv = results.find((r) => r.name === cited.matrix)?.row.spmv;
    return spmv === undefined ? [] : [{ cited, spmv, ratio: (spmv.speedup * cited.uzp) / cited.plain }];
  });
  if (both.length === 0) return [];
  const ratios = both.map((b) => b.ratio);
  return [
    {
      title: 'Beside UZP',
      table: {
        head: [
          'matrix',
          'plain loop µs',
          'chosen µs',
          'plain loop ÷ chosen',
          'cited: plain loop µs',
          'cited: UZP µs',
          'cited: plain loop ÷ UZP',
          'UZP ÷ chosen',
        ],
        rows: both.map(({ cited, spmv, ratio }) => [
          cited.matrix,
          (1000 * spmv.csrMs).toPrecision(3),
          (1000 * spmv.chosenMs).toPrecision(3),
          spmv.speedup.toFixed(2),
          ...[cited.plain, cited.uzp, cited.plain / cited.uzp, ratio].map((v) => v.toFixed(2)),
        ]),
      },
      notes: [
        `The columns “cited” were not measured with this page: they are of ${UZP.date}, on ${UZP.machine}. The others were, and UZP ÷ chosen is the quotient of both speed-ups over the plain loop.`,
        `By that UZP takes ${geometricMean(ratios).toFixed(2)} times as long at the geometric mean, ${Math.min(...ratios).toFixed(2)} at the least, ${Math.max(...ratios).toFixed(2)} at the most.`,
        `${UZP.name}: ${UZP.source}.`,
        ...UZP.how,
      ],
    },
  ];
};
