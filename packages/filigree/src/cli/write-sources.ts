import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Backend, Sources } from '@filigree/backend';
import { makeFolder } from '@filigree/backend/native';
import type { HostedField } from '@filigree/backend-wasm/host';
import { fail, orThrow, pipeline, runPass, type Module, type Pass } from '@filigree/ir';

/** Writes sources into a folder, made where it is missing; gives the paths. Error: `emit/unwritable`. */
export const writeSources = async (folder: string, sources: Sources): Promise<readonly string[]> => {
  const paths: string[] = [];
  for (const { name, contents } of sources.files) {
    const path = join(folder, name);
    await writeOut(path, contents);
    paths.push(path);
  }
  return paths;
};

/** What a backend makes of a module that is run through passes first, without compiling it. Throws `DiagnosticError`. */
export const sourcesOf = (
  module: Module,
  passes: readonly Pass<Module>[],
  { legalize, emit, watch }: Backend,
): Sources => orThrow(runPass(emit, orThrow(pipeline([...passes, legalize]).run(module, watch)), watch));

/**
 * Writes the sources of a module, and what runs them alone where the backend has such. Error: `emit/unwritable`.
 *
 * @param module whose sources they are, with its tables
 */
export const writeProgram = async (folder: string, sources: Sources, module: Module): Promise<readonly string[]> =>
  writeSources(folder, await withHost(sources, () => ({ module })));

/** What a host runs: a module with what its buffers begin with, and the fields that are shown, by their names. */
export interface Hosted {
  readonly module: Module;
  readonly fields?: Readonly<Record<string, HostedField>>;
}

/** Sources with what runs them alone where the backend has such: for WebAssembly the code in bytes, tables, and a host with its types. */
export const withHost = async (sources: Sources, hosted: () => Hosted): Promise<Sources> => {
  if (sources.backend !== 'wasm') return sources;
  const { hostFiles } = await import('@filigree/backend-wasm/host');
  const { module, fields } = hosted();
  return { ...sources, files: [...sources.files, ...hostFiles(module, sources, fields)] };
};

/** Writes a file and the folders it needs. Error: `emit/unwritable`. */
export const writeOut = async (path: string, contents: string | Uint8Array): Promise<void> => {
  try {
    await makeFolder(dirname(path));
    await writeFile(path, contents);
  } catch (e) {
    const code = (e as NodeJS.ErrnoException).code ?? String(e);
    const inTheWay = ['EEXIST', 'ENOTDIR'].includes(code);
    fail(
      'emit/unwritable',
      `'${path}' cannot be written (${inTheWay ? 'a file stands where a folder is needed' : code})`,
      {
        remedy: inTheWay ? 'name another folder, or remove the file' : 'name a place that can be written and has space',
      },
    );
  }
};
