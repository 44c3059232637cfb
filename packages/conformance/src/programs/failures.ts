import { type Buffer, type Builder, buildKernel, declareBuffer, makeModule } from '@filigree/ir';
import type { Program } from '../program.js';

/** Runs that must end in a diagnostic: no number, no crash of the process, no hang. */
export const failurePrograms = (): readonly Program[] => [
  ...(['i32', 'u32', 'i64', 'u8'] as const).flatMap((t) => [
    fails(`division of ${t} by zero`, [declareBuffer('x', t, 2, 'input'), declareBuffer('y', t, 2, 'output')], (b) =>
      b.store('y', b.div(b.constant(1, t), b.load('x', b.i32(0))), b.i32(0)),
    ),
    fails(
      `remainder of ${t} by zero in a parallel loop`,
      [declareBuffer('x', t, 64, 'input'), declareBuffer('y', t, 64, 'output')],
      (b) =>
        b.for(b.i32(0), b.i32(64), b.i32(1), { parallel: true }, [], (i) =>
          b.store('y', b.rem(b.constant(1, t), b.load('x', i)), i),
        ),
    ),
  ]),
  fails('a step of zero', [declareBuffer('step', 'i32', 1, 'input'), declareBuffer('y', 'i32', 8, 'output')], (b) =>
    b.for(b.i32(0), b.i32(8), b.load('step', b.i32(0)), {}, [], (i) => b.store('y', i, i)),
  ),
  fails(
    'a step of zero in a parallel loop',
    [declareBuffer('step', 'i32', 1, 'input'), declareBuffer('y', 'i32', 8, 'output')],
    (b) => b.for(b.i32(0), b.i32(8), b.load('step', b.i32(0)), { parallel: true }, [], (i) => b.store('y', i, i)),
  ),
];

const fails = (name: string, buffers: readonly Buffer[], body: (b: Builder) => void): Program => ({
  name,
  module: makeModule('m', buffers, [buildKernel('k', {}, (b) => void body(b), buffers)]),
  inputs: {},
  fails: true,
});
