import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { peakRssMB } from '@filigree/runtime';
import type { Example, ExampleOptions } from 'filigree';
import { imagePng, type Image } from '../../draw/index.js';
import type { Finding } from '../../fields/finding.js';
import { LAYOUTS, type LayoutName } from '../../fields/layouts.js';
import { linesOfCode } from '../../fields/lines-of-code.js';
import { NATIVE_FIELDS } from '../../fields/native/library.js';
import { argumentsOf, type Arguments } from '../arguments.js';
import { described } from '../described.js';
import { interleavedMedians } from '../run-program.js';

/** An application of kernels over sparse fields, for `filigree run`. */
export interface Application {
  readonly name: string;
  /** What it shows, in one line. */
  readonly shows: string;
  /** The arguments that are its own. */
  readonly takes: string;
  readonly keys: readonly string[];
  readonly run: (args: Arguments, options: ApplicationOptions) => Promise<Outcome>;
}

/** The options of an example, and how its grids are stored. */
export interface ApplicationOptions extends ExampleOptions {
  readonly layout: LayoutName;
}

/** What came of it. */
export interface Outcome {
  readonly metrics: Readonly<Record<string, number | string>>;
  readonly ms: Readonly<Record<string, number>>;
  readonly picture: Image;
  /** What theory says of the result, and of smaller problems. */
  readonly check: () => Promise<readonly Finding[]>;
  /** The same work by our kernels and by the C++ by hand, which there may be none of here. */
  readonly ours: () => void;
  readonly byHand: () => Promise<{ readonly run: () => void; readonly close: () => void } | string>;
  /** Samples of each to take the median of. */
  readonly samples: number;
  readonly close: () => void;
}

/** Rounding that checks let pass, relative. */
export const rounding = ({ dtype }: ExampleOptions, f32: number, f64: number): number => (dtype === 'f32' ? f32 : f64);

/** Runs it, writes its picture into `out`, checks it, and with `--bench` times it beside the C++ by hand in the same run. */
export const fieldExample = ({ name, shows, takes, keys, run }: Application): Example => ({
  name,
  rows: ['TA2.9'],
  ...described('fields', shows, `${takes}, layout=${Object.keys(LAYOUTS).join('|')}, out=DIR`),
  run: async (options) => {
    const args = argumentsOf(options.args, [...keys, 'layout', 'out']);
    const layout = args.word('layout', 'pointer', Object.keys(LAYOUTS) as LayoutName[]);
    const outcome = await run(args, { ...options, layout });
    try {
      const picture = join(args.text('out', 'out'), `${name}.png`);
      mkdirSync(args.text('out', 'out'), { recursive: true });
      writeFileSync(picture, imagePng(outcome.picture));
      options.progress(0.6, 'check');
      const findings = await outcome.check();
      options.progress(0.8, options.bench ? 'time, beside C++ by hand' : 'time');
      const timed = await timings(outcome, options.bench);
      options.progress(1, 'done');
      return {
        metrics: {
          layout,
          ...outcome.metrics,
          ...Object.fromEntries(findings.map((f) => [f.name, f.value])),
          ...lineCounts(name),
          picture,
          peakRssMB: peakRssMB(),
        },
        check: { passed: findings.every((f) => f.passed) },
        ms: { ...outcome.ms, run: timed.ours },
        ...(timed.native !== undefined && { baselines: { native: timed.native } }),
      };
    } finally {
      outcome.close();
    }
  },
});

const timings = async (
  { ours, byHand, samples }: Outcome,
  bench: boolean,
): Promise<{ readonly ours: number; readonly native?: number }> => {
  const hand = bench ? await byHand() : '';
  if (typeof hand === 'string') return { ours: interleavedMedians([ours], Math.min(samples, 5))[0] };
  const [mine, native] = interleavedMedians([ours, hand.run], samples);
  hand.close();
  return { ours: mine, native };
};

/** Lines of our kernels and of the C++ by hand, where the sources are at hand. */
const lineCounts = (name: string): { readonly lines: number; readonly linesByHand: number } | undefined => {
  try {
    const ours = new URL(`../../../src/fields/${name}/kernels.ts`, import.meta.url);
    return {
      lines: linesOfCode(readFileSync(fileURLToPath(ours), 'utf8')),
      linesByHand: linesOfCode(readFileSync(join(NATIVE_FIELDS, `${name}.cpp`), 'utf8')),
    };
  } catch {
    return undefined;
  }
};
