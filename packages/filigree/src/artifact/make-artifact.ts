import { wasm } from '@filigree/backend-wasm';
import { fail, type Arithmetic, type Extension } from '@filigree/ir';
import { artifactBytes, einsumBytes, tracedBytes, type TensorParts } from '@filigree/runtime/artifact';
import { identifiersOf, unpackTensor, type Plan } from '@filigree/tensor/einsum';
import type { Built } from '../api/build.js';
import { builtProgram, type CompileOptions } from '../api/compile.js';
import { compiledProgram } from '../api/compiled-program.js';
import { program, type FieldProgram, type FieldProgramOptions } from '../api/program.js';
import { builtEinsum, type EinsumOptions } from '../api/tensors/compile.js';
import type { BuiltTensors } from '../api/tensors/program.js';
import { VERSION } from './version.js';

/** What an artifact is made of: what `program` takes, without what belongs to one run of it. */
export type ArtifactSource = Omit<
  FieldProgramOptions,
  'backend' | 'threads' | 'memory' | 'bind' | 'over' | 'extensions'
>;

/** How an artifact is made. */
export interface MakeArtifactOptions {
  /** Threads that pages may ask for; with more than one the artifact also has code for memory that is shared. */
  readonly threads: number;
  readonly extensions: readonly Extension[];
  /** Of traced programs. */
  readonly dtype?: 'f32' | 'f64' | undefined;
  readonly arithmetic?: Arithmetic | undefined;
}

/** A program of fields, compiled to the bytes of a file that `loadArtifact` runs. Errors: those of `program`, `artifact/program`. */
export const makeArtifact = async (
  name: string,
  source: ArtifactSource,
  { threads, extensions }: Pick<MakeArtifactOptions, 'threads' | 'extensions'>,
): Promise<Uint8Array<ArrayBuffer>> => {
  for (const own of ['memory', 'bind', 'over'])
    if (own in source)
      fail('artifact/program', `the program '${name}' lies in the memory of another, which no file can hold`, {
        remedy: `leave out ${own}`,
      });
  const made: { readonly shared: boolean; readonly program: FieldProgram }[] = [];
  try {
    for (const shared of threads > 1 ? [false, true] : [false])
      made.push({
        shared,
        program: await program({
          ...source,
          backend: wasm({ shared, extensions }),
          extensions,
          threads: shared ? threads : 1,
        }),
      });
    const { warnings } = made.at(-1)!.program;
    return artifactBytes({
      version: VERSION,
      name,
      fields: source.fields,
      seed: source.seed,
      warnings,
      variants: made,
    });
  } finally {
    for (const { program } of made) program.dispose();
  }
};

/** A traced program, compiled to the bytes of a file that `loadTraced` runs. Errors: those of `compile`. */
export const makeTraced = async (
  name: string,
  source: Parameters<typeof builtProgram>[0],
  given: Pick<CompileOptions, 'scope' | 'at'> & { readonly rewrite?: boolean },
  { threads, extensions, dtype, arithmetic }: MakeArtifactOptions,
): Promise<Uint8Array<ArrayBuffer>> => {
  const made: { readonly shared: boolean; readonly built: Built }[] = [];
  try {
    for (const shared of threads > 1 ? [false, true] : [false])
      made.push({
        shared,
        built: await builtProgram(source, {
          ...given,
          ...(dtype && { dtype }),
          ...(arithmetic && { arithmetic }),
          backend: wasm({ shared, extensions }),
          extensions,
          threads: shared ? threads : 1,
        }),
      });
    const { inputs, outputs, patterns, dtype: of } = compiledProgram(made[0].built);
    const { warnings } = made.at(-1)!.built;
    return tracedBytes({
      version: VERSION,
      name,
      warnings,
      dtype: of,
      inputs: Object.keys(inputs),
      outputs: Object.keys(outputs),
      patterns,
      variants: made.map(({ shared, built: { instance } }) => ({ shared, instance })),
    });
  } finally {
    for (const { built } of made) built.instance.dispose();
  }
};

/** A formula, and what `einsum` is told about it. */
export type EinsumSourceOptions = { readonly formula: string } & Omit<
  EinsumOptions,
  'backend' | 'extensions' | 'threads' | 'memory' | 'bind' | 'session' | 'gemm'
>;

/** A formula, compiled to the bytes of a file that `loadEinsum` runs. Errors: those of `einsum`, `artifact/program`. */
export const makeEinsum = async (
  name: string,
  { formula, ...given }: EinsumSourceOptions,
  { threads, extensions, dtype }: MakeArtifactOptions,
): Promise<Uint8Array<ArrayBuffer>> => {
  if (given.elements !== undefined && given.elements.kind !== 'one')
    fail('artifact/program', `the kernel '${name}' runs for many elements, which no artifact holds yet`, {
      remedy: 'leave out elements, or compile the formula in the page',
    });
  const made: { readonly shared: boolean; readonly built: BuiltTensors }[] = [];
  try {
    for (const shared of threads > 1 ? [false, true] : [false])
      made.push({
        shared,
        built: (
          await builtEinsum(formula, {
            ...(dtype && { dtype }),
            ...given,
            backend: wasm({ shared, extensions }),
            extensions,
            threads: shared ? threads : 1,
          })
        ).built,
      });
    const [{ plans, module }] = made.map(({ built }) => built);
    const [plan] = plans;
    const names = identifiersOf(plan.tensors.map(({ tensor }) => tensor.name));
    const constant = new Set(module.buffers.filter((b) => b.role === 'const').map((b) => b.name));
    return einsumBytes({
      version: VERSION,
      name,
      warnings: made.at(-1)!.built.warnings,
      dtype: plan.type,
      kernel: module.kernels[0].name,
      scalars: plan.scalars,
      tensors: Object.fromEntries(
        plan.tensors.map((t) => {
          const buffer = names.get(t.tensor.name)!;
          const { shape } = t.tensor;
          return [t.tensor.name, { buffer, shape, constant: constant.has(buffer), places: placesOf(t) }];
        }),
      ),
      variants: made.map(({ shared, built }) => ({ shared, instance: built.instance })),
    });
  } finally {
    for (const { built } of made) built.instance.dispose();
  }
};

/* Where the entries of a tensor lie, told by where numbers are read; nothing where each lies at its own number. */
const placesOf = ({ tensor, layout }: Plan['tensors'][number]): TensorParts['places'] => {
  const numbered = Float64Array.from({ length: layout.size }, (_, k) => k + 1);
  const places = Int32Array.from(unpackTensor(tensor, layout, numbered), (at, entry) =>
    at > 0 ? at - 1 : tensor.pattern?.bits[entry] === 0 ? -2 : -1,
  );
  return layout.size === places.length && places.every((at, entry) => at === entry) ? undefined : places;
};
