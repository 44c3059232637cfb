import {
  byteSize,
  controlBy,
  coreDialects,
  definitions,
  lanesOf,
  opTable,
  type Dialect,
  type Kernel,
  type Module,
  type Op,
  type Value,
} from '@filigree/ir';

/** What a kernel moves between its memory and its threads, at least, by what its ops say of their accesses. */
export interface ModelledBytes {
  readonly kernel: string;
  readonly bytes: number;
  /** Whether all its loops are known to run so often; of the others one iteration counts. */
  readonly whole: boolean;
}

/**
 * Bytes that the kernels of a lowered module must move: each element that an access names is read once, or written once, or both where it is updated, as
 * often as the loops run on which its index depends, and of no buffer more than there is. Loops run as their constants say, or the number of times that they
 * say they run as a rule. What branches do is done always, and elements that neighbouring iterations share come for each.
 */
export const bytesByModel = (module: Module, dialects: readonly Dialect[] = coreDialects): readonly ModelledBytes[] =>
  module.kernels.map((kernel) => ({ kernel: kernel.name, ...bytesOf(kernel, module, dialects) }));

const bytesOf = (
  kernel: Kernel,
  { buffers }: Module,
  dialects: readonly Dialect[],
): Pick<ModelledBytes, 'bytes' | 'whole'> => {
  const table = opTable(dialects);
  const controlOf = controlBy(table);
  const made = definitions(kernel.body);
  const trips = new Map<Op, number | undefined>();
  /* The loops on which a value depends: those in which it is another one in each iteration. */
  const varies = new Map<number, ReadonlySet<Op>>();
  const moved = new Map<string, number>();
  let whole = true;

  const number = (v: Value | number): number | undefined => {
    if (typeof v === 'number') return v;
    const op = made.get(v.id);
    return op && op.operands.length === 0 && op.regions.length === 0 ? Number(op.attrs['value']) : undefined;
  };
  const tripsOf = (op: Op): number | undefined => {
    const count = controlOf(op)?.count;
    const [from, to, by] = count ? [count.lower, count.upper, count.step].map(number) : [];
    if (from !== undefined && to !== undefined && by !== undefined && by > 0)
      return Math.max(0, Math.ceil((to - from) / by));
    return typeof op.attrs['trips'] === 'number' ? op.attrs['trips'] : undefined;
  };
  const depends = (values: readonly Value[]): ReadonlySet<Op> =>
    new Set(values.flatMap((v) => [...(varies.get(v.id) ?? [])]));
  const note = (key: string, index: ReadonlySet<Op>, bytes: number): void => {
    let times = 1;
    for (const loop of index) {
      const often = trips.get(loop);
      whole &&= often !== undefined;
      times *= often ?? 1;
    }
    moved.set(key, (moved.get(key) ?? 0) + times * bytes);
  };
  const visit = (op: Op, around: readonly Op[]): void => {
    const repeats = controlOf(op)?.edges.some(({ from, to }) => from !== 'start' && to !== 'end') === true;
    const within = repeats ? [...around, op] : around;
    if (repeats) trips.set(op, tripsOf(op));
    for (const region of op.regions) {
      for (const p of region.params)
        varies.set(p.id, repeats ? new Set([...depends(op.operands), op]) : depends(op.operands));
      for (const inner of region.ops) visit(inner, within);
    }
    const inside = op.regions.flatMap((r) => r.ops.at(-1)?.operands ?? []);
    /* What a loop ends with does not change within it. */
    const after = new Set([...depends([...op.operands, ...inside])].filter((loop) => around.includes(loop)));
    for (const v of op.results) varies.set(v.id, after);
    for (const { kind, place, index, count } of table.get(op.name)?.accesses?.(op) ?? []) {
      const buffer = buffers.find((b) => b.name === place);
      if (!buffer || buffer.role === 'scratch' || kind === 'hint') continue;
      const lanes = Math.max(1, ...index.map((v) => lanesOf(v.type)));
      const bytes = lanes * count * byteSize(buffer.type);
      if (kind !== 'write') note(`read ${place}`, depends(index), bytes);
      if (kind !== 'read') note(`write ${place}`, depends(index), bytes);
    }
  };
  for (const op of kernel.body.ops) visit(op, []);
  const lengths = new Map(buffers.map((b) => [b.name, b.length * byteSize(b.type)]));
  const bytes = [...moved].reduce(
    (sum, [key, n]) => sum + Math.min(n, lengths.get(key.slice(key.indexOf(' ') + 1))!),
    0,
  );
  return { bytes: Math.round(bytes), whole };
};
