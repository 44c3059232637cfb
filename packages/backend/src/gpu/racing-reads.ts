import {
  type Buffer,
  type Dialect,
  type IdSource,
  type Kernel,
  type Module,
  type Op,
  type Value,
  freshIds,
  makeOp,
  makeValue,
  opTable,
  scalarOf,
  walk,
} from '@filigree/ir';

/** What is read before a loop by each of its threads, although the loop changes it: a slow thread would read what a quick one wrote. */
export interface Separated {
  /** Kernels in place of the one given: what reads, on one thread, and the loop, which takes what was read. */
  readonly kernels: readonly [reads: Kernel, loop: Kernel];
  /** What carries values from the first to the second. */
  readonly buffers: readonly Buffer[];
}

/**
 * Separates a kernel whose other ops only compute and read from its parallel loops, if those change what is read. Undefined where nothing
 * races.
 */
export const separateRacingReads = (
  kernel: Kernel,
  loops: readonly Op[],
  dialects: readonly Dialect[],
  { buffers }: Module,
): Separated | undefined => {
  const table = opTable(dialects);
  const touched = (op: Op, kinds: readonly string[]): ReadonlySet<string> => {
    const names = new Set<string>();
    const see = (inner: Op): void => {
      for (const { kind, buffer } of table.get(inner.name)?.effects(inner) ?? [{ kind: 'write', buffer: undefined }])
        if (kinds.includes(kind)) names.add(buffer ?? ANY);
    };
    see(op);
    for (const region of op.regions) walk(region, see);
    return names;
  };
  const changed = new Set(loops.flatMap((loop) => [...touched(loop, ['write', 'atomic'])]));
  const races = (op: Op): boolean => {
    const read = touched(op, ['read']);
    return read.size > 0 && (read.has(ANY) || changed.has(ANY) || [...read].some((b) => changed.has(b)));
  };
  const last = kernel.body.ops.at(-1)!;
  const before = kernel.body.ops.slice(0, kernel.body.ops.indexOf(loops[0]!));
  const racing = before.filter(races);
  if (racing.length === 0) return undefined;

  const taken = new Set([...buffers.map((b) => b.name), kernel.name]);
  const ids = freshIds(kernel);
  const carried = new Map(
    racing.flatMap((op) => op.results).map((v) => [v.id, bufferFor(v, unique(`${kernel.name}_v${v.id}`, taken))]),
  );
  const store = (op: Op): readonly Op[] =>
    op.results.flatMap((v) => {
      const zero = zeroIndex(ids);
      return [zero, makeOp('mem.store', [v, zero.results[0]!], [], { buffer: nameOf(carried, v) }, [], undefined)];
    });
  const load = (op: Op): readonly Op[] =>
    op.results.flatMap((v) => {
      const zero = zeroIndex(ids);
      return [zero, makeOp('mem.load', [zero.results[0]!], [v], { buffer: nameOf(carried, v) }, [], undefined)];
    });
  const withOps = (name: string, ops: readonly Op[]): Kernel => ({ ...kernel, name, body: { ...kernel.body, ops } });
  return {
    kernels: [
      withOps(unique(`${kernel.name}_reads`, taken), [
        ...before.flatMap((op) => (racing.includes(op) ? [op, ...store(op)] : [op])),
        last,
      ]),
      withOps(kernel.name, [...before.flatMap((op) => (racing.includes(op) ? load(op) : [op])), ...loops, last]),
    ],
    buffers: [...carried.values()],
  };
};

/* No buffer has an empty name: any may be meant. */
const ANY = '';

const bufferFor = (v: Value, name: string): Buffer => ({ name, type: scalarOf(v.type), length: 1, role: 'temp' });

const nameOf = (carried: ReadonlyMap<number, Buffer>, v: Value): string => `@${carried.get(v.id)!.name}`;

const zeroIndex = (ids: IdSource): Op =>
  makeOp('arith.constant', [], [makeValue(ids.next(), 'i32', undefined)], { value: 0 }, [], undefined);

const unique = (name: string, taken: Set<string>): string => {
  let result = name;
  for (let i = 2; taken.has(result); i++) result = `${name}_${i}`;
  taken.add(result);
  return result;
};
