import { compileProblem, maxRelError, type CompileCost } from '@filigree/e2e';
import { fail } from '@filigree/ir';
import type { Contender } from '../measure.js';
import { nativeBaseline, type DType } from '../native/baseline.js';
import { WHATS, type FaceEnergy, type What } from './face-energies.js';

/** An energy or a derivative of it: compiled from the energy, and beside it by hand. */
export interface FaceContenders {
  /** Ours, and that by hand; both are compared with the plain function, or derivatives with those by hand. */
  readonly contenders: readonly [ours: Contender, byHand: Contender];
  readonly cost: CompileCost;
  readonly close: () => void;
}

/** Compiles both for one thread. Error: `bench/nothing-to-measure` where there is no compiler. */
export const faceContenders = async (energy: FaceEnergy, what: What, dtype: DType): Promise<FaceContenders> => {
  const defines = { DIM: String(energy.dimension), WHAT: String(WHATS.indexOf(what)) };
  const native = nativeBaseline('face_energy', dtype, energy.native, { eigen: false, defines });
  if ('missing' in native)
    return fail('bench/nothing-to-measure', native.missing, { remedy: 'install a C++ compiler' });
  const byHand = native.found;
  const problem = energy.problem(what);
  const ours = await compileProblem(problem, { backend: 'cpp', dtype, threads: 1, ablate: [], cache: false });
  const handOut = (): Float64Array => (what === 'Hessian' ? byHand.matrix(0).values : byHand.reals(0));
  byHand.run();
  const expected = what === 'energy' ? [energy.value()] : handOut();
  return {
    contenders: [
      { name: `${what}: filigree cpp`, run: ours.run, check: () => maxRelError(ours.get('out'), expected) },
      { name: `${what}: C++ by hand`, run: byHand.run, check: () => maxRelError(handOut(), expected) },
    ],
    cost: ours.cost,
    close: () => {
      ours.instance.dispose();
      byHand.close();
    },
  };
};
