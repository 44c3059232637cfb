import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peakRssMB } from '@filigree/runtime';
import type { Flops } from '@filigree/tensor/einsum';
import type { Example, ExampleOptions } from 'filigree';
import type { Finding } from '../../fields/finding.js';
import { argumentsOf, type Arguments } from '../arguments.js';
import { described } from '../described.js';
import { interleavedSamples } from '../run-program.js';

/** An application of kernels over small tensors, for `filigree run`. */
export interface TensorApplication {
  readonly name: string;
  /** What it shows, in one line. */
  readonly shows: string;
  /** The arguments that are its own. */
  readonly takes: string;
  readonly keys: readonly string[];
  readonly run: (args: Arguments, options: ExampleOptions) => Promise<TensorOutcome>;
}

/** What came of it. */
export interface TensorOutcome {
  readonly metrics: Readonly<Record<string, number | string>>;
  readonly ms: Readonly<Record<string, number>>;
  readonly baselines?: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** Why findings that did not pass are no fault of what is computed, if they are none. */
  readonly why?: string | undefined;
  readonly picture: { readonly extension: 'svg' | 'png'; readonly contents: string | Uint8Array };
}

/** Runs it with the type that `dtype=` or `--dtype` names, and writes its picture into `out`. */
export const tensorExample = ({ name, shows, takes, keys, run }: TensorApplication): Example => ({
  name,
  rows: ['YA8'],
  ...described('tensors', shows, `${takes}, dtype=f32|f64, out=DIR`),
  run: async (options) => {
    const args = argumentsOf(options.args, [...keys, 'dtype', 'out']);
    const dtype = args.word('dtype', options.dtype, ['f32', 'f64']);
    const { metrics, ms, baselines, findings, why, picture } = await run(args, { ...options, dtype });
    const passed = findings.every((f) => f.passed);
    const folder = args.text('out', 'out');
    const file = join(folder, `${name}.${picture.extension}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, picture.contents);
    options.progress(1, 'done');
    return {
      metrics: {
        dtype,
        ...metrics,
        ...Object.fromEntries(findings.map((f) => [f.name, f.value])),
        picture: file,
        peakRssMB: peakRssMB(),
      },
      check: passed || why === undefined ? { passed } : { passed, why },
      ms,
      ...(baselines && { baselines }),
    };
  },
});

/** Something whose operations are known. */
export interface Counted {
  readonly name: string;
  readonly run: () => void;
  readonly flops: Flops;
}

/** How fast it ran: the median in milliseconds, and 10⁹ operations a second in the fastest run, as the peak is that of the fastest. */
export interface Speed {
  readonly name: string;
  readonly ms: number;
  readonly nonzero: number;
  readonly hardware: number;
}

/** Runs each in turns, `samples` times. */
export const speedsOf = (all: readonly Counted[], samples: number): readonly Speed[] =>
  interleavedSamples(
    all.map((c) => c.run),
    samples,
  ).map((sorted, k) => {
    const { name, flops } = all[k];
    const least = sorted[0];
    return {
      name,
      ms: sorted[Math.floor(sorted.length / 2)],
      nonzero: flops.nonzero / least / 1e6,
      hardware: flops.hardware / least / 1e6,
    };
  });
