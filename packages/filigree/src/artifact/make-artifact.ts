import { wasm } from '@filigree/backend-wasm';
import { fail, type Extension } from '@filigree/ir';
import { artifactBytes } from '@filigree/runtime/artifact';
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
}

/** A program of fields, compiled to the bytes of a file that `loadArtifact` runs. Errors: those of `program`, `artifact/program`. */
export const makeArtifact = async (
  name: string,
  source: ArtifactSource,
  { threads, extensions }: MakeArtifactOptions,
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
