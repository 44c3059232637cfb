import type { CFamilyDialect, HelperText, Spellings } from '@filigree/backend';
import { type Toolchain, findToolchain } from '@filigree/backend/native';
import type { NativeLanguage } from '../native-language.js';
import { type Module, type Op, type Region, fail, orThrow } from '@filigree/ir';

/**
 * How the C++ backend writes ops of another dialect with the help of a library. The dialect itself is passed to `cpp`
 * too, in an extension; ops that the plugin does not take must be lowered before.
 */
export interface CppPlugin {
  readonly name: string;
  /** Ops by name; with an effect on buffers beside attribute `buffer`, a spelling says on which. */
  readonly spellings: Spellings;
  /** Whether an op is one that this plugin can write. */
  readonly takes: (op: Op) => boolean;
  /** Texts of the helpers that its spellings ask for; undefined for names that are not its own. */
  readonly helper: (name: string) => HelperText | undefined;
  /** Lines at the top of the file, such as `#include <blas.h>`. */
  readonly includes: readonly string[];
  /** Arguments of the linker, after the objects: `-lblas`. */
  readonly link: readonly string[];
  /** Why it cannot be used on this machine with this compiler, and what to do about it; undefined if it can. */
  readonly missing: (toolchain: Toolchain) => Promise<{ readonly reason: string; readonly remedy: string } | undefined>;
}

/** The language with the spellings and helpers of plugins. Error: `cpp/plugin-clash` where two write one op. */
export const withPlugins = <D extends CFamilyDialect>(language: D, plugins: readonly CppPlugin[]): D =>
  plugins.reduce((dialect, plugin) => {
    const twice = Object.keys(plugin.spellings).find((name) => dialect.spellings[name] !== undefined);
    if (twice !== undefined)
      fail('cpp/plugin-clash', `plugin '${plugin.name}' writes ${twice}, which is written already`, {
        remedy: 'pass one plugin for each op',
      });
    return {
      ...dialect,
      spellings: { ...dialect.spellings, ...plugin.spellings },
      helper: (name: string) => plugin.helper(name) ?? dialect.helper(name),
    };
  }, language);

/** The plugins whose ops a module has. */
export const pluginsOf = (module: Module, plugins: readonly CppPlugin[]): readonly CppPlugin[] =>
  plugins.filter((p) => module.kernels.some((k) => contains(k.body, (op) => p.spellings[op.name] !== undefined)));

/** Refuses with `cpp/plugin-missing` where a plugin cannot be used with the compiler that will be used. */
export const requirePlugins = async (
  { language }: Pick<NativeLanguage, 'language'>,
  plugins: readonly CppPlugin[],
  options: { readonly compiler?: string; readonly cache?: string | false },
): Promise<void> => {
  if (plugins.length === 0) return;
  const found = orThrow(await findToolchain({ ...options, language })());
  for (const plugin of plugins) {
    const problem = await plugin.missing(found);
    if (problem) fail('cpp/plugin-missing', `plugin '${plugin.name}': ${problem.reason}`, { remedy: problem.remedy });
  }
};

const contains = (region: Region, test: (op: Op) => boolean): boolean =>
  region.ops.some((op) => test(op) || op.regions.some((r) => contains(r, test)));
