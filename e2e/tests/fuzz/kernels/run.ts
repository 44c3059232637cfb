import type { Backend } from '@filigree/backend';
import { DiagnosticError } from '@filigree/ir';
import { lowerKernels } from '@filigree/lang/kernels';
import {
  bitArray,
  bitStruct,
  dense,
  dynamic,
  field,
  hash,
  i,
  ij,
  j,
  kernel,
  layout,
  program,
  stored,
  type Axes,
  type Branch,
  type FieldDecl,
  type KernelDef,
  type Layout,
} from 'filigree';
import type { Placeable } from '@filigree/sparse/fields';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { FieldCode, KernelCode, TableCode, TreeCode } from './code.js';
import { evaluate, type Outcome } from './evaluate.js';
import { formatOf } from './formats.js';
import { ARRAYS, printFunction, wordsOf } from './print.js';
import { sameScalar, type Scalar } from './scalars.js';
import { onStore } from './on-store.js';
import type { Running } from './running.js';
import { ListFull, placesOf, windowOf } from './state.js';

/** On what kernels run; `store` is no backend: ops on fields by their meaning, which no pass has lowered. */
export interface Target {
  readonly name: string;
  readonly backend: Backend | string;
  readonly threads: number;
  readonly fastMath: boolean;
  /** Passes to switch off. */
  readonly ablate?: readonly string[];
}

/** What a kernel did other than it should. */
export interface Fault {
  readonly kernel: KernelCode;
  readonly target: Target;
  readonly what: string;
}

/**
 * Compiles kernels into one program, launches each once, and compares all elements, which of them are active, and what the
 * kernels return, with their evaluation. Rejects with what the program is refused for.
 */
export const runKernels = async (kernels: readonly KernelCode[], target: Target): Promise<readonly Fault[]> => {
  const declared = declaredBy(kernels);
  const faultsOf = (sim: Running, k: KernelCode, room = Infinity): readonly Fault[] => {
    const what = launched(sim, k, room, target.fastMath);
    return what === undefined ? [] : [{ kernel: k, target, what }];
  };
  if (target.backend === 'store')
    return kernels.flatMap((k) => faultsOf(onStore(k.name, defined(k, declared), layoutOf([k], declared)), k));
  const sim = await program({
    layout: layoutOf(kernels, declared),
    kernels: Object.fromEntries(kernels.map((k) => [k.name, defined(k, declared)])),
    backend: target.backend,
    threads: target.threads,
    fastMath: target.fastMath,
    ablate: target.ablate ?? [],
    cache: false,
    budget: 2 ** 22,
  });
  try {
    const room = Math.min(...sim.storage.nodes.flatMap(({ pool }) => (pool ? [pool.capacity] : [])));
    return kernels.flatMap((k) => faultsOf(sim as unknown as Running, k, room));
  } finally {
    sim.dispose();
  }
};

/** What the front end refuses a kernel for: the code of the first diagnostic. */
export const refusalOf = (k: KernelCode): string | undefined => {
  const declared = declaredBy([k]);
  const lowered = lowerKernels({ [k.name]: defined(k, declared) }, layoutOf([k], declared));
  return isLeft(lowered) ? lowered.left[0].code : undefined;
};

type Declared = ReadonlyMap<string, FieldDecl>;

const declaredBy = (kernels: readonly KernelCode[]): Declared =>
  new Map(kernels.flatMap((k) => k.trees.flatMap((t) => t.fields.map((f) => [f.name, declare(f)] as const))));

const layoutOf = (kernels: readonly KernelCode[], declared: Declared): Layout =>
  layout(...kernels.flatMap((k) => k.trees.map((t) => branchOf(t, declared))));

/**
 * @param room for how many cells there is memory: of more, a launch may say that it has none
 * @param unsigned whether zeros have no sign, as with fast math
 */
const launched = (sim: Running, k: KernelCode, room: number, unsigned: boolean): string | undefined => {
  const expected = expectedOf(k);
  try {
    for (const f of k.trees.flatMap((t) => t.fields))
      for (const [at, value] of f.start)
        sim.fields[f.name].set(at, typeof value === 'bigint' && isLong(f.type) ? value : Number(value));
    const result = sim.run[k.name](...k.params.map((p) => (isLong(p.type) ? p.value : Number(p.value))));
    return expected === 'list-full'
      ? 'a list is full, and nobody says so'
      : difference(sim, k, expected, result, unsigned);
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    const [{ code }] = e.diagnostics;
    if (expected === 'list-full' ? code === 'launch/list-full' : code === 'launch/exhausted' && expected.cells > room)
      return undefined;
    return `the launch is refused: ${e.message}`;
  }
};

