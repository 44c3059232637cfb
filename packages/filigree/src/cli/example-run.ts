import { performance } from 'node:perf_hooks';
import { parseAblation } from '../api/ablation.js';
import type { ExampleResult } from '../gallery.js';
import { backendOf } from './backend-of.js';
import type { CommonOptions } from './common-options.js';
import { exampleOf, loadGallery } from './load-gallery.js';
import type { Session } from './session.js';

export interface ExampleRunOptions extends CommonOptions {
  readonly bench?: boolean;
  readonly ablate?: string;
}

/** What an example found; the JSON document of `filigree run`. */
export interface ExampleSummary extends ExampleResult {
  readonly example: string;
  readonly rows: readonly string[];
  readonly backend: string;
  readonly dtype: 'f32' | 'f64';
  readonly threads: number;
  readonly memoryMB: number;
  readonly wallMs: number;
}

/** Runs an example of the gallery. Throws `DiagnosticError`. */
export const runExample = async (
  name: string,
  args: Readonly<Record<string, string>>,
  options: ExampleRunOptions,
  session: Session,
): Promise<ExampleSummary> => {
  const example = exampleOf(await loadGallery(), name);
  const ablated = parseAblation(options.ablate ?? '');
  const backend = await backendOf(options.backend);
  const started = performance.now();
  const result = await example.run({
    args,
    backend: backend.name,
    dtype: options.dtype,
    threads: options.threads,
    seed: options.seed,
    bench: options.bench ?? false,
    ablate: ablated,
    progress: (fraction, text) => void session.progress.at(fraction, text),
  });
  return {
    example: name,
    rows: example.rows,
    ...result,
    backend: backend.name,
    dtype: options.dtype,
    threads: options.threads,
    memoryMB: process.resourceUsage().maxRSS / 1024,
    wallMs: performance.now() - started,
  };
};
