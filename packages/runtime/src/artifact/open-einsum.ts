import { fail, flatValues, type Diagnostics, type Nested } from '@filigree/ir';
import { lifecycle } from '../lifecycle.js';
import type { EinsumData } from './artifact-data.js';
import { loadCodeOf, type LoadCodeOptions } from './load-code.js';

/** A kernel on tensors that was compiled elsewhere. */
export interface OpenedEinsum {
  readonly tensors: Readonly<Record<string, OpenedTensor>>;
  /** Runs it once. Error: `tensor/argument` where a scalar is missing or not the kernel's. */
  readonly run: (what?: EinsumRun) => void;
  /** The same without blocking, where threads are there that can run it. */
  readonly runAsync: (what?: EinsumRun) => Promise<void>;
  readonly dtype: 'f32' | 'f64';
  readonly warnings: Diagnostics;
  readonly dispose: () => void;
}

/** What a run takes: all scalars of the kernel. */
export interface EinsumRun {
  readonly scalars?: Readonly<Record<string, number>>;
}

/** A tensor's memory. */
export interface OpenedTensor {
  readonly shape: readonly number[];
  /** The memory itself, as it is laid out. */
  readonly data: Float32Array | Float64Array;
  /** Copies all entries, the first index fastest, or as lists of lists. Errors: `tensor/length`, `tensor/values`, `tensor/outside-pattern`, `tensor/constant`. */
  readonly set: (entries: Nested<number>) => void;
  /** All entries, the first index fastest. */
  readonly get: () => Float64Array;
}

/** Runs what `einsumBytes` made. Errors: those of `openArtifact`. */
export const openEinsum = async (file: Uint8Array, options: LoadCodeOptions): Promise<OpenedEinsum> => {
  const { data, executable, partOf } = await loadCodeOf<EinsumData>(file, 'einsum', options);
  const { dtype, kernel, scalars, tensors } = data.einsum;
  const life = lifecycle({ codes: 'tensor', what: 'the kernels were', again: 'load them again' }, executable.dispose);
  const argumentsOf = ({ scalars: given = {} }: EinsumRun): readonly number[] => {
    const wrong =
      Object.keys(given).find((s) => !scalars.includes(s)) ?? scalars.find((s) => typeof given[s] !== 'number');
    if (wrong !== undefined)
      fail(
        'tensor/argument',
        `the kernel ${data.name} ${scalars.includes(wrong) ? 'needs the scalar' : 'takes no'} '${wrong}'`,
        {
          remedy: `run({ scalars: { ${scalars.map((s) => `${s}: …`).join(', ')} } })`,
        },
      );
    return scalars.map((s) => given[s]);
  };
  return {
    tensors: Object.fromEntries(
      Object.entries(tensors).map(([name, { buffer, shape, constant, places }]) => [
        name,
        openedTensor(
          name,
          shape,
          executable.buffers[buffer] as Float64Array,
          constant,
          places === undefined ? undefined : new Int32Array(partOf(places).buffer),
          life.ready,
        ),
      ]),
    ),
    run: (what = {}) => {
      life.ready();
      executable.launch(kernel, argumentsOf(what));
    },
    runAsync: async (what = {}) => {
      const args = argumentsOf(what);
      await life.background(() => executable.launchAsync(kernel, args));
    },
    dtype,
    warnings: data.warnings,
    dispose: life.dispose,
  };
};

const openedTensor = (
  name: string,
  shape: readonly number[],
  data: OpenedTensor['data'],
  constant: boolean,
  places: Int32Array | undefined,
  ready: () => void,
): OpenedTensor => {
  const count = shape.reduce((n, extent) => n * extent, 1);
  const placeOf = (entry: number): number => (places ? places[entry] : entry);
  const check = (entries: ArrayLike<number>): void => {
    if (constant)
      fail('tensor/constant', `the values of ${name} were given when its kernels were compiled`, {
        remedy: 'declare it without values to set them at run time',
      });
    if (entries?.length !== count)
      fail('tensor/length', `${name} has ${count} entries, ${entries?.length ?? String(entries)} were given`, {
        remedy: `give all entries of the shape ${shape.join(' × ') || '1'}, the first index fastest`,
      });
    for (let e = 0; e < count; e++) {
      if (typeof entries[e] !== 'number')
        fail('tensor/values', `entry ${e} of ${name} is no number`, { remedy: 'give numbers, in a flat array' });
      if (entries[e] !== 0 && placeOf(e) === OUTSIDE)
        fail('tensor/outside-pattern', `entry ${e} of ${name} is ${entries[e]}, and by its pattern it is zero`, {
          remedy: 'give zero there, or declare the tensor with a pattern that has this entry',
        });
    }
  };
  return {
    shape,
    data,
    set: (given) => {
      ready();
      const entries = flatValues(name, 'tensor/length', given, shape, 'firstFastest');
      check(entries);
      data.fill(0);
      for (let e = 0; e < count; e++) if (placeOf(e) >= 0) data[placeOf(e)] = entries[e];
    },
    get: () => {
      ready();
      return Float64Array.from({ length: count }, (_, e) => (placeOf(e) < 0 ? 0 : data[placeOf(e)]));
    },
  };
};

const OUTSIDE = -2;
