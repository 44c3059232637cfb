import { barChartSvg } from '../../draw/index.js';
import type { Speed } from './tensor-example.js';

/** Operations a second of the parts of a solver beside what the machine can do: what must be computed, and what is. */
export const speedChart = (title: string, speeds: readonly Speed[], peak: number): string =>
  barChartSvg({
    title,
    unit: 'GFLOP/s',
    bars: [
      ...speeds.flatMap(({ name, nonzero, hardware }) => [
        { label: `${name}: on non-zeros`, value: nonzero, text: label(nonzero, peak) },
        { label: 'in hardware', value: hardware, text: label(hardware, peak), strong: true },
      ]),
      { label: 'peak, measured', value: peak },
    ],
  });

const label = (x: number, peak: number): string =>
  `${x >= 100 ? x.toFixed(0) : x.toPrecision(3)} GFLOP/s, ${((100 * x) / peak).toFixed(0)} %`;
