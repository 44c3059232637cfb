import koffi from 'koffi';
import { buildLibrary } from '../native/build.js';
import { findCompiler, type Found } from '../native/toolchain.js';

/** The smoke of the gallery with an adjoint by hand, in C++. */
export interface NativeSmoke {
  readonly value: () => number;
  readonly gradient: () => Float64Array;
  readonly close: () => void;
}

export interface SmokeSetup {
  readonly n: number;
  readonly steps: number;
  readonly sweeps: number;
  readonly dtype: 'f32' | 'f64';
  /** The first smoke, the pattern, and first velocities along both axes. */
  readonly dye: Float64Array;
  readonly target: Float64Array;
  readonly velocity: Float64Array;
}

/** Compiles `native/smoke_gradient.cpp`; `missing` says why it cannot be had on this machine. */
export const nativeSmoke = ({ n, steps, sweeps, dtype, dye, target, velocity }: SmokeSetup): Found<NativeSmoke> => {
  const compiler = findCompiler();
  if ('missing' in compiler) return compiler;
  const scalar = dtype === 'f32' ? 'float' : 'double';
  const lib = koffi.load(buildLibrary({ file: 'smoke_gradient.cpp', defines: { SCALAR: scalar } }, compiler.found));
  const numbers = (values: Float64Array): Float32Array | Float64Array =>
    dtype === 'f32' ? Float32Array.from(values) : values;
  const make = lib.func(`void* smoke_new(int, int, int, const ${scalar}*, const ${scalar}*)`);
  const loss = lib.func(`double smoke_loss(void*, const ${scalar}*)`);
  const reverse = lib.func(`double smoke_gradient(void*, const ${scalar}*, _Out_ ${scalar}*)`);
  const free = lib.func('void smoke_free(void*)');
  const handle: unknown = make(n, steps, sweeps, numbers(dye), numbers(target));
  const [v, out] = [numbers(velocity), numbers(new Float64Array(velocity.length))];
  return {
    found: {
      value: () => loss(handle, v) as number,
      gradient: () => {
        reverse(handle, v, out);
        return Float64Array.from(out);
      },
      close: () => {
        free(handle);
        lib.unload();
      },
    },
  };
};
