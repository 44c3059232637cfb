import type { EinsumSummary } from './einsum-run.js';

/** Speeds on non-zeros and in hardware, each beside the measured peak; none where they were not measured. */
export const speedRows = ({
  nonzeroGflops,
  gflops,
  peakGflops: peak,
}: EinsumSummary): readonly (readonly [string, string])[] => {
  if (nonzeroGflops === undefined || gflops === undefined || peak === undefined) return [];
  const row = (name: string, x: number): readonly [string, string] => [
    `${name} speed`,
    `${x.toFixed(1)} GFLOP/s, ${((100 * x) / peak).toFixed(0)} % of a measured peak of ${peak.toFixed(1)}`,
  ];
  return [row('non-zero', nonzeroGflops), row('hardware', gflops)];
};
