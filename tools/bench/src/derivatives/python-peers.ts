import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a program in Python took, or why there is no time. */
export interface PythonTime {
  readonly name: string;
  readonly ms?: number;
  readonly why?: string;
}

/** The smoke under JAX and under Autograd, where this interpreter finds them: loss, and loss with gradient. */
export const pythonPeers = (
  python: string,
  {
    n,
    steps,
    sweeps,
    dtype,
  }: { readonly n: number; readonly steps: number; readonly sweeps: number; readonly dtype: string },
): readonly PythonTime[] =>
  ['jax', 'autograd'].flatMap((library): PythonTime[] => {
    const script = join(NATIVE, 'smoke_gradient.py');
    const args = [script, library, n, steps, sweeps, dtype].map(String);
    const { status, stdout, error } = spawnSync(python, args, { encoding: 'utf8', timeout: 300_000 });
    if (status === 3) return [{ name: library, why: 'not found' }];
    if (status !== 0) return [{ name: library, why: error ? 'no interpreter' : 'did not end' }];
    const found = JSON.parse(stdout) as { readonly version: string; readonly loss: number; readonly gradient: number };
    return [
      { name: `${library} ${found.version}: loss`, ms: found.loss },
      { name: `${library} ${found.version}: loss and gradient`, ms: found.gradient },
    ];
  });

/** `native/` lies beside `src/`, and beside `dist/` of a build. */
const NATIVE = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'native');
