import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import {
  coreDialects,
  defineGeneral,
  dialect,
  interpret,
  parseModule,
  printModule,
  rangeBetween,
  verifyModule,
  type Control,
  type Module,
  type OpDef,
  type Pass,
  type RuntimeValue,
} from '@filigree/ir';
import { canonicalize, cse, dce, integerRange, licm, offload, storeForwarding, tripCount, workOf } from '@filigree/opt';

const right = <T>(e: E.Either<unknown, T>): T => {
  if (E.isLeft(e)) throw new Error(JSON.stringify(e.left));
  return e.right;
};

/** A loop that says how often it runs, and carries values; it has no counter. */
const repeat: OpDef = defineGeneral(
  {
    name: 'my.repeat',
    summary: 'runs its region so many times',
    verify: () => [],
    resultTypes: (operands) => operands.slice(1).map((v) => v.type),
    control: ({ operands: [times] }) => ({
      edges: [
        { from: 'start', to: 0, first: 1, into: 0 },
        { from: 'start', to: 'end', first: 1, into: 0 },
        { from: 0, to: 0, first: 0, into: 0 },
        { from: 0, to: 'end', first: 0, into: 0 },
      ],
      count: { lower: 0, upper: times!, step: 1 },
    }),
  },
  (op, [times, ...inits], machine) => {
    let carried: readonly RuntimeValue[] = inits;
    for (let n = 0; n < Number(times); n++) carried = machine.region(op.regions[0]!, carried);
    return carried;
  },
);

/** A branch with three arms of which at most one runs. */
const pick: OpDef = defineGeneral(
  {
    name: 'my.pick',
    summary: 'runs the region with this number, or none',
    verify: () => [],
    resultTypes: () => [],
    control: ({ regions }) => ({
      edges: [
        { from: 'start', to: 'end', first: 1, into: 0 },
        ...regions.flatMap((_, n): Control['edges'] => [
          { from: 'start', to: n, first: 1, into: 0 },
          { from: n, to: 'end', first: 0, into: 0 },
        ]),
      ],
    }),
  },
  (op, [which], machine) => (op.regions[Number(which)] ? machine.region(op.regions[Number(which)]!, []) : []),
);

/** Iterations that may run at once. */
const each: OpDef = { ...repeat, name: 'my.each', control: (op) => ({ ...repeat.control!(op), parallel: true }) };

/** Keeps a number at two coordinates in a table of its own. */
const put: OpDef = defineGeneral(
  {
    name: 'my.put',
    summary: 'writes to the table',
    verify: () => [],
    resultTypes: () => [],
    effects: () => [{ kind: 'write', buffer: '%table' }],
    accesses: ({ operands: [value, ...index] }) => [{ kind: 'write', place: '%table', index, count: 1, value: value! }],
  },
  () => [],
);
const get: OpDef = defineGeneral(
  {
    name: 'my.get',
    summary: 'reads the table',
    verify: () => [],
    resultTypes: () => ['f64'],
    effects: () => [{ kind: 'read', buffer: '%table' }],
    accesses: ({ operands, results }) => [
      { kind: 'read', place: '%table', index: operands, count: 1, value: results[0]! },
    ],
  },
  () => [0],
);

/** A number round a circle of 8: it says what it may be, and that going round twice is going round once. */
const round: OpDef = {
  ...defineGeneral(
    {
      name: 'my.round',
      summary: 'the number modulo 8',
      verify: () => [],
      resultTypes: () => ['i32'],
      range: (_op, [x], type) => rangeBetween(type, 0, x && x.lo >= 0 ? Math.min(7, x.hi) : 7),
      fold: (op, { defOf, constantOf, constant, build }) => {
        const inner = defOf(op.operands[0]!);
        if (inner?.name === 'my.round') return op.operands[0];
        const far = inner?.name === 'arith.add' ? constantOf(inner.operands[1]!) : undefined;
        return typeof far === 'number' && far % 8 !== far
          ? build('my.round', [build('arith.add', [inner!.operands[0]!, constant(far % 8, 'i32')], 'i32')], 'i32')
          : undefined;
      },
    },
    (_op, [x]) => [Number(x) & 7],
  ),
};

