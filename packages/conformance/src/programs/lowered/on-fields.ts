import {
  type Attrs,
  type Buffer,
  type Builder,
  type Value,
  buildKernel,
  coreDialects,
  makeModule,
  orThrow,
  pipeline,
} from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import { quantPasses } from '@filigree/quant';
import { ArenaStore } from '@filigree/sparse/meaning';
import { type Layout, axesOf, fieldDialect, snodeDialect, storageOf } from '@filigree/sparse/fields';
import { type LoopGrain, lowerFields } from '@filigree/sparse/lowering';
import type { Program } from '../../program.js';

/** For whom kernels on fields are lowered. */
export interface Target {
  readonly name: string;
  readonly grain?: LoopGrain;
}

/**
 * A processor of a few threads, and a device of thousands that go in step and in teams: every backend runs what is lowered for either, with fences for
 * those that need them.
 */
export const targets: readonly Target[] = [
  { name: 'a processor' },
  {
    name: 'a device',
    grain: { tasks: 1 << 16, least: 1, most: 64, hands: 1, team: { threads: 64, sharedBytes: 16 * 1024 } },
  },
];

/** Kernels on the fields of a layout, which are launched in order, and what they write besides. */
export interface OnFields {
  readonly name: string;
  readonly layout: Layout;
  readonly buffers: readonly Buffer[];
  readonly kernels: Readonly<Record<string, (b: Builder) => void>>;
}

/** The program on the memory of the layout. Which thread is given which cell is left open, so that only what kernels make of it is compared. */
export const lowered = ({ name, layout, buffers: own, kernels }: OnFields, { name: whom, grain }: Target): Program => {
  const storage = storageOf(layout, { budget: 1 << 16 });
  const buffers = [...storage.buffers, ...own];
  const dialects = [...coreDialects, fieldDialect(layout), snodeDialect(layout)];
  const built = Object.entries(kernels).map(([k, body]) => buildKernel(k, {}, (b) => body(b), buffers, { dialects }));
  const team = grain?.team?.threads;
  const lower = pipeline([
    lowerFields(storage, { fences: true, ...(grain ? { grain } : {}), ...quantPasses(storage) }),
    defaultPipeline({ fastMath: false, ...(team === undefined ? {} : { team }) }),
  ]);
  return {
    name: `${name}, lowered for ${whom}`,
    module: orThrow(lower.run(makeModule('lowered', buffers, built))),
    inputs: new ArenaStore(storage).buffers,
    compared: own.map((b) => b.name),
  };
};

/** A parallel loop over the numbers below `end`. */
export const range = (b: Builder, end: number, body: (n: Value) => void): void =>
  void b.for(b.i32(0), b.i32(end), b.i32(1), { parallel: true }, [], body);

/** A loop over the active elements of a node. */
export const over = (
  b: Builder,
  of: Layout,
  node: number,
  body: (...coordinates: readonly Value[]) => void,
  attrs: Attrs = {},
): void => {
  const { region } = b.region(
    axesOf(of, node).map(() => ({ type: 'i32' as const })),
    (coordinates) => body(...coordinates),
  );
  b.op('field.for', [], { node: of.nodes[node]!.name, ...attrs }, [region]);
};

export const load = (b: Builder, field: string, ...at: readonly Value[]): Value => b.value('field.load', at, { field });

export const store = (b: Builder, field: string, value: Value, ...at: readonly Value[]): void =>
  void b.op('field.store', [value, ...at], { field });

export const add = (b: Builder, field: string, value: Value, ...at: readonly Value[]): void =>
  void b.value('field.atomic', [value, ...at], { field, kind: 'add' });
