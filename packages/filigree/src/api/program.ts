import { fail, checkOptions, option, type OptionSpec, orThrow } from '@filigree/ir';
import type { FieldDecl } from '@filigree/sparse/fields';
import {
  program as makeProgram,
  type Fields,
  type Kernels,
  type Program,
  type ProgramOptions,
  programSpec,
} from '@filigree/runtime';
import { backendSpec, type BackendOptions } from './backends.js';
import { backendFor } from './session.js';

/** Fields of a layout in memory, and kernels that run on them. */
export type FieldProgram<K extends Kernels = Kernels, F extends Fields = Fields> = Program<K, F>;

/** A layout, kernels for its fields, and how they are compiled. */
export interface FieldProgramOptions<K extends Kernels = Kernels, F extends Fields = Fields>
  extends Omit<ProgramOptions<K, F>, 'backend'>, Pick<BackendOptions, 'backend' | 'fallback'> {
  /** Parts of the lowering to switch off, by their names in `FIELD_ABLATIONS`. */
  readonly ablate?: readonly string[];
}

/**
 * Compiles kernels for the fields of a layout, and gives the fields memory: `sim.fields.u.set([3, 4], 1)`,
 * `sim.run.diffuse(0.1)`. Rejects with a `DiagnosticError`: `program/…`, `lang/…` with the place in the kernel's source, `layout/…`,
 * `ablate/unknown`, `runtime/backend`, and what the backend says.
 */
export const program = async <const K extends Kernels, F extends Fields = Readonly<Record<string, FieldDecl>>>(
  given: FieldProgramOptions<K, F>,
  ...others: readonly never[]
): Promise<FieldProgram<K, F>> => {
  /* `compile` and `einsum` have them apart: who gives them so here would be compiled for another backend than he said. */
  if (others.some((o) => o !== undefined))
    fail('program/form', 'a program of fields takes one object, with its options in it', {
      remedy: 'write program({ layout, kernels, backend, … })',
    });
  if (typeof given !== 'object' || given === null)
    fail('program/form', 'a program of fields is an object with a layout and kernels', {
      remedy: 'write program({ layout: layout(dense(i, 100).place(x)), kernels: { step } })',
    });
  const spec = fieldProgramSpec as OptionSpec<FieldProgramOptions<K, F>>;
  const {
    ablate = [],
    backend,
    fallback,
    ...options
  } = checkOptions<FieldProgramOptions<K, F>>('program', given, spec);
  /* What is switched off to be measured is loaded where something is. */
  const switched =
    Array.isArray(ablate) && ablate.length === 0
      ? {}
      : (await import('./field-ablation.js')).ablateFields(ablate, switchable(options));
  return orThrow(
    await makeProgram<K, F>({
      ...options,
      ...switched,
      backend: await backendFor({ ...options, backend, fallback }),
    })(),
  );
};

const switchable = ({ lowering, quant, omit, lanes }: Omit<FieldProgramOptions, 'layout' | 'kernels'>) => ({
  ...(lowering && { lowering }),
  ...(quant && { quant }),
  ...(omit && { omit }),
  ...(lanes !== undefined && { lanes }),
});

const fieldProgramSpec: OptionSpec<FieldProgramOptions> = {
  ...programSpec,
  backend: backendSpec.backend,
  fallback: backendSpec.fallback,
  ablate: option.anything,
};
