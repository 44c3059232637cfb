import {
  adjoint,
  clearGradients,
  differentiable,
  withGradients,
  withoutGiven,
  type Adjoint,
  type WithGradients,
} from '@filigree/autodiff';
import {
  combined,
  coreDialects,
  DiagnosticError,
  fail,
  type Diagnostics,
  type Extension,
  type Kernel,
  type Module,
} from '@filigree/ir';
import type { KernelSignature } from '@filigree/lang/kernels';
import { componentsOf, fieldDialect, type AnyField, type Layout } from '@filigree/sparse/fields';
import { beginKernels } from './begin-kernels.js';

/** The adjoints of the kernels of a program. */
export interface AdjointKernels {
  /** By the name of the primal: its adjoint, or why it has none, which is reported when it is launched on a tape. */
  readonly of: ReadonlyMap<string, Omit<Adjoint, 'buffers'> | Diagnostics>;
  /** The names of scalar fields, each with that of its adjoint. */
  readonly fields: Readonly<Record<string, string>>;
  /** The names of parameters, by kernel. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
  /** The names of array arguments by their buffers. */
  readonly arrays: ReadonlyMap<string, string>;
  /** The kernel that sets all adjoints to zero. */
  readonly clear: string;
  /** The kernels that set the adjoint of a field of one number to one, by the name of the field. */
  readonly begin: ReadonlyMap<string, string>;
}

/** A layout with the adjoints of fields; as it is where none are asked for. Error: `program/differentiate`. */
export const gradientsOf = (layout: Layout, asked: true | readonly AnyField[] | undefined): WithGradients => {
  if (asked === undefined) return { layout, adjoints: {} };
  if (asked !== true && !Array.isArray(asked))
    fail('program/differentiate', 'differentiate is true, or a list of fields', {
      remedy: 'write differentiate: true',
    });
  const primals = asked === true ? differentiable(layout) : asked.flatMap(componentsOf);
  const foreign = primals.find((f) => layout.fields.get(f.name)?.field !== f);
  if (foreign)
    fail('program/differentiate', `field '${foreign.name}' is to be differentiated, and not in the layout`, {
      remedy: 'place it, or leave it out',
    });
  if (primals.length === 0)
    fail('program/differentiate', 'there is no field of floats to differentiate', {
      remedy: 'leave differentiate out',
    });
  return withGradients(layout, primals);
};

/**
 * The module with the adjoints of its kernels; as it is where no field has an adjoint.
 *
 * @param waits whether launches wait, so that adjoints of losses are set by kernels
 */
export const withAdjoints = (
  module: Module,
  { layout, adjoints }: WithGradients,
  signatures: Readonly<Record<string, KernelSignature>>,
  extensions: readonly Extension[] = [],
  waits = false,
): { readonly module: Module; readonly adjoints?: AdjointKernels } => {
  const fields = Object.values(adjoints);
  if (fields.length === 0) return { module };
  const dialects = (combined(extensions).dialects ?? []).filter((d) => !coreDialects.includes(d));
  const of = new Map(module.kernels.map((k) => [k.name, adjointOr(module, k.name, { adjoints, dialects })] as const));
  const made = [...of.values()].filter((a): a is Adjoint => 'kernel' in a);
  const clear = clearGradients('clear_gradients', layout, fields);
  const begin = waits ? beginKernels(layout, adjoints) : new Map<string, Kernel>();
  return {
    module: {
      ...module,
      buffers: [...module.buffers, ...made.flatMap((a) => a.buffers)],
      kernels: [
        ...module.kernels.map((k) => withoutGiven(k, [fieldDialect(layout), ...dialects])),
        ...made.map((a) => a.kernel),
        clear,
        ...begin.values(),
      ],
    },
    adjoints: {
      of,
      fields: adjoints,
      parameters: new Map(module.kernels.map((k) => [k.name, k.params.map((p, n) => p.hint ?? String(n))])),
      arrays: new Map(
        Object.values(signatures).flatMap(({ launch }) =>
          launch.flatMap((p) => (p.is === 'array' ? [[p.buffer, p.name] as const] : [])),
        ),
      ),
      clear: clear.name,
      begin: new Map([...begin].map(([primal, { name }]) => [primal, name])),
    },
  };
};

const adjointOr = (module: Module, name: string, options: Parameters<typeof adjoint>[2]): Adjoint | Diagnostics => {
  try {
    return adjoint(module, name, options);
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics;
    throw e;
  }
};
