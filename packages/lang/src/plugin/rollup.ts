import { transform, transformOptions, type TransformOptions, type TransformResult } from './transform.js';

/** The part of Rollup's and Vite's plugin interface that is used here, so that neither needs to be installed. */
export interface RollupPlugin {
  readonly name: string;
  transform(this: unknown, code: string, id: string): TransformResult | undefined;
}

/** For Rollup and Rolldown: put it after the plugin that strips types. */
export const filigreeRollup = (given?: TransformOptions): RollupPlugin => {
  const options = transformOptions('filigreeRollup', given);
  return {
    name: 'filigree',
    transform(code, id) {
      if (!/\.[cm]?[jt]sx?(\?|$)/.test(id)) return undefined;
      return transform(code, id, { ...options, ...original(this) });
    },
  };
};

/** For Vite and Vitest, which strip types themselves before plugins of this kind run. */
export const filigreeVite = (options?: TransformOptions): RollupPlugin =>
  filigreeRollup(transformOptions('filigreeVite', options));

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
