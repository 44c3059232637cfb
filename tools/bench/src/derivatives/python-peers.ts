import { printedByPython } from '../python-script.js';

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
    const printed = printedByPython<{ readonly version: string; readonly loss: number; readonly gradient: number }>(
      python,
      'smoke_gradient.py',
      [library, n, steps, sweeps, dtype],
    );
    if ('why' in printed) return [{ name: library, why: printed.why }];
    const { found } = printed;
    return [
      { name: `${library} ${found.version}: loss`, ms: found.loss },
      { name: `${library} ${found.version}: loss and gradient`, ms: found.gradient },
    ];
  });
