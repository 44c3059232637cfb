import type { Sources } from '@filigree/backend';
import type { DeviceBuffer } from '@filigree/backend/device';
import {
  DiagnosticError,
  fail,
  readOnly,
  type Arithmetic,
  type Diagnostics,
  type Nested,
  type TypedArray,
} from '@filigree/ir';
import { comparePatterns, type Csr, type CsrPattern } from '@filigree/sparse/formats';
import { inputValues, lifecycle } from '@filigree/runtime';
import type { Built, Stage } from './build.js';
import { requirePattern } from './check-pattern.js';

/** Inputs and outputs in the scalar type the program was compiled for. */
export type NumericArray = Float32Array | Float64Array;

/** What compiling found and cost. */
export interface CompileStats {
  /** Nodes of the expression graph. */
  readonly nodes: number;
  readonly kernels: number;
  /** Kernels that one run launches. */
  readonly launches: number;
  /** Bytes of index tables that a run reads. */
  readonly indexBytes: number;
  /** Milliseconds; `compile` includes loading. */
  readonly ms: Readonly<Record<Stage, number>>;
  /** The file of the compiled code, where the backend keeps one. */
  readonly artifact?: string;
}

/**
 * A program that runs natively on its memory. `inputs` and `outputs` are views into that memory, valid until `dispose`, where the
 * host sees it: write inputs, `run`, read outputs; nothing is copied. After `dispose` every method is `program/disposed`. `I` and `O` are the
 * names of inputs and outputs, where they are known.
 */
export interface CompiledProgram<I extends string = string, O extends string = string> {
  readonly inputs: Readonly<Record<I, NumericArray>>;
  readonly outputs: Readonly<Record<O, NumericArray>>;
  /** Patterns of those inputs and outputs that are sparse matrices. */
  readonly patterns: Readonly<Record<string, CsrPattern>>;
  /** Copies values, flat, rows first, or in lists of lists, or the one number, into an input. Errors: `program/unknown-input`, `program/length`, `program/values`. */
  readonly set: (name: string, values: Nested<number> | number) => void;
  /** Copies the values of a matrix that has exactly the compiled pattern; else `pattern/mismatch`, `program/pattern`. */
  readonly setMatrix: (name: string, matrix: Csr<ArrayLike<number>>) => void;
  /**
   * An input or output in memory, which another program can be bound to: `compile(next, { bind: { x: this.buffer('y') } })`. Error:
   * `run/buffer`.
   */
  readonly buffer: (name: string) => DeviceBuffer;
  /** A sparse input or output with its pattern; the values are the view. */
  readonly matrix: (name: string) => Csr<NumericArray>;
  readonly run: (options?: { readonly threads?: number }) => void;
  /**
   * The same off the main thread where the backend can, after all runs that were begun before; inputs must not be written until
   * it resolves, and `set` and `run` are `program/busy` so long.
   */
  readonly runAsync: (options?: { readonly threads?: number }) => Promise<void>;
  readonly backend: string;
  readonly dtype: 'f32' | 'f64';
  /** How close results stay to those of the plain function. */
  readonly arithmetic: Arithmetic;
  readonly sources: Sources;
  /** What went less well than it should, such as a cache folder that cannot be written. */
  readonly warnings: Diagnostics;
  readonly stats: CompileStats;
  readonly dispose: () => void;
}

/** What `build` made, as users hold it. */
export const compiledProgram = ({
  trace,
  specialized,
  instance,
  warnings,
  dtype,
  arithmetic,
  ms,
}: Built): CompiledProgram => {
  const views = (names: readonly string[]): Readonly<Record<string, NumericArray>> =>
    /* Where the host does not see the memory, asking for a view says so; where launches wait, it ends the waiting. */
    instance.memory.mapped && instance.waits !== true
      ? Object.fromEntries(names.map((name) => [name, numeric(instance.buffers[name])]))
      : Object.defineProperties(
          {},
          Object.fromEntries(
            names.map((name) => [name, { enumerable: true, get: () => numeric(instance.buffers[name]) }]),
          ),
        );
  const inputs = readOnly(
    views(trace.inputs.map((i) => i.name)),
    'inputs are views of the memory of the program',
    (name) => `write set('${name}', values), or change the view: inputs.${name}.set(values)`,
  );
  const outputs = readOnly(
    views(trace.outputs.map((o) => o.name)),
    'outputs are views of the memory of the program',
    () => 'run() writes them; copy what you want to keep',
  );
  const patterns: Record<string, CsrPattern> = {};
  const shapes = new Map<string, readonly number[]>();
  for (const { name, shape } of trace.inputs)
    if (typeof shape === 'object' && 'rowPtr' in shape) patterns[name] = shape;
    else shapes.set(name, typeof shape === 'number' ? [shape] : shape);
  for (const { name, pattern } of trace.outputs) if (pattern) patterns[name] = pattern;

  const life = lifecycle({ codes: 'program', what: 'the program was', again: 'compile it again' }, instance.dispose);
  const { path: artifact } = instance.artifact;
  const Numbers = dtype === 'f32' ? Float32Array : Float64Array;
  const input = (name: string): DeviceBuffer =>
    Object.hasOwn(inputs, name)
      ? instance.buffer(name)
      : fail('program/unknown-input', `the program has no input '${name}'`, {
          remedy: `its inputs are ${Object.keys(inputs).join(', ') || 'none'}`,
        });
  const set = (name: string, given: Nested<number> | number): void => {
    life.ready();
    const { length, write } = input(name);
    const values = inputValues(
      name,
      given,
      length,
      'give exactly the values of the shape the program was compiled for, rows first; or compile again',
      shapes.get(name),
    );
    write(values instanceof Numbers ? values : Numbers.from(values));
  };
  const patternOf = (name: string): CsrPattern =>
    Object.hasOwn(patterns, name)
      ? patterns[name]
      : fail('program/not-a-matrix', `'${name}' is no sparse matrix of this program`, {
          remedy: `its sparse matrices are ${Object.keys(patterns).join(', ') || 'none'}`,
        });
  const program: CompiledProgram = {
    inputs,
    outputs,
    patterns,
    set,
    setMatrix: (name, matrix) => {
      life.ready();
      input(name);
      const mismatch = comparePatterns(patternOf(name), requirePattern(name, matrix?.pattern), name);
      if (mismatch) throw new DiagnosticError([mismatch]);
      set(name, matrix.values);
    },
    buffer: (name) => {
      life.alive();
      return instance.buffer(name);
    },
    matrix: (name) => {
      life.alive();
      return { pattern: patternOf(name), values: inputs[name] ?? outputs[name] };
    },
    run: (options) => {
      life.ready();
      instance.run(options);
    },
    runAsync: (options) => life.background(() => instance.runAsync(options)),
    backend: instance.backend,
    dtype,
    arithmetic,
    sources: instance.sources,
    warnings,
    stats: {
      nodes: specialized.nodes,
      kernels: specialized.kernels,
      launches: specialized.launches,
      indexBytes: specialized.indexBytes,
      ms,
      ...(artifact === undefined ? {} : { artifact }),
    },
    dispose: life.dispose,
  };
  return readOnly(program, 'a program is what it was compiled to be', (name) =>
    name === 'inputs' ? 'write set(name, values) for each input' : 'compile another',
  );
};

const numeric = (view: TypedArray): NumericArray => {
  if (view instanceof Float32Array || view instanceof Float64Array) return view;
  throw new TypeError('inputs and outputs are floating-point buffers');
};