const dialects = [...coreDialects, dialect('my', [repeat, pick, each, put, get, round])];

const parse = (text: string): Module => {
  const module = right(parseModule(text));
  expect(verifyModule(module, dialects)).toEqual([]);
  return module;
};
const run = (pass: Pass<Module>, module: Module): Module => {
  const result = right(pass.run(module));
  expect(verifyModule(result, dialects)).toEqual([]);
  return result;
};
const kernel = (body: string, params = '%n: i32, %a: f64, %c: i1'): string =>
  `module @m {\n  buffer @x : f64[8] inout\n  kernel @f(${params}) {\n${body}\n    scf.yield\n  }\n}`;
/** What kernel @f leaves in @x, of arguments 3 and 2. */
const valuesOf = (module: Module): readonly number[] => {
  const x = new Float64Array(8);
  right(interpret(module, dialects, { x }, { kernel: 'f', args: [3, 2, true] }));
  return [...x];
};
const texts = (module: Module): readonly string[] =>
  printModule(module)
    .split('\n')
    .map((line) => line.trim());

describe('a loop of one’s own', () => {
  const summing = `
    %zero = arith.constant {value = 0} : i32
    %s, %t, %u = my.repeat %n, %a, %a, %a {
    ^(%p: f64, %q: f64, %r: f64):
      %twice = arith.add %a, %a : f64
      %next = arith.add %p, %twice : f64
      %more = arith.mul %q, %q : f64
      scf.yield %next, %more, %r
    } : f64, f64, f64
    %all = arith.add %s, %u : f64
    mem.store %all, %zero {buffer = @x}`;

  it('gives up what does not change in it', () => {
    const lines = texts(run(licm({ dialects }), parse(kernel(summing))));
    expect(lines.findIndex((l) => l.startsWith('%twice'))).toBeLessThan(
      lines.findIndex((l) => l.includes('my.repeat')),
    );
    expect(lines.findIndex((l) => l.startsWith('%next'))).toBeGreaterThan(
      lines.findIndex((l) => l.includes('my.repeat')),
    );
  });

  it('loses what nobody uses of it, and what it hands on unchanged', () => {
    const after = run(dce({ dialects }), run(canonicalize({ dialects }), parse(kernel(summing))));
    expect(texts(after)).toContain('%s = my.repeat %n, %a {');
    expect(valuesOf(after)).toEqual(valuesOf(parse(kernel(summing))));
  });

  it('is gone where it runs never, and is its region where it runs once', () => {
    const times = (n: number): readonly string[] =>
      texts(
        run(
          canonicalize({ dialects }),
          parse(
            kernel(`
    %k = arith.constant {value = ${n}} : i32
    %s = my.repeat %k, %a {
    ^(%p: f64):
      %next = arith.mul %p, %p : f64
      scf.yield %next
    } : f64
    mem.store %s, %k {buffer = @x}`),
          ),
        ),
      );
    expect(times(0)).toContain('mem.store %a, %k {buffer = @x}');
    expect(times(1)).toContain('%next = arith.mul %a, %a : f64');
    expect(times(1).join('\n')).not.toContain('my.repeat');
    expect(times(2).join('\n')).toContain('my.repeat');
  });

  it('has trips that are known, and work by them', () => {
    const module = parse(
      kernel(`
    %k = arith.constant {value = 100} : i32
    my.repeat %k {
    ^():
      %b = arith.add %a, %a : f64
      scf.yield
    }`),
    );
    const { body } = module.kernels[0]!;
    const loop = body.ops[1]!;
    const control = repeat.control!(loop);
    const constantOf = (v: { readonly id: number }) => (v.id === body.ops[0]!.results[0]!.id ? 100 : undefined);
    expect(tripCount(control.count, constantOf)).toBe(100n);
    const loops = { control: (op: typeof loop) => (op === loop ? control : undefined), constantOf };
    expect(workOf(body, loops)).toBe(1 + 1 + 100 * 2);
    expect(workOf(body, { ...loops, lanes: (op) => (op === loop ? 4 : 1) })).toBe(1 + 1 + (100 * 2) / 4);
  });

  it('hides what it writes from what stands before it, which a branch does not', () => {
    const text = (op: string): string =>
      kernel(`
    %zero = arith.constant {value = 0} : i32
    mem.store %a, %zero {buffer = @x}
    ${op} {
      %y = mem.load %zero {buffer = @x} : f64
      %z = arith.add %y, %a : f64
      mem.store %z, %zero {buffer = @x}
      scf.yield
    }`);
    const branch = texts(run(storeForwarding({ dialects }), parse(text('my.pick %n'))));
    expect(branch).toContain('%z = arith.add %a, %a : f64');
    const loop = texts(run(storeForwarding({ dialects }), parse(text('my.repeat %n'))));
    expect(loop).toContain('%z = arith.add %y, %a : f64');
    expect(texts(run(cse({ dialects }), parse(text('my.repeat %n'))))).toContain(
      '%y = mem.load %zero {buffer = @x} : f64',
    );
  });

  it('is a task where its iterations may run at once', () => {
    const module = parse(
      kernel(`
    %zero = arith.constant {value = 0} : i32
    mem.store %a, %zero {buffer = @x}
    my.each %n {
      mem.store %a, %zero {buffer = @x}
      scf.yield
    }`),
    );
    expect(run(offload({ dialects }), module).kernels.map((k) => k.attrs['task'])).toEqual(['serial', 'parallel']);
  });
});

