import { fail, type Diagnostics } from '@filigree/ir';
import { lifecycle } from '../lifecycle.js';
import { inputValues } from '../input-values.js';
import type { PatternData, TracedData } from './artifact-data.js';
import { loadCodeOf, type LoadCodeOptions } from './load-code.js';

/** A traced program that was compiled elsewhere. */
export interface OpenedTraced {
  /** Views of its memory: write these, run, read `outputs`. */
  readonly inputs: Readonly<Record<string, Float32Array | Float64Array>>;
  readonly outputs: Readonly<Record<string, Float32Array | Float64Array>>;
  /** Patterns of those inputs and outputs that are sparse matrices. */
  readonly patterns: Readonly<Record<string, OpenedPattern>>;
  /** Copies values, or the one number, into an input. Errors: `program/unknown-input`, `program/length`, `program/values`. */
  readonly set: (name: string, values: ArrayLike<number> | number) => void;
  readonly run: () => void;
  /** The same without blocking, where threads are there that can run it. */
  readonly runAsync: () => Promise<void>;
  readonly dtype: 'f32' | 'f64';
  readonly warnings: Diagnostics;
  readonly dispose: () => void;
}

/** A pattern in compressed rows. */
export type OpenedPattern = Pick<PatternData, 'rows' | 'cols'> & {
  readonly rowPtr: Int32Array;
  readonly colIdx: Int32Array;
};

/** Runs what `tracedBytes` made. Errors: those of `openArtifact`. */
export const openTraced = async (file: Uint8Array, options: LoadCodeOptions): Promise<OpenedTraced> => {
  const { data, variant, executable, partOf } = await loadCodeOf<TracedData>(file, 'traced', options);
  const { dtype, inputs: given, outputs: made, patterns } = data.traced;
  const views = (names: readonly string[]): OpenedTraced['inputs'] =>
    Object.fromEntries(names.map((name) => [name, executable.buffers[name] as Float64Array]));
  const life = lifecycle({ codes: 'program', what: 'the program was', again: 'load it again' }, executable.dispose);
  const listOf = (part: number): Int32Array => new Int32Array(partOf(part).buffer);
  const kernels = variant.kernels.map(({ name }) => name);
  const inputs = views(given);
  return {
    inputs,
    outputs: views(made),
    patterns: Object.fromEntries(
      Object.entries(patterns).map(([name, { rows, cols, rowPtr, colIdx }]) => [
        name,
        { rows, cols, rowPtr: listOf(rowPtr), colIdx: listOf(colIdx) },
      ]),
    ),
    set: (name, values) => {
      life.ready();
      const to = Object.hasOwn(inputs, name)
        ? inputs[name]
        : fail('program/unknown-input', `the program has no input '${name}'`, {
            remedy: `its inputs are ${given.join(', ') || 'none'}`,
          });
      /* The file does not say which shape an input has: lists of lists might be of another. */
      const { length } = to;
      to.set(inputValues(name, values, length, 'give exactly the values of its shape, flat, rows first', [length]));
    },
    run: () => {
      life.ready();
      for (const name of kernels) executable.launch(name, []);
    },
    runAsync: () =>
      life.background(async () => {
        for (const name of kernels) await executable.launchAsync(name, []);
      }),
    dtype,
    warnings: data.warnings,
    dispose: life.dispose,
  };
};
