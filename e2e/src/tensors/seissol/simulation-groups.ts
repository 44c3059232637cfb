import { byteSize } from '@filigree/ir';

/** Fused simulations in groups, for each of which the kernels run by themselves. */
export interface SimulationGroups {
  readonly count: number;
  /** Simulations of each. */
  readonly size: number;
  /** Coefficients of so many elements, within which the simulation is fastest: those of each group behind one another. */
  readonly apart: (all: Float64Array, elements: number) => Float64Array;
  /** The other way round. */
  readonly together: (all: Float64Array, elements: number) => Float64Array;
}

/**
 * Groups of as many simulations as fill a cache line. That gives what fusing is for, whole vectors and sparse matrices that multiply from
 * the right; more would only make what a kernel works on too long for a first-level cache.
 */
export const simulationGroups = (simulations: number, dtype: 'f32' | 'f64'): SimulationGroups => {
  const line = CACHE_LINE / byteSize(dtype);
  const count = simulations % line === 0 ? simulations / line : 1;
  const size = simulations / count;
  const moved = (all: Float64Array, elements: number, [outer, inner]: readonly [number, number]): Float64Array => {
    const result = new Float64Array(all.length);
    const length = all.length / elements;
    for (let e = 0, to = 0; e < elements; e++)
      for (let i = 0; i < outer; i++)
        for (let k = 0; k < inner; k++)
          for (let s = 0; s < size; s++, to++) result[to] = all[e * length + (k * outer + i) * size + s];
    return result;
  };
  const rows = (all: Float64Array, elements: number): number => all.length / elements / simulations;
  return {
    count,
    size,
    apart: (all, elements) => moved(all, elements, [count, rows(all, elements)]),
    together: (all, elements) => moved(all, elements, [rows(all, elements), count]),
  };
};

const CACHE_LINE = 64;
