import { argumentsOf, gradientError, type Optimisation, type Simulator } from '@filigree/e2e';
import { fail } from '@filigree/ir';
import { resolveBackend } from 'filigree';

/** A simulation whose gradient has been checked. */
export interface OpenSimulator {
  readonly sim: Optimisation;
  /** How far its gradient is from differences, relative. */
  readonly error: number;
  readonly tapeBytes: number;
  readonly close: () => void;
}

/** Makes a simulation and checks its gradient. Error: `bench/wrong-result`. */
export const openSimulator = async (
  simulator: Simulator,
  args: Readonly<Record<string, string>>,
  { dtype, backend }: { readonly dtype: 'f32' | 'f64'; readonly backend: 'cpp' | 'wasm' },
): Promise<OpenSimulator> => {
  const sim = await simulator.make(argumentsOf(args, simulator.keys), {
    backend: await resolveBackend(backend),
    dtype,
    threads: 1,
    ablate: [],
    seed: 1,
  });
  const { value, gradient, tapeBytes } = sim.gradient(sim.start);
  /* In f64 the plain program need run only once: differences are then of what is known to compute the same. */
  const plain = sim.plain ?? sim.value;
  const apart = Math.abs(value - plain(sim.start)) / Math.max(Math.abs(value), 1e-12);
  const truth = dtype === 'f64' ? sim.value : plain;
  const error = gradientError(truth, gradient, sim.start, sim.difference, 1);
  if (!(apart <= (dtype === 'f64' ? 1e-9 : 1e-3)))
    fail('bench/wrong-result', `the loss of ${simulator.name} is off by ${apart.toExponential(2)}`, {
      remedy: 'compare it with the plain program',
    });
  if (!(error <= (dtype === 'f64' ? 1e-6 : 5e-2)))
    fail('bench/wrong-result', `the gradient of ${simulator.name} is off by ${error.toExponential(2)}`, {
      remedy: 'compare it with differences of another length',
    });
  return { sim, error, tapeBytes, close: () => sim.close() };
};
