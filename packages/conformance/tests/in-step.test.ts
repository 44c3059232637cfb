import { atomicsInStep, gpuDialect } from '@filigree/backend/gpu';
import { type Explored, type Protocol, explore } from '@filigree/conformance';
import {
  type Builder,
  type Module,
  type Op,
  type Region,
  type Value,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  mapKernels,
  mapRegions,
  opWith,
  orThrow,
  printModule,
  verifyModule,
  walk,
} from '@filigree/ir';
import { describe, expect, it } from 'vitest';

const dialects = [...coreDialects, gpuDialect];
const buffers = ['n', 'found'].map((name) => declareBuffer(name, 'i32', 4, 'inout'));

/** Each thread runs one iteration of a parallel loop, which does an atomic, and notes what it found. */
const lowered = (atomic: (b: Builder, id: Value) => Value | undefined): Module => {
  const kernel = buildKernel(
    'thread',
    { id: 'i32' },
    (b, { id }) =>
      void b.for(id, b.add(id, b.i32(1)), b.i32(1), { parallel: true }, [], (k) => {
        const found = atomic(b, k);
        if (found) b.store('found', found, k);
      }),
    buffers,
  );
  return orThrow(atomicsInStep(dialects, undefined).run(makeModule('m', buffers, [kernel])));
};

type Memory = (buffer: string, index: number) => number;

interface Case {
  readonly name: string;
  readonly atomic: (b: Builder, id: Value) => Value | undefined;
  readonly wrong: (memory: Memory) => string | undefined;
}

const THREADS = 3;
const ids = Array.from({ length: THREADS }, (_, id) => id);

/** What each took of a counter lies beside what others took, from 0 to the end. */
const apart = (
  memory: Memory,
  took: (id: number) => number,
  of: readonly number[] = ids,
  n = 0,
): string | undefined => {
  let end = 0;
  for (const id of [...of].sort((a, b) => memory('found', a) - memory('found', b))) {
    if (memory('found', id) !== end) return `thread ${id} found ${memory('found', id)} instead of ${end}`;
    end += took(id);
  }
  return memory('n', n) === end ? undefined : `${memory('n', n)} in the end instead of ${end}`;
};

const cases: readonly Case[] = [
  {
    name: 'count',
    atomic: (b) => b.atomic('n', 'add', b.i32(2), b.i32(0)),
    wrong: (memory) => apart(memory, () => 2),
  },
  {
    name: 'scan',
    atomic: (b, id) => b.atomic('n', 'add', b.add(id, b.i32(1)), b.i32(0)),
    wrong: (memory) => apart(memory, (id) => id + 1),
  },
  {
    name: 'fold',
    atomic: (b, id) => {
      b.atomic('n', 'add', b.add(id, b.i32(1)), b.i32(0));
      b.atomic('n', 'add', b.shl(b.i32(1), id), b.i32(1));
      return undefined;
    },
    wrong: (memory) => (memory('n', 0) === 6 && memory('n', 1) === 7 ? undefined : 'not the sums'),
  },
  {
    name: 'peers',
    atomic: (b, id) =>
      b.value('mem.atomic', [b.i32(3), b.and(id, b.i32(1))], { buffer: '@n', kind: 'add', together: 'many' }),
    wrong: (memory) =>
      apart(memory, () => 3, [0, 2]) ?? (memory('found', 1) === 0 && memory('n', 1) === 3 ? undefined : 'not alone'),
  },
];

const run = ({ wrong }: Case, module: Module): Explored => {
  const protocol: Protocol = { module, threads: ids.map((id) => ({ kernel: 'thread', args: [id] })), wrong };
  return explore(protocol, { switches: 1, delays: 0 });
};

/** The module once more for each op that a change changes, with that one changed. */
const mutants = (module: Module, change: (op: Op) => Op): readonly Module[] => {
  let found = 0;
  const changing = (n: number): Module => {
    found = 0;
    const visit = (op: Op): Op => {
      const neu = change(op);
      return mapRegions(neu !== op && found++ === n ? neu : op, (r): Region => ({ ...r, ops: r.ops.map(visit) }));
    };
    return mapKernels(module, (k) => ({ ...k, body: { ...k.body, ops: k.body.ops.map(visit) } }));
  };
  changing(-1);
  return Array.from({ length: found }, (_, n) => changing(n));
};

describe.each(cases)('an atomic as threads in step do it together: $name', (c) => {
  const module = lowered(c.atomic);

  it('is right whoever of them comes together, and verifies', () => {
    expect(verifyModule(module, dialects)).toEqual([]);
    expect(run(c, module).wrong).toBeUndefined();
  });

  it('does what it did where each is alone', () => {
    const memory = { n: new Int32Array(4), found: new Int32Array(4) };
    for (const id of ids) orThrow(interpret(module, dialects, memory, { kernel: 'thread', args: [id] }));
    expect(c.wrong((buffer, index) => memory[buffer as 'n'][index]!)).toBeUndefined();
  });

  /* The numbers of lanes, the only one in this place of the program. */
  const lanes = new Map<number, Value>();
  for (const { body } of module.kernels)
    walk(body, (op) => void (op.name === 'gpu.lane' && lanes.set(op.results[0]!.id, op.results[0]!)));
  const isLane = (v: Value | undefined): boolean => v !== undefined && lanes.has(v.id);

  it('is wrong where more than the first update', () => {
    const all = mutants(module, (op) =>
      op.name === 'arith.cmp' && op.attrs['predicate'] === 'eq' && isLane(op.operands[0])
        ? opWith(op, { operands: [op.operands[0]!, op.operands[0]!] })
        : op,
    );
    expect(all.length).toBe(lanes.size);
    for (const m of all) expect(run(c, m).wrong).toBeDefined();
  });
});

it('is counted for all that are here, the update left to the first of them', () => {
  const text = printModule(lowered(cases[0]!.atomic));
  expect(text).toMatchInlineSnapshot(`
    "module @m {
      buffer @n : i32[4] inout
      buffer @found : i32[4] inout
      kernel @thread(%id: i32) {
        %1 = arith.constant {value = 1} : i32
        %2 = arith.add %id, %1 : i32
        %3 = arith.constant {value = 1} : i32
        scf.for %id, %2, %3 {parallel = true} {
        ^(%i: i32):
          %5 = arith.constant {value = 2} : i32
          %6 = arith.constant {value = 0} : i32
          %7 = gpu.here : u64
          %8 = arith.constant {value = 2} : i32
          %9 = gpu.lane : i32
          %10 = arith.constant {value = "1"} : u64
          %11 = arith.cast %9 {to = u64} : u64
          %12 = arith.shl %10, %11 : u64
          %13 = arith.constant {value = "1"} : u64
          %14 = arith.sub %12, %13 : u64
          %15 = arith.and %7, %14 : u64
          %16 = gpu.count %7 : i32
          %17 = arith.cast %16 {to = i32} : i32
          %18 = arith.mul %8, %17 : i32
          %19 = gpu.first %7 : i32
          %20 = arith.cmp %9, %19 {predicate = eq} : i1
          %21 = scf.if %20 {
            %22 = mem.atomic %18, %6 {buffer = @n, kind = add} : i32
            scf.yield %22
          } {
            scf.yield %18
          } : i32
          %23 = gpu.shuffle %21, %7, %19 : i32
          %24 = gpu.count %15 : i32
          %25 = arith.cast %24 {to = i32} : i32
          %26 = arith.mul %8, %25 : i32
          %27 = arith.add %23, %26 : i32
          mem.store %27, %i {buffer = @found}
          scf.yield
        }
        scf.yield
      }
    }
    "
  `);
});
