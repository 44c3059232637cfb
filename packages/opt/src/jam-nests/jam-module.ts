import {
  byteSize,
  SCRATCH_BYTES,
  walk,
  type Buffer,
  isVector,
  lanesOf,
  makeValue,
  mapKernels,
  rewriteOps,
  opWith,
  scalarOf,
  type Builder,
  type Dialect,
  type Module,
  type Op,
  type Region,
  type Replacement,
  type RewriteContext,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { constantIn } from '../support/constant-in.js';
import { factsOf, type Facts } from '../support/facts.js';
import { attrsOfParts, indexConstant, unitChunks } from '../support/split-loop.js';
import { terminatorOf } from '../support/values.js';
import { isNestOfSums, sumsOf } from './sums-of.js';

/** Sums that are in registers at once, and iterations that go together at most: the other registers are for what is added. So many sums do not wait for each other, and what they share is loaded for each of them once. */
const roomFor = (bytes: number): { readonly sums: number; readonly together: readonly number[] } =>
  /* Processors with vectors of 64 bytes have 32 registers, those with smaller ones 16. */
  bytes < 64 ? { sums: 8, together: [4, 2] } : { sums: 16, together: [8, 4, 2] };

/** Bytes of the vector that a sum of numbers becomes, see `vectorize`. */
const VECTOR = 64;

/** Takes iterations of the loops of a module together, see `jamNests`. */
export const jamModule = (module: Module, dialects: readonly Dialect[], bytes: number): Module => {
  const facts = factsOf(dialects);
  const scratch = new Map(module.buffers.flatMap((b) => (b.role === 'scratch' ? [[b.name, b] as const] : [])));
  const times = new Map<string, number>();
  const grow = (name: string, by: number): void => void times.set(name, Math.max(by, times.get(name) ?? 1));
  const jammed = mapKernels(module, (k) =>
    rewriteOps(
      k,
      dialects,
      (op, ctx) => (isNestOfSums(op) ? jamLoop(op, ctx, facts, bytes, { scratch, grow }) : undefined),
      module.buffers,
    ),
  );
  const grown = (b: Buffer): Buffer => ({ ...b, length: b.length * times.get(b.name)! });
  return times.size === 0
    ? jammed
    : { ...jammed, buffers: jammed.buffers.map((b) => (times.has(b.name) ? grown(b) : b)) };
};

/** Scratch buffers, and how many times their length they are to have. */
interface Room {
  readonly scratch: ReadonlyMap<string, Buffer>;
  readonly grow: (buffer: string, times: number) => void;
}

/** Several iterations of a parallel loop at once, with their sums; nothing where that cannot be, or would gain nothing. */
const jamLoop = (
  loop: Op,
  ctx: RewriteContext,
  facts: Facts,
  bytes: number,
  { scratch, grow }: Room,
): Replacement | undefined => {
  const [region] = loop.regions as readonly [Region];
  const sums = sumsOf(region);
  const own = dependentIn(region, scratch);
  if (!sums || !goTogether(region, own, facts) || !sharesLoads(sums, own)) return undefined;
  const registers = sums.results.reduce(
    (n, { type }) => n + Math.ceil((isVector(type) ? byteSize(scalarOf(type)) * lanesOf(type) : VECTOR) / bytes),
    0,
  );
  const constantOf = (v: Value): Scalar | undefined => constantIn(v, ctx.definition, facts);
  const room = roomFor(bytes);
  const used = scratchIn(loop, scratch);
  const together = room.together.find(
    (n) =>
      n * registers <= room.sums &&
      used.every(({ type, length }) => n * length * byteSize(type) <= SCRATCH_BYTES) &&
      unitChunks(loop, n, facts, constantOf)?.isEven === true,
  );
  if (together === undefined) return undefined;
  for (const { name } of used) grow(name, together);
  return ctx.build((b) => {
    b.loc = loop.loc;
    const [lower, upper] = loop.operands as readonly [Value, Value];
    b.for(lower, upper, indexConstant(b, loop, BigInt(together)), attrsOfParts(loop), [], (first) => {
      const copies = Array.from({ length: together }, (_, number): Copy => {
        const at = number === 0 ? first : b.add(first, indexConstant(b, loop, BigInt(number)));
        return { number, values: new Map([[region.params[0]!.id, at]]) };
      });
      new Jam(b, ctx, own, scratch, sums).region(region, copies);
    });
    return [];
  });
};

const scratchIn = (loop: Op, scratch: ReadonlyMap<string, Buffer>): readonly Buffer[] => {
  const found = new Set<Buffer>();
  walk(loop.regions[0]!, (op) => {
    const buffer = scratch.get(bufferOf(op));
    if (buffer) found.add(buffer);
  });
  return [...found];
};

const bufferOf = ({ attrs }: Op): string => String(attrs['buffer'] ?? '').slice(1);

/** The values in a region that follow from its parameters, that its loops carry, or that were kept in memory of an iteration's own. */
const dependentIn = (region: Region, scratch: ReadonlyMap<string, Buffer>): ReadonlySet<number> => {
  const found = new Set<number>(region.params.map((p) => p.id));
  const visit = ({ ops }: Region): void => {
    for (const op of ops) {
      for (const { params } of op.regions) for (const p of params.slice(1)) found.add(p.id);
      op.regions.forEach(visit);
      if (op.regions.length > 0 || scratch.has(bufferOf(op)) || op.operands.some((v) => found.has(v.id)))
        for (const r of op.results) found.add(r.id);
    }
  };
  visit(region);
  return found;
};

/** Whether inner loops are the same for all iterations, and nothing is done in them but computing, loading and storing. */
const goTogether = (region: Region, own: ReadonlySet<number>, facts: Facts): boolean =>
  region.ops.every((op) => {
    if (op.regions.length > 0)
      return (
        op.name === 'scf.for' &&
        !op.operands.slice(0, 3).some((v) => own.has(v.id)) &&
        op.regions.every((r) => goTogether(r, own, facts))
      );
    return facts.terminator(op) || facts.pure(op) || op.name === 'mem.load' || op.name === 'mem.store';
  });

/** Whether iterations load for their sums what is the same for all of them. */
const sharesLoads = (sums: Op, own: ReadonlySet<number>): boolean =>
  sums.regions[0]!.ops.some(
    (op) =>
      op.name === 'mem.load' &&
      (isVector(op.results[0]!.type) || !isVector(sums.results[0]!.type)) &&
      !own.has(op.operands[0]!.id),
  );

/** An iteration of those that go together, and what stands for its values. */
interface Copy {
  readonly number: number;
  readonly values: Map<number, Value>;
}

/** Appends several iterations, op by op: what is the same for all of them once. */
class Jam {
  constructor(
    private readonly b: Builder,
    private readonly ctx: RewriteContext,
    private readonly own: ReadonlySet<number>,
    private readonly scratch: ReadonlyMap<string, Buffer>,
    private readonly sums: Op,
  ) {}

  region({ ops }: Region, copies: readonly Copy[]): void {
    for (const op of ops.slice(0, -1)) {
      this.b.loc = op.loc;
      if (op.regions.length > 0) {
        /* Loops that add up nothing share nothing. */
        const adds = op === this.sums || sumsOf({ params: [], ops: [op] }) === this.sums;
        for (const together of adds ? [copies] : copies.map((copy) => [copy])) this.loop(op, together);
        continue;
      }
      const each = op.results.some((r) => this.own.has(r.id)) || op.name === 'mem.store' ? copies : copies.slice(0, 1);
      for (const copy of each) {
        const results = op.results.map((r) => makeValue(this.ctx.ids.next(), r.type, r.hint));
        this.b.append(opWith(op, { operands: this.operands(op, copy), results }));
        for (const other of each.length === 1 ? copies : [copy])
          op.results.forEach((r, n) => other.values.set(r.id, results[n]!));
      }
    }
  }

  /** Each iteration has its own part of scratch buffers. */
  private operands(op: Op, { number, values }: Copy): readonly Value[] {
    const operands = op.operands.map((v) => values.get(v.id) ?? v);
    const buffer = this.scratch.get(bufferOf(op));
    const index = operands.at(-1)!;
    if (!buffer || number === 0) return operands;
    const { b } = this;
    const by = number * buffer.length;
    return [...operands.slice(0, -1), b.add(index, b.constant(index.type === 'i64' ? BigInt(by) : by, index.type))];
  }

  /** A loop that goes through the iterations of several at once, and carries what each of them does. */
  private loop(loop: Op, copies: readonly Copy[]): void {
    const [first] = copies as readonly [Copy];
    const [lower, upper, step] = loop.operands.slice(0, 3).map((v) => first.values.get(v.id) ?? v) as [Value, Value, Value]; // prettier-ignore
    const [region] = loop.regions as readonly [Region];
    const begin = copies.flatMap(({ values }) => loop.operands.slice(3).map((v) => values.get(v.id) ?? v));
    const carries = loop.results.length;
    const results = this.b.for(lower, upper, step, attrsOfParts(loop), begin, (counter, carried) => {
      copies.forEach(({ values }, n) => {
        values.set(region.params[0]!.id, counter);
        region.params.slice(1).forEach((p, k) => values.set(p.id, carried[n * carries + k]!));
      });
      this.region(region, copies);
      return copies.flatMap(({ values }) => terminatorOf(region).operands.map((v) => values.get(v.id) ?? v));
    });
    copies.forEach(({ values }, n) => loop.results.forEach((r, k) => values.set(r.id, results[n * carries + k]!)));
  }
}
