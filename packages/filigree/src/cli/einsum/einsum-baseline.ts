import { access } from 'node:fs/promises';
import * as E from 'fp-ts/lib/Either.js';
import { findToolchain } from '@filigree/backend';
import type { Plan } from '@filigree/tensor/einsum';
import { einsumSource } from './einsum-source.js';
import { nativeLibrary } from '../native-library.js';

/** A baseline ready to run, so many times at once. */
export interface EinsumBaseline {
  readonly run: (times: number) => void;
  readonly close: () => void;
}

export interface EinsumProblem {
  readonly plan: Plan;
  /** All entries of each tensor before the run, column-major. */
  readonly values: Readonly<Record<string, Float64Array>>;
  readonly scalars: Readonly<Record<string, number>>;
  /** What the assigned tensors come to. */
  readonly expected: Readonly<Record<string, Float64Array>>;
  readonly tolerance: number;
}

/**
 * The plan's operations as nested loops compiled by the C++ compiler, or with LIBXSMM for its products; only where the result is
 * right. Else why there is none.
 */
export const einsumBaseline = async (
  problem: EinsumProblem,
  kind: 'loops' | 'libxsmm',
  cache: string | false | undefined,
): Promise<EinsumBaseline | string> => {
  const toolchain = await findToolchain()();
  if (E.isLeft(toolchain)) return toolchain.left[0].message;
  if (
    kind === 'libxsmm' &&
    !(await exists('/usr/include/libxsmm.h')) &&
    !(await exists('/usr/local/include/libxsmm.h'))
  )
    return 'the headers of LIBXSMM were not found (Debian, Ubuntu: apt install libxsmm-dev)';
  const library = await nativeLibrary(
    toolchain.right,
    {
      text: einsumSource(problem.plan, kind),
      flags: [...FLAGS, ...toolchain.right.target],
      /* LIBXSMM does not outlive its being unmapped. */
      link: kind === 'libxsmm' ? ['-lxsmm', '-lxsmmnoblas', '-lm', '-lpthread', '-ldl', '-Wl,-z,nodelete'] : [],
    },
    cache,
  );
  return 'path' in library ? load(library.path, problem) : `it does not compile: ${library.failure}`;
};

const FLAGS = ['-std=c++17', '-O3', '-DNDEBUG', '-ffast-math'];

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const load = async (path: string, problem: EinsumProblem): Promise<EinsumBaseline | string> => {
  const { default: koffi } = await import('koffi');
  const { plan, values, scalars, expected } = problem;
  const scalar = plan.type === 'f32' ? 'float' : 'double';
  const library = koffi.load(path);
  const tensor = library.func(`void baseline_tensor(int k, ${scalar} *at)`);
  const setScalar = library.func(`void baseline_scalar(int k, ${scalar} value)`);
  const start = library.func('int baseline_start()');
  const run = library.func('void baseline_run(int times)');
  const Values = plan.type === 'f32' ? Float32Array : Float64Array;
  const close = (): void => library.unload();
  /* Memory that the library keeps pointers to: buffers of their own are not moved, and live as long as `close`. */
  const memory = plan.tensors.map(({ tensor: t }) => {
    const own = new Values(new ArrayBuffer(Values.BYTES_PER_ELEMENT * values[t.name]!.length));
    own.set(values[t.name]!);
    return own;
  });
  memory.forEach((m, k) => tensor(k, m));
  plan.scalars.forEach((s, k) => setScalar(k, scalars[s]!));
  if (start() !== 1) {
    close();
    return 'it does not make code for these products';
  }
  run(1);
  const right = plan.tensors.every(
    ({ tensor: t }, k) => !expected[t.name] || near(memory[k]!, expected[t.name]!, problem.tolerance, t.pattern?.bits),
  );
  if (!right) {
    close();
    return 'it comes to another result';
  }
  return {
    run: (times) => {
      run(times);
    },
    close: () => {
      close();
      memory.length = 0;
    },
  };
};

/* Loops over dense arrays write what lies outside a pattern, too. */
const near = (found: ArrayLike<number>, expected: Float64Array, tolerance: number, pattern?: Uint8Array): boolean => {
  const largest = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return expected.every((x, i) => pattern?.[i] === 0 || Math.abs(found[i]! - x) <= tolerance * largest);
};