describe('accesses of one’s own', () => {
  it('are forwarded, where nothing between them may touch the same element', () => {
    const after = texts(
      run(
        storeForwarding({ dialects }),
        parse(
          kernel(`
    %one = arith.constant {value = 1} : i32
    %zero = arith.constant {value = 0} : i32
    %m = arith.add %n, %one : i32
    my.put %a, %n, %n
    %twice = arith.add %a, %a : f64
    my.put %twice, %n, %m
    mem.store %twice, %zero {buffer = @x}
    %y = my.get %n, %n : f64
    mem.store %y, %one {buffer = @x}
    my.put %y, %m, %n
    %z = my.get %n, %n : f64
    mem.store %z, %zero {buffer = @x}`),
        ),
      ),
    );
    /* What another row holds is not told apart. */
    expect(after).toContain('mem.store %a, %one {buffer = @x}');
    expect(after).toContain('mem.store %z, %zero {buffer = @x}');
  });

  it('are dropped where they are overwritten', () => {
    const text = kernel(`
    my.put %a, %n, %n
    %twice = arith.add %a, %a : f64
    my.put %twice, %n, %n`);
    expect(texts(run(storeForwarding({ dialects }), parse(text)))).not.toContain('my.put %a, %n, %n');
  });

  it('leave a loop in which nothing writes what they read', () => {
    const text = (written: string): string =>
      kernel(`
    my.put %a, %n, %n
    %k = arith.constant {value = 2} : i32
    my.repeat %k {
      %y = my.get %n, %n : f64
      ${written} %y, %k
      scf.yield
    }`);
    const at = (lines: readonly string[], what: string): number => lines.findIndex((l) => l.includes(what));
    const free = texts(run(licm({ dialects }), parse(text('mem.store').replace('%y, %k', '%y, %k {buffer = @x}'))));
    expect(at(free, 'my.get')).toBeLessThan(at(free, 'my.repeat'));
    const tied = texts(run(licm({ dialects }), parse(text('my.put').replace('%y, %k', '%y, %k, %k'))));
    expect(at(tied, 'my.get')).toBeGreaterThan(at(tied, 'my.repeat'));
  });
});

