import { basename, join, relative, resolve, sep } from 'node:path';
import type { MakeArtifactOptions } from '../artifact/make-artifact.js';
import type { Compilable } from './compilables.js';
import { writeOut } from './write-sources.js';

/**
 * Writes the artifacts of a module's programs into a folder: a file for each, and a module that exports where they are under the names
 * that they have, with its types. Gives the paths. Errors: `emit/unwritable`, and those of `makeArtifact`.
 */
export const writeArtifacts = async (
  folder: string,
  module: string,
  programs: readonly Compilable[],
  options: MakeArtifactOptions,
): Promise<readonly string[]> => {
  const made: (readonly [path: string, contents: string | Uint8Array])[] = [];
  for (const { name, artifact } of programs) made.push([join(folder, `${name}.filigree`), await artifact(options)]);
  const names = programs.map(({ name }) => name);
  const stem = basename(module).replace(/\.[cm]?[jt]s$/, '');
  made.push([join(folder, `${stem}.js`), `${names.map(exported).join('\n')}\n`]);
  made.push([join(folder, `${stem}.d.ts`), declarations(names, specifierOf(folder, module))]);
  for (const [path, contents] of made) await writeOut(path, contents);
  return made.map(([path]) => path);
};

const exported = (name: string): string =>
  `export ${named(name, `{ is: 'artifact', url: new URL('./${name}.filigree', import.meta.url) }`)}`;

const named = (name: string, value: string): string =>
  name === 'default' ? `default ${value};` : `const ${name} = ${value};`;

const declarations = (names: readonly string[], from: string): string =>
  [
    `import type { ArtifactOf } from 'filigree/artifact';`,
    `import type * as source from '${from}';`,
    ...names.map((name) =>
      name === 'default'
        ? `declare const artifact: ArtifactOf<typeof source.default>;\nexport default artifact;`
        : `export declare const ${name}: ArtifactOf<typeof source.${name}>;`,
    ),
    '',
  ].join('\n');

/* TypeScript reads the types of `x.ts` where `x.js` is named. */
const specifierOf = (folder: string, module: string): string => {
  const path = relative(resolve(folder), resolve(module)).split(sep).join('/');
  return `${path.startsWith('.') ? '' : './'}${path.replace(/\.([cm]?)ts$/, '.$1js')}`;
};
