import {
  allocateArray,
  coreDialects,
  interpret,
  pipelineText,
  type Module,
  type Pass,
  type Scalar,
  type TypedArray,
  verify,
} from '@filigree/ir';
import { corePassesOver } from '@filigree/opt';
import type { ArenaStore } from '@filigree/sparse/meaning';
import type { FieldStore } from '@filigree/sparse/meaning';
import {
  ambientOf,
  fieldDialect,
  fieldDialects,
  isSparse,
  snodeDialect,
  STATUS,
  type FieldOps,
  type Layout,
  type Storage,
} from '@filigree/sparse/fields';
import { fieldPasses } from '@filigree/sparse/lowering';
import { right } from './support.js';

/** Zeros for the buffers of a module that are not the arena's, and that the host gives. */
export const ownBuffers = (module: Module): Record<string, TypedArray> =>
  Object.fromEntries(
    module.buffers
      .filter((b) => b.memory === undefined && ['input', 'output', 'inout'].includes(b.role))
      .map((b) => [b.name, allocateArray(b.type, b.length)]),
  );

type Buffers = Readonly<Record<string, TypedArray>>;

/** Runs a kernel on fields as it is. */
export const runOnFields = (
  module: Module,
  store: FieldStore,
  buffers: Buffers,
  kernel: string,
  args: readonly Scalar[],
): void => {
  const dialects = [...coreDialects, fieldDialect(store.layout, store), snodeDialect(store.layout)];
  right(interpret(module, dialects, buffers, { kernel, args }));
};

/** Runs a kernel of a module that may be lowered in part, or altogether. */
export const runInArena = (
  module: Module,
  store: ArenaStore,
  buffers: Buffers,
  kernel: string,
  args: readonly Scalar[],
): void => {
  const { storage } = store;
  const arena = Object.fromEntries(
    module.buffers.filter((b) => b.memory === storage.memory).map((b) => [b.name, store.buffers[b.name]]),
  );
  right(interpret(module, fieldDialects(storage.layout, store), { ...buffers, ...arena }, { kernel, args: [...args] }));
  store.settle();
};

/** What fields hold, in words that do not depend on where they lie. */
export const contentsOf = (layout: Layout, store: FieldOps): Readonly<Record<string, readonly string[]>> => {
  const named = (name: string, list: readonly string[]): readonly [string, readonly string[]] => [
    name,
    [...list].sort(),
  ];
  return Object.fromEntries([
    ...[...layout.fields.values()].map(({ field, path }) =>
      named(
        `values of ${field.name}`,
        store
          .active(path.at(-2) ?? 0)
          .map((at) => [at, store.load(field.name, at)] as const)
          .filter(([, value]) => value !== ambientOf(layout, field.name))
          .map(([at, value]) => `[${at.join()}] ${String(value)}`),
      ),
    ),
    ...layout.nodes.filter(isSparse).map((n) =>
      named(
        `active ${n.name}`,
        store.active(n.id).map((at) => at.join()),
      ),
    ),
    ...layout.nodes
      .filter((n) => n.kind === 'dynamic')
      .map((n) =>
        named(
          `lengths of ${n.name}`,
          store
            .active(n.parent)
            .map((at) => `[${at.join()}] ${store.length(n.id, at)}`)
            .filter((text) => !text.endsWith(' 0')),
        ),
      ),
  ]);
};

/** Every pass on fields in order, what is equal shared in between, as text. */
export const everyStep: readonly string[] = [
  'debug-checks',
  'flatten-branches',
  'lower-loops',
  'lower-access',
  'cse',
  'guard-multiples',
  'read-edges',
  'split-loops',
  'resolve-digits',
  'merge-accesses',
  'hoist-accesses',
  'forward-values',
  'dce',
  'batch-activations',
  'prefetch-slots',
  'lower-snodes',
];

/** The module before the first of the steps, and after each of them. */
export const stages = (
  module: Module,
  storage: Storage,
  steps: readonly (string | Pass<Module>)[] = everyStep,
): readonly (readonly [step: string, module: Module])[] => {
  const dialects = fieldDialects(storage.layout);
  const known = { ...corePassesOver(dialects), ...fieldPasses(storage) };
  let last = module;
  return [
    ['as written', module] as const,
    ...steps.map((step) => {
      const pass = typeof step === 'string' ? known[step]({}) : step;
      last = right(verify(dialects).run(right(pass.run(last))));
      return [pipelineText(pass), last] as const;
    }),
  ];
};

/** What a store of maps says happened. */
export const statusOf = (store: FieldStore): number => store.trouble?.status ?? STATUS.fine;