describe('numbers of one’s own', () => {
  it('are as small as their op says', () => {
    const module = parse(
      kernel(`
    %r = my.round %n : i32
    %k = arith.constant {value = 8} : i32
    %s = arith.rem %r, %k : i32
    %seven = arith.constant {value = 7} : i32
    %t = arith.min %s, %seven : i32
    mem.store %a, %t {buffer = @x}`),
    );
    const after = run(dce({ dialects }), run(integerRange({ dialects }), module));
    expect(texts(after).filter((l) => /arith.(rem|min)/.test(l))).toEqual([]);
    expect(valuesOf(after)).toEqual(valuesOf(module));
  });

  it('fold as their op says, also what folds make', () => {
    const module = parse(
      kernel(`
    %k = arith.constant {value = 19} : i32
    %far = arith.add %n, %k : i32
    %r = my.round %far : i32
    %s = my.round %r : i32
    mem.store %a, %s {buffer = @x}`),
    );
    const after = run(dce({ dialects }), run(canonicalize({ dialects }), module));
    expect(texts(after).filter((l) => l.includes('my.round'))).toHaveLength(1);
    expect(texts(after).some((l) => l.includes('{value = 3}'))).toBe(true);
    expect(valuesOf(after)).toEqual(valuesOf(module));
  });
});

describe('a definition that contradicts itself', () => {
  const wrong = [
    ['an effect', { effects: () => [] }, 'it is said to write %table, but has no such effect'],
    [
      'an index',
      { accesses: (op) => [{ ...put.accesses!(op)[0]!, index: [{ id: 99, type: 'i32' }] }] },
      'an index of its',
    ],
    [
      'a value',
      { accesses: (op) => [{ ...put.accesses!(op)[0]!, value: { id: 99, type: 'f64' } }] },
      'is no operand of it',
    ],
  ] as readonly (readonly [string, Partial<OpDef>, string])[];

  it.each(wrong)('is a diagnostic: it lacks %s that it accesses', (_what, part, said) => {
    const module = right(parseModule(kernel(`\n    my.put %a, %n, %n`)));
    const found = verifyModule(module, [...coreDialects, dialect('my', [{ ...put, ...part }])]);
    expect(found.map((d) => d.code)).toEqual(['verify/access']);
    expect(found[0]!.message).toContain(`kernel @f: my.put(f64, i32, i32): `);
    expect(found[0]!.message).toContain(said);
  });

  const broken = (name: string, control: OpDef['control']): OpDef => ({ ...repeat, name, control: control! });
  const edges = (into: number): Control['edges'] => [{ from: 'start', to: 0, first: 1, into }];
  const ways = [
    ['my.more', () => ({ edges: edges(1) }), 'f64 flows from its start to region 0, where nothing is taken'],
    ['my.lost', () => ({ edges: [{ from: 1, to: 'end', first: 0, into: 0 }] }), 'region 1, which it lacks'],
    ['my.when', () => ({ edges: [{ ...edges(0)[0]!, when: { operand: 0, is: true } }] }), 'operand 0 decides the way'],
    ['my.twin', ({ operands: [lower, upper] }) => ({ edges: edges(0), count: { lower, upper, step: 1 } }), 'i32, f64'],
    [
      'my.numb',
      ({ operands: [upper] }) => ({ edges: [], count: { lower: 0, upper, step: 1, counter: 4 } }),
      'parameter 4',
    ],
  ] as readonly (readonly [string, NonNullable<OpDef['control']>, string])[];

  it.each(ways)('is a diagnostic: %s', (name, control, said) => {
    const module = right(
      parseModule(
        kernel(`
    %s = ${name} %n, %a {
    ^(%p: f64):
      scf.yield %p
    } : f64`),
      ),
    );
    const found = verifyModule(module, [...coreDialects, dialect('my', [broken(name, control)])]);
    expect(found.map((d) => d.code)).toEqual(['verify/control']);
    expect(found[0]!.message).toContain(`kernel @f: ${name}(i32, f64): `);
    expect(found[0]!.message).toContain(said);
    expect(found[0]!.remedy).toContain('`control`');
  });
});
