import { geometricMean } from '../measure.js';
import type { BenchmarkPage } from '../table.js';
import { UZP } from './uzp.js';

/** The kernels beside another format of the same idea, by times that were measured once; see `uzp.ts`. */
export const uzpSection = (): BenchmarkPage['sections'][number] => {
  const ratios = UZP.times.map((t) => t.uzp / t.ours);
  return {
    title: 'Beside UZP',
    table: {
      head: ['matrix', 'Figure 1a µs', 'UZP µs', 'chosen µs', 'Figure 1a ÷ UZP', 'Figure 1a ÷ chosen', 'UZP ÷ chosen'],
      rows: UZP.times.map((t, k) => [
        t.matrix,
        ...[t.plain, t.uzp, t.ours, t.plain / t.uzp, t.plain / t.ours, ratios[k]].map((v) => v.toFixed(2)),
      ]),
    },
    notes: [
      `UZP takes ${geometricMean(ratios).toFixed(2)} times as long at the geometric mean, ${Math.min(...ratios).toFixed(2)} at the least, ${Math.max(...ratios).toFixed(2)} at the most.`,
      `${UZP.name}: ${UZP.source}, measured once on ${UZP.machine}; it is no part of this repository and is not measured again with this page.`,
      ...UZP.how,
    ],
  };
};
