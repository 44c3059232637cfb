import { wasm } from '@filigree/backend-wasm';
import { fail, type Arithmetic, type Extension } from '@filigree/ir';
import { artifactBytes, tracedBytes } from '@filigree/runtime/artifact';
import type { Built } from '../api/build.js';
import { builtProgram, type CompileOptions } from '../api/compile.js';
import { compiledProgram } from '../api/compiled-program.js';
import { program, type FieldProgram, type FieldProgramOptions } from '../api/program.js';
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
    const [{ program: first }] = made;
    return artifactBytes({ version: VERSION, name, fields: source.fields, warnings: first.warnings, variants: made });
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
    const { inputs, outputs, patterns, warnings, dtype: of } = compiledProgram(made[0].built);
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
