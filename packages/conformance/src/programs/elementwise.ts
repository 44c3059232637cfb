import {
  type Attrs,
  type Buffer,
  type Builder,
  type ScalarType,
  type TypedArray,
  type Value,
  buildKernel,
  declareBuffer,
  makeModule,
} from '@filigree/ir';
import type { Program } from '../program.js';

/** A result of an element-wise program: its buffer's name and type, and how it comes from the loaded inputs. */
export type Output = readonly [name: string, type: ScalarType, make: (b: Builder, x: readonly Value[]) => Value];

/**
 * One loop over the inputs that stores each output. All ops of one type share a program, so that a suite of a thousand
 * op-and-type pairs compiles in seconds; a failure names the output's buffer, which is named for the op. On `lanes` it is vectors that are loaded, and what fills none
 * is left out.
 */
export const elementwise = (
  name: string,
  inputs: readonly (readonly [name: string, type: ScalarType, data: TypedArray])[],
  outputs: readonly Output[],
  extra: Partial<Program> & { readonly attrs?: Attrs; readonly lanes?: number } = {},
): Program => {
  const { attrs = {}, lanes = 1, ...rest } = extra;
  const length = Math.floor(inputs[0]![2].length / lanes) * lanes;
  const buffers: Buffer[] = [
    ...inputs.map(([n, t]) => declareBuffer(n, t, length, 'input')),
    ...outputs.map(([n, t]) => declareBuffer(n, t, length, 'output')),
  ];
  const kernel = buildKernel(
    'all',
    {},
    (b) => {
      b.for(b.i32(0), b.i32(length), b.i32(lanes), attrs, [], (i) => {
        const x = inputs.map(([n]) => b.load(n, i, lanes));
        for (const [n, , make] of outputs) b.store(n, make(b, x), i);
      });
    },
    buffers,
  );
  return {
    name: lanes === 1 ? name : `${name}, ${lanes} on lanes`,
    module: makeModule('m', buffers, [kernel]),
    inputs: Object.fromEntries(inputs.map(([n, , d]) => [n, d.slice(0, length)])),
    ...rest,
  };
};
