import remapping, { type SourceMapInput } from '@jridgewell/remapping';
import { DiagnosticError, type Diagnostic } from '@filigree/ir';
import { transform, transformOptions, type TransformOptions } from './transform.js';

/** The part of esbuild's plugin interface that is used here, so that it need not be installed. */
export interface EsbuildPlugin {
  readonly name: string;
  setup(build: {
    onLoad(options: { filter: RegExp }, callback: (args: { path: string }) => Promise<Loaded | undefined>): void;
    readonly esbuild: { build(options: StripOptions): Promise<{ outputFiles?: { path: string; text: string }[] }> };
  }): void;
}

/** esbuild reads the file and strips its types by the user's own tsconfig.json; nothing is bundled or written. */
interface StripOptions {
  entryPoints: string[];
  bundle: false;
  write: false;
  outdir: string;
  sourcemap: 'external';
  target: string;
  logLevel: 'silent';
}

interface Loaded {
  contents?: string;
  loader?: 'js';
  errors?: {
    text: string;
    location: { file: string; line: number; column: number } | null;
    notes: { text: string }[];
  }[];
}

/** For esbuild and tsup: strips types with esbuild, then rewrites. Packages in node_modules are left alone. */
export const filigreeEsbuild = (given?: TransformOptions): EsbuildPlugin => {
  const options = transformOptions('filigreeEsbuild', given);
  return {
    name: 'filigree',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path }) => {
        if (/[\\/]node_modules[\\/]/.test(path)) return undefined;
        const stripped = await strip(build.esbuild, path);
        if (!stripped) return undefined;
        const { code, map: strippedMap, text } = stripped;
        try {
          const result = transform(code, path, { ...options, original: { map: strippedMap, text } });
          if (!result) return undefined;
          const map = remapping([result.map as SourceMapInput, strippedMap as SourceMapInput], () => null);
          return {
            contents: `${result.code}\n//# sourceMappingURL=data:application/json,${encodeURIComponent(map.toString())}`,
            loader: 'js',
          };
        } catch (e) {
          if (!(e instanceof DiagnosticError)) throw e;
          return { errors: e.diagnostics.map(asError) };
        }
      });
    },
  };
};

type Esbuild = Parameters<EsbuildPlugin['setup']>[0]['esbuild'];

/* A file that esbuild cannot read or parse is left to the build itself, which reports it. */
const strip = async (
  esbuild: Esbuild,
  path: string,
): Promise<{ code: string; map: object; text: string | undefined } | undefined> => {
  const options: StripOptions = {
    entryPoints: [path],
    bundle: false,
    write: false,
    outdir: '.',
    sourcemap: 'external',
    target: 'esnext',
    logLevel: 'silent',
  };
  const files = await esbuild.build(options).then(
    (result) => result.outputFiles ?? [],
    () => [],
  );
  const code = files.find((f) => !f.path.endsWith('.map'))?.text;
  const map = files.find((f) => f.path.endsWith('.map'))?.text;
  if (code === undefined || map === undefined) return undefined;
  const parsed = JSON.parse(map) as { sources: string[]; sourcesContent?: string[] };
  /* A file that is a bundle itself, with a map of its own, was written by several others, whose spelling is not looked for. */
  if (parsed.sources.length > 1) return { code, map: parsed, text: undefined };
  return { code, map: { ...parsed, sources: [path] }, text: parsed.sourcesContent?.[0] };
};

const asError = (d: Diagnostic): NonNullable<Loaded['errors']>[number] => ({
  text: `[${d.code}] ${d.message}`,
  location: d.loc ? { file: d.loc.file, line: d.loc.line, column: d.loc.column - 1 } : null,
  notes: d.remedy ? [{ text: `remedy: ${d.remedy}` }] : [],
});
