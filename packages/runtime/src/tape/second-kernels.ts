import { adjoint, type Adjoint, type DerivativeTable, type Places } from '@filigree/autodiff';
import type { AdjointKernels, TangentKernels } from './derivative-kernels.js';
import { madeKernels, type Made, type Setting } from './made-kernels.js';
import { PRIME } from './primed.js';

/**
 * The adjoints of the kernels with tangents. Where the adjoint of the loss' tangent is 1 and all others 0, that of a field's tangent is in the end the derivative by the field, and that of the
 * field the product of the second derivatives with the direction. Nothing where none are asked for.
 */
export const secondKernels = (
  { module, layout, signatures, dialects, shown }: Setting,
  { buffers, kernels, known: first }: Made<TangentKernels>,
  second: Readonly<Record<string, string>>,
  table: DerivativeTable,
  places?: Places,
): Made<AdjointKernels> | undefined => {
  const tangents = [...first.of].flatMap(([of, made]) => ('kernel' in made ? [{ of, ...made }] : []));
  const named = new Set(tangents.map(({ kernel }) => kernel.name));
  const moved = {
    ...module,
    buffers: [...module.buffers, ...buffers],
    kernels: kernels.filter((k) => named.has(k.name)),
  };
  const setting = {
    module: moved,
    layout,
    dialects,
    shown: (kernel: string) => shown(tangents.find((t) => t.kernel.name === kernel)!.of),
    signatures: Object.fromEntries(tangents.map(({ of, kernel }) => [kernel.name, signatures[of]])),
  };
  const adjoints = madeKernels<Adjoint>(setting, second, 'clear_products', (name) =>
    adjoint(moved, name, { adjoints: second, dialects, table, ...(places && { places }) }),
  );
  if (!adjoints) return undefined;
  const parameters = tangents.map(({ of, kernel, parameters }) => {
    const own = first.parameters.get(of)!;
    return [kernel.name, [...own, ...parameters.map((n) => own[n] + PRIME)]] as const;
  });
  const twins = tangents.flatMap(({ arrays }) =>
    [...arrays].flatMap(([of, twin]) => {
      const name = first.arrays.get(of);
      return name === undefined ? [] : [[twin, name + PRIME] as const];
    }),
  );
  return {
    ...adjoints,
    known: {
      ...adjoints.known,
      parameters: new Map(parameters),
      arrays: new Map([...first.arrays, ...twins]),
      begin: new Map(),
      places: [...(places?.keys() ?? [])],
      watched: undefined,
    },
  };
};
