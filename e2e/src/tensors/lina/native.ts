import { NATIVE_TENSORS, nativeLibrary, type DType } from '../../fields/native/library.js';
import type { Steps } from '../steps.js';
import type { CellsSetup } from './setup.js';

/** The scheme of LinA by hand in C++ (`lina.cpp`), for an order and dimensions that its compiler knows; a sentence where this machine cannot compile it. */
export const nativeCells = async (
  { basis: { points, matrices }, waves, n, coefficients: { star, own, neighbour }, start }: CellsSetup,
  dtype: DType,
  threads: number,
): Promise<Steps | string> => {
  const defines = { ORDER: points.length, DIMENSIONS: waves.dimensions };
  const library = await nativeLibrary('lina', dtype, { folder: NATIVE_TENSORS, defines });
  if (typeof library === 'string') return library;
  const create = library.func(
    'void *lina_new(int n, const Real *weak, const Real *strong, const Real *lift, const Real *star, const Real *own, const Real *neighbour, const Real *start)',
  );
  const remove = library.func('void lina_delete(void *lina)');
  const step = library.func('void lina_step(void *lina, double dt, int threads)');
  const get = library.func('void lina_get(void *lina, _Out_ Real *values)');
  const joined = (all: readonly Float64Array[]) => library.reals(all.flatMap((x) => [...x]));
  const matrix = (name: string): Float64Array => matrices[name].values ?? new Float64Array();
  const lina = create(
    n,
    library.reals(matrix('kDivM')),
    library.reals(matrix('kDivMT')),
    joined([matrix('FDivM(0)'), matrix('FDivM(1)')]),
    joined(star),
    joined(own),
    joined(neighbour),
    library.reals(start),
  );
  return {
    coefficients: () => {
      const values = library.reals(start.length);
      get(lina, values);
      return values;
    },
    step: (dt) => void step(lina, dt, threads),
    close: () => void remove(lina),
  };
};
