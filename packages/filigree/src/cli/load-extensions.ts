import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import { describeValue, fail, type Extension } from '@filigree/ir';
import { loadModule } from './load-module.js';

/**
 * The extensions that `--use` names, each a package or the path of a module whose default export, or export `extension`, it is. Errors: what
 * `loadModule` says, `use/missing` where there is no such package, `use/form` where a module exports none.
 */
export const loadExtensions = (names: readonly string[] = []): Promise<readonly Extension[]> =>
  Promise.all(
    names.map(async (name) => {
      const found = exportOf(await moduleOf(name), 'extension');
      if (typeof found !== 'object' || found === null || typeof (found as { name?: unknown }).name !== 'string')
        fail('use/form', `'${name}' exports no extension: what it exports is ${describeValue(found)}`, {
          remedy: "write export default { name: 'mine', dialects: […], backends: { … } }",
        });
      return { from: name, ...(found as Extension) };
    }),
  );

/** Whether a word of the command line is the path of a module rather than a name. */
export const isPath = (word: string): boolean => /^\.{0,2}[\\/]|\.[mc]?[jt]s$/.test(word) || isAbsolute(word);

/** What a module exports by a name, else by default. Of a CommonJS module node may give the default alone, which holds the rest. */
export const exportOf = (module: Readonly<Record<string, unknown>>, name: string): unknown => {
  const whole = module['default'];
  const inside = typeof whole === 'object' && whole !== null && name in whole ? (whole as typeof module)[name] : whole;
  return module[name] ?? inside;
};

const moduleOf = async (name: string): Promise<Readonly<Record<string, unknown>>> =>
  isPath(name) ? loadModule(name) : loadModule(entryOf(name));

/* A package is looked up where the command is run, then beside this one. */
const entryOf = (name: string): string => {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url])
    try {
      return createRequire(from).resolve(name);
    } catch {
      continue;
    }
  return fail('use/missing', `there is no package '${name}' here`, {
    remedy: `install it (npm install ${name}), or name a file: --use ./extension.mjs`,
  });
};