const expectedOf = (k: KernelCode): Outcome | 'list-full' => {
  try {
    return evaluate(k);
  } catch (e) {
    if (e instanceof ListFull) return 'list-full';
    throw e;
  }
};

const isLong = (type: string): boolean => type === 'i64' || type === 'u64';

const difference = (
  sim: Running,
  k: KernelCode,
  expected: Outcome,
  result: Scalar,
  unsigned: boolean,
): string | undefined => {
  for (const t of k.trees) {
    const places = placesOf(t);
    const window = windowOf(t);
    const box = { from: window.map(([from]) => from), to: window.map(([, to]) => to) };
    for (const f of t.fields) {
      const all = expected.fields.get(f.name)!;
      const values = sim.fields[f.name].toArray(box);
      for (let n = 0; n < places.length; n++) {
        const at = places[n];
        const { value, active } = all[n];
        const found = values[n];
        if (!agree(found, value, unsigned))
          return `${f.name} at (${at.join(', ')}) is ${text(found)}, not ${text(value)}`;
        if (sim.fields[f.name].isActive(at) !== active)
          return `${f.name} at (${at.join(', ')}) is ${active ? 'not active' : 'active'}`;
      }
    }
  }
  return expected.result === undefined || agree(result, expected.result, unsigned)
    ? undefined
    : `it returns ${text(result)}, not ${text(expected.result)}`;
};

/* The host gives whole numbers of up to 53 bits as numbers. */
const agree = (found: Scalar, value: Scalar, unsigned: boolean): boolean =>
  (unsigned && found === value) ||
  sameScalar(
    typeof found === typeof value ? found : Number(found) + 0,
    typeof found === typeof value ? value : Number(value) + 0,
  );

const text = (x: Scalar): string => (Object.is(x, -0) ? '-0' : String(x));

const declare = ({ name, type, ambient }: { name: string; type: string; ambient: number }): FieldDecl =>
  field(name, type as 'f32', { ambient });

const branchOf = (tree: TreeCode, declared: Declared): Branch => {
  const inner = tree.levels.at(-1)!;
  const branch = tree.levels.reduce<Branch | undefined>((above, { kind, axes, extents }) => {
    if (kind === 'bits') return above;
    const on = onAxes(axes);
    if (kind === 'hash') return hash(on, 64);
    if (kind === 'dynamic') {
      const list = on as typeof i;
      return above ? above.dynamic(list, extents[0]) : dynamic(list, extents[0]);
    }
    const node = above ? above.dense(on, extents) : dense(on, extents);
    return kind === 'dense' ? node : node[kind]();
  }, undefined)!;
  if (inner.kind !== 'bits') return branch.place(...placeablesOf(tree.fields, declared));
  const [on, extents] = [onAxes(inner.axes), inner.extents];
  return branch.fork(
    ...tree.fields.map((f) => bitArray(on, extents, inner.word!).place(...placeablesOf([f], declared))),
  );
};

/** What fields are placed as, those of one word together. */
const placeablesOf = (fields: readonly FieldCode[], declared: Declared): readonly Placeable[] =>
  wordsOf(fields).map(([first, ...others]) => {
    const declaration = declared.get(first.name)!;
    if (!first.stored) return declaration;
    const { struct, format } = first.stored;
    if (!struct) return stored(declaration, formatOf(format));
    const all = [first, ...others].map((f) => stored(declared.get(f.name)!, formatOf(f.stored!.format)));
    return bitStruct(struct.bits, ...all);
  });

const onAxes = (axes: readonly number[]): Axes => (axes.length === 2 ? ij : axes[0] === 0 ? i : j);

const defined = (k: KernelCode, declared: Declared): KernelDef => {
  const args = [...k.trees.flatMap((t) => t.fields.map((f) => declared.get(f.name)!)), ...k.params.map((p) => p.type)];
  const scope = Object.fromEntries(k.tables.map((t) => [t.name, tableOf(t)]));
  const made = new Function(`'use strict'; return (${printFunction(k)})`)() as unknown;
  return (kernel as unknown as (args: unknown, options: unknown, fn: unknown) => KernelDef)(args, { scope }, made);
};

const tableOf = ({ type, plain, values }: TableCode): unknown => {
  if (plain) return values.map(Number);
  const make = (globalThis as unknown as Record<string, { of: (...items: Scalar[]) => unknown }>)[ARRAYS[type]];
  return make.of(...values.map((v) => (isLong(type) ? v : Number(v))));
};
