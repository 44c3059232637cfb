import { type Buffer, type Dialect, type Kernel, type Module, type Op, freshIds, opTable, walk } from '@filigree/ir';
import { carrierOf, leave, take, uniqueName } from '@filigree/opt';

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
    racing.flatMap((op) => op.results).map((v) => [v.id, carrierOf(v, uniqueName(`${kernel.name}_v${v.id}`, taken))]),
  );
  const store = (op: Op): readonly Op[] => op.results.flatMap((v) => leave(v, carried.get(v.id)!, ids));
  const load = (op: Op): readonly Op[] => op.results.flatMap((v) => take(v, carried.get(v.id)!, ids));
  const withOps = (name: string, ops: readonly Op[]): Kernel => ({ ...kernel, name, body: { ...kernel.body, ops } });
  return {
    kernels: [
      withOps(uniqueName(`${kernel.name}_reads`, taken), [
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
