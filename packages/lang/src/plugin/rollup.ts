import { helpersOf, transform, transformOptions, type TransformOptions, type TransformResult } from './transform.js';

/** The part of Rollup's and Vite's plugin interface that is used here, so that neither needs to be installed. */
export interface RollupPlugin {
  readonly name: string;
  readonly resolveId: {
    readonly order: 'pre';
    handler(
      this: unknown,
      id: string,
      importer: string | undefined,
    ): Promise<{ readonly id: string; readonly external: true } | undefined>;
  };
  transform(this: unknown, code: string, id: string): TransformResult | undefined;
}

/** For Rollup and Rolldown: put it after the plugin that strips types. */
export const filigreeRollup = (given?: TransformOptions): RollupPlugin => {
  const options = transformOptions('filigreeRollup', given);
  return {
    name: 'filigree',
    /* Helpers of a package that is left out of the bundle are left out too: two copies of it know nothing of one another. */
    resolveId: {
      order: 'pre',
      async handler(id, importer) {
        if (id !== helpersOf(options)) return undefined;
        const { resolve } = this as { resolve: Resolve };
        const found = await resolve.call(this, packageOf(id), importer, { skipSelf: true });
        return found?.external ? { id, external: true } : undefined;
      },
    },
    transform(code, id) {
      if (!/\.[cm]?[jt]sx?(\?|$)/.test(id)) return undefined;
      return transform(code, id, { ...options, ...original(this) });
    },
  };
};

/** For Vite and Vitest, which strip types themselves before plugins of this kind run. */
export const filigreeVite = (options?: TransformOptions): RollupPlugin =>
  filigreeRollup(transformOptions('filigreeVite', options));

type Resolve = (
  id: string,
  importer: string | undefined,
  options: { readonly skipSelf: boolean },
) => Promise<{ readonly external: boolean | 'absolute' | 'relative' } | null>;

/** The package in which a module lies: `@scope/name`, or `name`. */
const packageOf = (id: string): string => id.split('/', id.startsWith('@') ? 2 : 1).join('/');

/** The map of what earlier plugins did, when they did anything. */
const original = (context: unknown): Pick<TransformOptions, 'original'> => {
  const { getCombinedSourcemap } = context as { getCombinedSourcemap?: () => CombinedMap | null };
  const map = getCombinedSourcemap?.call(context);
  return map?.mappings ? { original: { map, text: map.sourcesContent?.[0] ?? undefined } } : {};
};

interface CombinedMap {
  readonly mappings: string;
  readonly sourcesContent?: (string | null)[];
}
