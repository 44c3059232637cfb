import { describe, expect, it } from 'vitest';
import { type Program, conformance, conformancePrograms, requirements, skips } from '@filigree/conformance';
import { type Module, type Op, type Region, coreDialects, fail, opTable, pass } from '@filigree/ir';
import type { Executable } from '@filigree/backend';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import { interpreterBackend } from './interpreter-backend.js';

const outcomes = async (backend: Parameters<typeof conformance>[0]): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  for (const c of conformance(backend, { threads: [1] })) {
    const outcome = await c.run().catch((e: Error) => e.message);
    found.set(
      c.name,
      typeof outcome === 'string' ? outcome : outcome.status === 'skipped' ? `skipped: ${outcome.reason}` : 'passed',
    );
  }
  return found;
};

describe('the conformance suite', () => {
  it('passes the interpreter itself, every case', async () => {
    const found = await outcomes(interpreterBackend());
    expect([...found].filter(([, o]) => o !== 'passed')).toEqual([]);
    expect(found.size).toBeGreaterThan(100);
  });

  it('passes a backend that drops what is dead: stores that nothing reads, and buffers without any access', async () => {
    const found = await outcomes(interpreterBackend(withoutDead));
    expect([...found].filter(([, o]) => o !== 'passed')).toEqual([]);
    const many = conformancePrograms().find((p) => p.name === 'many buffers of odd lengths')!;
    expect(withoutDead(many.module).buffers.length).toBeLessThan(many.module.buffers.length);
  });

  it('says where a backend drops what the host is to read', async () => {
    const backend = interpreterBackend((m) => ({
      ...withoutBuffers(m, new Set(m.buffers.filter((b) => b.role === 'output').map((b) => b.name))),
    }));
    const many = conformancePrograms().filter((p) => p.name === 'many buffers of odd lengths');
    expect(await firstFailure(backend, many)).toMatch(/buffer @b\d+ is missing/);
  });

  it('has names that tell the cases apart', () => {
    const names = conformancePrograms().map((p) => p.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('uses every op of the core dialects', () => {
    const used = new Set<string>();
    const walk = (r: Region): void => r.ops.forEach((op) => (used.add(op.name), op.regions.forEach(walk)));
    for (const p of conformancePrograms()) p.module.kernels.forEach((k) => walk(k.body));
    expect([...opTable(coreDialects).keys()].filter((name) => !used.has(name))).toEqual([]);
  });

  it('skips what a backend cannot do, and says why', async () => {
    const types = ['i1', 'i8', 'i16', 'i32', 'u8', 'u16', 'u32', 'f32'] as const;
    const found = await outcomes(interpreterBackend((m) => m, { types, atomics: ['i32'] }));
    expect(found.get('arith on f64')).toBe('skipped: the backend has no f64');
    expect(found.get('atomics on u32')).toBe('skipped: the backend has no atomics on u32');
    expect(found.get('arith on u32')).toBe('passed');
    expect(found.get('atomics on i32')).toBe('passed');
  });

  it('fails where a skip is not explained, and skips what is refused for a reason that is', async () => {
    const types = ['i1', 'i8', 'i16', 'i32', 'u8', 'u16', 'u32', 'f32'] as const;
    const small = interpreterBackend((m) => m, { types, atomics: ['i32'] });
    const programs = conformancePrograms().filter((p) => ['arith on f64', 'atomics on u32'].includes(p.name));
    const explained = [{ reason: /^the backend has no f64$/, why: 'it counts on fingers' }];
    const [of64, ofU32] = conformance(small, { programs, explained });
    expect(await of64!.run()).toEqual({ status: 'skipped', reason: 'the backend has no f64' });
    await expect(ofU32!.run()).rejects.toThrow('not explained: the backend has no atomics on u32');
    expect(skips(small, { programs: programs.slice(0, 1), explained })).toEqual([
      { program: 'arith on f64', reason: 'the backend has no f64', why: 'it counts on fingers' },
    ]);
    expect(() => skips(small, { programs, explained })).toThrow('not explained');

    const refusing = { ...small, emit: pass('emit', () => fail('none/today', 'not today', { remedy: 'tomorrow' })) };
    const [arith] = conformancePrograms();
    const today = [{ reason: /^none\/today: not today$/, why: 'it is Sunday' }];
    expect(skips(refusing, { programs: [arith!], explained: today })).toMatchObject([{ why: 'it is Sunday' }]);
    expect(() => skips(refusing, { programs: [arith!] })).toThrow('not today');
  });

  it('says what a module asks of a backend', () => {
    const spmv = conformancePrograms().find((p) => p.name === 'sparse matrix times vector')!;
    expect([...requirements(spmv.module).types].sort()).toEqual(['f64', 'i32', 'u16']);
    expect(requirements(spmv.module).vectors).toBe(false);
  });
});

describe('the contract', () => {
  type Backend = Parameters<typeof conformance>[0];
  const right = interpreterBackend();
  /** The backend with another executable. */
  const loading = (change: (x: Executable) => Partial<Executable>): Backend => ({
    ...right,
    load: (artifact, module, options) =>
      pipe(
        right.load!(artifact, module, options),
        TE.map((x) => ({ ...x, ...change(x) })),
      ),
  });
  let emitted = 0;

  it.each<[string, Backend, RegExp]>([
    [
      'whose dispose does nothing',
      loading(() => ({ dispose: () => undefined })),
      /after dispose: expected a diagnostic/,
    ],
    [
      'that ignores kernels that are not there',
      loading((x) => ({ launch: (k, a, o) => (k === 'scale' ? x.launch(k, a, o) : undefined) })),
      /kernel that the module has not/,
    ],
    [
      'whose runs in the background are in the foreground',
      { ...right, capabilities: { ...right.capabilities, background: true } },
      /did not let the thread go on/,
    ],
    ['that ignores threads', loading((x) => ({ launch: (k, a) => x.launch(k, a) })), /launch on 0 threads/],
    [
      'whose sources differ from run to run',
      {
        ...right,
        emit: pass('emit', () => ({
          backend: 'interpreter',
          files: [{ name: 'a', language: 'text', contents: String(emitted++) }],
        })),
      },
      /other sources for an equal module/,
    ],
    ['without any types', interpreterBackend((m) => m, { types: [] }), /capabilities.types is \[\]/],
    [
      'with atomics on types that it has not',
      interpreterBackend((m) => m, { types: ['i32'] }),
      /capabilities.atomics has/,
    ],
    [
      'whose teams are of some that go in step and others that do not',
      interpreterBackend((m) => m, { team: { threads: 96, sharedBytes: 1024, warp: 64 } }),
      /capabilities.team has 96 threads, of which 64 go in step/,
    ],
  ])('is broken by a backend %s', async (_, backend, message) => {
    const said: string[] = [];
    for (const c of conformance(backend))
      if (c.name.startsWith('contract: ')) await c.run().catch((e: Error) => void said.push(e.message));
    expect(said).toEqual([expect.stringMatching(message)]);
  });
});

const bufferOf = (op: Op): string | undefined => (typeof op.attrs.buffer === 'string' ? op.attrs.buffer : undefined);

/** The module without these buffers and all that goes to them. */
const withoutBuffers = (m: Module, gone: ReadonlySet<string>): Module => {
  const without = (r: Region): Region => ({
    ...r,
    ops: r.ops
      .filter((op) => !gone.has(bufferOf(op)?.replace(/^@/, '') ?? ''))
      .map((op) => ({ ...op, regions: op.regions.map(without) })),
  });
  return {
    ...m,
    buffers: m.buffers.filter((b) => !gone.has(b.name)),
    kernels: m.kernels.map((k) => ({ ...k, body: without(k.body) })),
  };
};

/** What a thorough backend may do: buffers of kernels alone that are only stored to, and what nothing accesses, are gone. */
const withoutDead = (m: Module): Module => {
  const [stored, read] = [new Set<string>(), new Set<string>()];
  const walk = (r: Region): void =>
    r.ops.forEach((op) => {
      const buffer = bufferOf(op)?.replace(/^@/, '');
      if (buffer !== undefined) (op.name === 'mem.store' ? stored : read).add(buffer);
      op.regions.forEach(walk);
    });
  m.kernels.forEach((k) => walk(k.body));
  const dead = m.buffers.filter(
    ({ name, role }) => !read.has(name) && (role === 'temp' || (/input|const/.test(role) && !stored.has(name))),
  );
  return withoutBuffers(m, new Set(dead.map((b) => b.name)));
};

const programsWith = (name: string): readonly Program[] => {
  const has = (r: Region): boolean => r.ops.some((op) => op.name === name || op.regions.some(has));
  return conformancePrograms().filter(
    (p) => !p.name.startsWith('straight') && p.module.kernels.some((k) => has(k.body)),
  );
};

const firstFailure = async (
  backend: Parameters<typeof conformance>[0],
  programs: readonly Program[],
): Promise<string> => {
  for (const c of conformance(backend, { threads: [1], programs })) {
    const message = await c.run().then(
      () => undefined,
      (e: Error) => e.message,
    );
    if (message !== undefined) return message;
  }
  return 'none';
};

/** The module with each op named `from` replaced. */
const replaced = (m: Module, from: string, change: (op: Op) => Op): Module => {
  const region = (r: Region): Region => ({
    ...r,
    ops: r.ops.map((op) => {
      const inner = { ...op, regions: op.regions.map(region) };
      return op.name === from ? change(inner) : inner;
    }),
  });
  return { ...m, kernels: m.kernels.map((k) => ({ ...k, body: region(k.body) })) };
};

const swap = (op: Op): Op => ({ ...op, operands: [...op.operands].reverse() });
const renamed =
  (name: string) =>
  (op: Op): Op => ({ ...op, name });

/* Mistakes that an emitter may make; the suite must see each. */
const mistakes: readonly (readonly [string, string, (op: Op) => Op])[] = [
  ['a sum becomes a difference', 'arith.add', renamed('arith.sub')],
  ['a difference is taken backwards', 'arith.sub', swap],
  ['a quotient is taken backwards', 'arith.div', swap],
  ['a remainder becomes a quotient', 'arith.rem', renamed('arith.div')],
  ['a minimum becomes a maximum', 'arith.min', renamed('arith.max')],
  ['a product becomes a sum', 'arith.mul', renamed('arith.add')],
  ['a shift goes the other way', 'arith.shl', renamed('arith.shr')],
  ['and becomes or', 'arith.and', renamed('arith.or')],
  ['exclusive or becomes or', 'arith.xor', renamed('arith.or')],
  [
    'less than takes equals',
    'arith.cmp',
    (op) => (op.attrs.predicate === 'lt' ? { ...op, attrs: { predicate: 'le' } } : op),
  ],
  [
    'not equal becomes less than',
    'arith.cmp',
    (op) => (op.attrs.predicate === 'ne' ? { ...op, attrs: { predicate: 'lt' } } : op),
  ],
  [
    'the arms of a select change places',
    'arith.select',
    (op) => ({ ...op, operands: [op.operands[0], op.operands[2], op.operands[1]] }),
  ],
  ['the arms of an if change places', 'scf.if', (op) => ({ ...op, regions: [op.regions[1], op.regions[0]] })],
  ['a loop starts one late', 'scf.for', (op) => ({ ...op, operands: [op.operands[2], ...op.operands.slice(1)] })],
  ['carried values change places', 'scf.yield', (op) => (op.operands.length > 1 ? swap(op) : op)],
  ['floor becomes trunc', 'math.floor', renamed('math.trunc')],
  ['round becomes floor', 'math.round', renamed('math.floor')],
  ['sin becomes tan', 'math.sin', renamed('math.tan')],
  ['atan2 is taken backwards', 'math.atan2', swap],
  ['pow is taken backwards', 'math.pow', swap],
  [
    'an atomic minimum becomes a maximum',
    'mem.atomic',
    (op) => (op.attrs.kind === 'min' ? { ...op, attrs: { ...op.attrs, kind: 'max' } } : op),
  ],
  [
    'compare and swap swaps always',
    'mem.cas',
    (op) => ({ ...op, name: 'mem.atomic', operands: op.operands.slice(1), attrs: { ...op.attrs, kind: 'exchange' } }),
  ],
  [
    'lanes are folded by another op',
    'arith.reduce',
    (op) => ({ ...op, attrs: { kind: op.attrs.kind === 'add' ? 'max' : op.attrs.kind } }),
  ],
];

describe('the conformance suite sees the mistake that', () => {
  for (const [what, name, change] of mistakes)
    it(what, async () => {
      expect(
        await firstFailure(
          interpreterBackend((m) => replaced(m, name, change)),
          programsWith(name),
        ),
      ).toMatch(/buffer @|interpret|run on/);
    });
});
