import { DiagnosticError, formatDiagnostic } from '@filigree/ir';
import { filigreeEsbuild as rewritingPlugin, type EsbuildPlugin } from '@filigree/lang/plugin';
import { artifactModule, checkArtifacts, isArtifact, pluginOptions, type PluginOptions } from './artifacts.js';

/** For esbuild and tsup. */
export const filigreeEsbuild = (given?: PluginOptions): EsbuildPlugin => {
  const options = pluginOptions('filigreeEsbuild', given);
  const { artifacts: _, threads: __, ...rewriting } = options;
  return {
    name: 'filigree',
    setup(build) {
      checkArtifacts(options, process.cwd());
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
        if (!isArtifact(path, options, process.cwd())) return undefined;
        try {
          return { contents: await artifactModule(path, options), loader: 'js' };
        } catch (e) {
          if (!(e instanceof DiagnosticError)) throw e;
          return { errors: e.diagnostics.map((d) => ({ text: formatDiagnostic(d), location: null, notes: [] })) };
        }
      });
      rewritingPlugin(rewriting).setup(build);
    },
  };
};
