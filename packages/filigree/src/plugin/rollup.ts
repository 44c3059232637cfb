import { DiagnosticError, formatDiagnostic } from '@filigree/ir';
import { filigreeRollup as rewritingPlugin, type RollupPlugin } from '@filigree/lang/plugin';
import { artifactModule, checkArtifacts, isArtifact, pluginOptions, type PluginOptions } from './artifacts.js';

/** The part of Rollup's and Vite's plugin interface that is used here, so that neither needs to be installed. */
export type RollupPlugins = [ArtifactPlugin, RollupPlugin];

interface ArtifactPlugin {
  readonly name: string;
  readonly enforce: 'pre';
  configResolved(config: { readonly root: string }): void;
  buildStart(): void;
  load(id: string): Promise<string | undefined>;
}

/** For Rollup and Rolldown: put it after the plugin that strips types. */
export const filigreeRollup = (given?: PluginOptions): RollupPlugins => plugins('filigreeRollup', given);

/** For Vite and Vitest, in `plugins` and in `worker.plugins`. */
export const filigreeVite = (given?: PluginOptions): RollupPlugins => plugins('filigreeVite', given);

const plugins = (what: string, given: PluginOptions | undefined): RollupPlugins => {
  const options = pluginOptions(what, given);
  const { artifacts: _, threads: __, ...rewriting } = options;
  const at = { root: process.cwd() };
  return [
    {
      name: 'filigree-artifacts',
      enforce: 'pre',
      configResolved: ({ root }) => void (at.root = root),
      buildStart: () => checkArtifacts(options, at.root),
      load: async (id) => {
        if (!isArtifact(id, options, at.root)) return undefined;
        try {
          return await artifactModule(id.replace(/\?.*$/, ''), options);
        } catch (e) {
          if (!(e instanceof DiagnosticError)) throw e;
          throw new Error(e.diagnostics.map((d) => formatDiagnostic(d)).join('\n'));
        }
      },
    },
    rewritingPlugin(rewriting),
  ];
};
