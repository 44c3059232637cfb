import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Builder,
  type Module,
  type Scalar,
  type ScalarType,
  type TypedArray,
  type Value,
  allocateArray,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  parseModule,
  scalarOps,
  verifyModule,
} from '@filigree/ir';
import { left, right } from './right.js';

/** Runs a function of scalars built as a kernel, by way of memory. */
const evaluate = (
  inputs: readonly (readonly [ScalarType, Scalar])[],
  to: ScalarType,
  body: (b: Builder, v: readonly Value[]) => Value,
): number | bigint => {
  const buffers = [
    ...inputs.map(([type], i) => declareBuffer(`in${i}`, type, 1, 'input')),
    declareBuffer('out', to, 1, 'output'),
  ];
  const kernel = buildKernel(
    'k',
    {},
    (b) =>
      b.store(
        'out',
        body(
          b,
          inputs.map((_, i) => b.load(`in${i}`, b.i32(0))),
        ),
        b.i32(0),
      ),
    buffers,
  );
  const memory: Record<string, TypedArray> = { out: allocateArray(to, 1) };
  inputs.forEach(([type, x], i) => {
    memory[`in${i}`] = allocateArray(type, 1);
    memory[`in${i}`][0] = typeof x === 'boolean' ? Number(x) : x;
  });
  const module = makeModule('m', buffers, [kernel]);
  expect(verifyModule(module, coreDialects)).toEqual([]);
  right(interpret(module, coreDialects, memory));
  return memory.out[0];
};

const integerTypes = ['i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64'] as const;
const bitsOf = (t: ScalarType): number => Number(t.slice(1));
/* The reference: exact integers, brought into range by a division. */
const wrapped = (x: bigint, t: ScalarType): bigint => {
  const size = 2n ** BigInt(bitsOf(t));
  const rest = ((x % size) + size) % size;
  return t.startsWith('i') && rest >= size / 2n ? rest - size : rest;
};
const integer = (t: ScalarType): fc.Arbitrary<bigint> =>
  fc
    .oneof(
      fc.constantFrom(0n, 1n, -1n, 2n ** BigInt(bitsOf(t) - 1), 2n ** BigInt(bitsOf(t)) - 1n),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    )
    .map((x) => wrapped(x, t));
const scalar = (x: bigint, t: ScalarType): Scalar => (bitsOf(t) === 64 ? x : Number(x));

type Reference = (a: bigint, b: bigint, t: ScalarType) => bigint;
const pow2 = (b: bigint, t: ScalarType): bigint =>
  2n ** (((b % BigInt(bitsOf(t))) + BigInt(bitsOf(t))) % BigInt(bitsOf(t)));
const floorDiv = (a: bigint, b: bigint): bigint => (a % b !== 0n && a < 0n ? a / b - 1n : a / b);
const bitwise = (a: bigint, b: bigint, t: ScalarType, f: (x: string, y: string) => boolean): bigint => {
  const digits = (x: bigint): string =>
    ((x + 2n ** BigInt(bitsOf(t))) % 2n ** BigInt(bitsOf(t))).toString(2).padStart(bitsOf(t), '0');
  const [x, y] = [digits(a), digits(b)];
  return BigInt(`0b${[...x].map((d, i) => (f(d, y[i]) ? '1' : '0')).join('')}`);
};
const integerReference: Readonly<Record<string, Reference>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  rem: (a, b) => a - (a / b) * b,
  min: (a, b) => (a < b ? a : b),
  max: (a, b) => (a < b ? b : a),
  and: (a, b, t) => bitwise(a, b, t, (x, y) => x === '1' && y === '1'),
  or: (a, b, t) => bitwise(a, b, t, (x, y) => x === '1' || y === '1'),
  xor: (a, b, t) => bitwise(a, b, t, (x, y) => x !== y),
  shl: (a, b, t) => a * pow2(b, t),
  shr: (a, b, t) => floorDiv(a, pow2(b, t)),
};

describe('integers', () => {
  test.each(integerTypes)('%s: every op is exact modulo 2^bits', (t) => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(integerReference)), integer(t), integer(t), (name, a, b) => {
        fc.pre(b !== 0n || (name !== 'div' && name !== 'rem'));
        const got = evaluate(
          [
            [t, scalar(a, t)],
            [t, scalar(b, t)],
          ],
          t,
          (k, v) => k.value(`arith.${name}`, v),
        );
        expect(got).toBe(scalar(wrapped(integerReference[name](a, b, t), t), t));
      }),
      { numRuns: 300 },
    );
  });

  test.each(integerTypes)('%s: random expressions', (t) => {
    type Tree = { readonly name: string; readonly l: Tree; readonly r: Tree } | { readonly leaf: number };
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.record({ leaf: fc.nat(2) }),
        fc.record({
          name: fc.constantFrom('add', 'sub', 'mul', 'min', 'max', 'xor', 'shl', 'shr'),
          l: tie('tree'),
          r: tie('tree'),
        }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.tuple(integer(t), integer(t), integer(t)), (expression, leaves) => {
        const build = (k: Builder, v: readonly Value[], e: Tree): Value =>
          'leaf' in e ? v[e.leaf] : k.value(`arith.${e.name}`, [build(k, v, e.l), build(k, v, e.r)]);
        const reference = (e: Tree): bigint =>
          'leaf' in e ? leaves[e.leaf] : wrapped(integerReference[e.name](reference(e.l), reference(e.r), t), t);
        const got = evaluate(
          leaves.map((x) => [t, scalar(x, t)] as const),
          t,
          (k, v) => build(k, v, expression),
        );
        expect(got).toBe(scalar(reference(expression), t));
      }),
    );
  });

  test.each(integerTypes)('%s: casts to every other integer wrap', (t) => {
    fc.assert(
      fc.property(fc.constantFrom(...integerTypes), integer(t), (to, a) => {
        expect(evaluate([[t, scalar(a, t)]], to, (k, [v]) => k.cast(v, to))).toBe(scalar(wrapped(a, to), to));
      }),
    );
  });
});

const f32 = (x: number): number => new Float32Array([x])[0];
const floatReference: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  rem: (a, b) => a % b,
  min: (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? NaN : a < b || (a === b && Object.is(a, -0)) ? a : b),
  max: (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? NaN : a > b || (a === b && Object.is(b, -0)) ? a : b),
};

describe('floats', () => {
  test.each(['f32', 'f64'] as const)('%s arithmetic rounds after every op', (t) => {
    const round = t === 'f32' ? f32 : (x: number) => x;
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(floatReference)),
        fc.double(),
        fc.double(),
        fc.double(),
        (name, x, y, z) => {
          const [a, b, c] = [round(x), round(y), round(z)];
          const f = floatReference[name];
          const got = evaluate(
            [
              [t, a],
              [t, b],
              [t, c],
            ],
            t,
            (k, v) => k.mul(k.value(`arith.${name}`, v.slice(0, 2)), v[2]),
          );
          expect(got).toBe(round(round(f(a, b)) * c));
        },
      ),
      { numRuns: 400 },
    );
  });

  test.each(scalarOps.filter((o) => o.kernelOp.startsWith('math.')))('$kernelOp on f32 and f64', (row) => {
    const inMath = (Math as unknown as Record<string, (...x: number[]) => number>)[row.name];
    const js = row.name === 'rsqrt' ? (x: number) => 1 / Math.sqrt(x) : (inMath ?? row.evaluate);
    for (const [a, b] of [
      [0.3, 1.7],
      [-2.5, 2],
      [0, -1],
      [9, 0.5],
      [NaN, 1],
      [Infinity, 3],
    ] as const) {
      const of = (t: ScalarType, x: number, y: number) =>
        evaluate(
          [
            [t, x],
            [t, y],
          ],
          t,
          (k, v) => k.math(row.name, ...v.slice(0, row.arity)),
        );
      expect(of('f64', a, b)).toBe(row.arity === 1 ? js(a) : js(a, b));
      expect(of('f32', a, b)).toBe(f32(row.arity === 1 ? js(f32(a)) : js(f32(a), f32(b))));
    }
  });

  test('float to integer truncates, saturates, and takes NaN to 0', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...integerTypes),
        fc.oneof(
          fc.double(),
          fc.double({ min: -1e3, max: 1e3 }),
          fc.constantFrom(2 ** 63, -(2 ** 63), 2 ** 64, 127.5, -128.5),
        ),
        (t, x) => {
          const low = t.startsWith('u') ? 0n : -(2n ** BigInt(bitsOf(t) - 1));
          const high = low + 2n ** BigInt(bitsOf(t)) - 1n;
          const exact = Number.isNaN(x) ? 0n : x === Infinity ? high : x === -Infinity ? low : BigInt(Math.trunc(x));
          const want = exact < low ? low : exact > high ? high : exact;
          expect(evaluate([['f64', x]], t, (k, [v]) => k.cast(v, t))).toBe(scalar(want, t));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('i64 to f32 rounds once', () => {
    /* 2^24 + 1 is half-way in f32; a far lower bit decides, and is lost if the number passes through f64 first. */
    const x = ((2n ** 24n + 1n) << 38n) + 1n;
    expect(evaluate([['i64', x]], 'f32', (k, [v]) => k.cast(v, 'f32'))).toBe(2 ** 62 + 2 ** 39);
    expect(evaluate([['i64', -x]], 'f32', (k, [v]) => k.cast(v, 'f32'))).toBe(-(2 ** 62 + 2 ** 39));
    expect(evaluate([['i64', x - 1n]], 'f32', (k, [v]) => k.cast(v, 'f32'))).toBe(2 ** 62);
  });

  test('comparisons with NaN hold for ne alone; bitcast keeps bits', () => {
    const holds = (p: 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne') =>
      evaluate(
        [
          ['f64', NaN],
          ['f64', 1],
        ],
        'i1',
        (k, [a, b]) => k.cmp(p, a, b),
      );
    expect((['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as const).map(holds)).toEqual([0, 0, 0, 0, 0, 1]);
    expect(evaluate([['f32', 1]], 'u32', (k, [v]) => k.bitcast(v, 'u32'))).toBe(0x3f800000);
    expect(evaluate([['i64', -1n]], 'u64', (k, [v]) => k.bitcast(v, 'u64'))).toBe(2n ** 64n - 1n);
    expect(evaluate([['f64', -0]], 'u64', (k, [v]) => k.bitcast(v, 'u64'))).toBe(2n ** 63n);
  });

  test('min and max order zeros and keep NaN', () => {
    expect(
      evaluate(
        [
          ['f64', 0],
          ['f64', -0],
        ],
        'f64',
        (k, [a, b]) => k.min(a, b),
      ),
    ).toBe(-0);
    expect(
      evaluate(
        [
          ['f64', -0],
          ['f64', 0],
        ],
        'f64',
        (k, [a, b]) => k.max(a, b),
      ),
    ).toBe(0);
    expect(
      evaluate(
        [
          ['f64', NaN],
          ['f64', 0],
        ],
        'f64',
        (k, [a, b]) => k.min(a, b),
      ),
    ).toBeNaN();
  });
});

const run = (
  body: string,
  buffers: Record<string, TypedArray>,
  options: Parameters<typeof interpret>[3] = {},
  declare = '',
) => {
  const text = `module @m {\n${Object.entries(buffers)
    .map(([n, a]) => `buffer @${n} : ${typeOf(a)}[${a.length}] inout`)
    .join('\n')}\n${declare}\n${body}\n}`;
  return interpret(right(parseModule(text, 'f.fil')), coreDialects, buffers, options);
};
const typeOf = (a: TypedArray): ScalarType =>
  (
    { Float64Array: 'f64', Float32Array: 'f32', Int32Array: 'i32', BigInt64Array: 'i64', Uint8Array: 'u8' } as Record<
      string,
      ScalarType
    >
  )[a.constructor.name];

describe('control flow', () => {
  test('for carries values; a while counts; kernels run in order', () => {
    const out = new Float64Array(2);
    right(
      run(
        `kernel @sum() {
          %0 = arith.constant {value = 0} : i32
          %1 = arith.constant {value = 1} : i32
          %10 = arith.constant {value = 10} : i32
          %z = arith.constant {value = 0} : f64
          %s, %p = scf.for %0, %10, %1, %z, %z {
          ^(%i: i32, %acc: f64, %before: f64):
            %x = arith.cast %i {to = f64} : f64
            %next = arith.add %acc, %x : f64
            scf.yield %next, %acc
          } : f64, f64
          mem.store %s, %0 {buffer = @out}
          mem.store %p, %1 {buffer = @out}
          scf.yield
        }
        kernel @halve() {
          %0 = arith.constant {value = 0} : i32
          %1 = arith.constant {value = 1} : f64
          %2 = arith.constant {value = 2} : f64
          %x = mem.load %0 {buffer = @out} : f64
          %r, %n = scf.while %x, %1 {
          ^(%v: f64, %c: f64):
            %go = arith.cmp %v, %2 {predicate = ge} : i1
            scf.condition %go, %v, %c
          } {
          ^(%v2: f64, %c2: f64):
            %h = arith.div %v2, %2 : f64
            %c3 = arith.mul %c2, %2 : f64
            scf.yield %h, %c3
          } : f64, f64
          mem.store %n, %0 {buffer = @out}
          scf.yield
        }`,
        { out },
      ),
    );
    /* 0 + … + 9 = 45 and 36 before the last; 45 halves five times until it is below 2. */
    expect([...out]).toEqual([32, 36]);
  });

  test('a branch runs one side only', () => {
    const out = new Int32Array(2);
    const kernel = `kernel @k(%c: i1) {
      %0 = arith.constant {value = 0} : i32
      %7 = arith.constant {value = 7} : i32
      %r = scf.if %c { scf.yield %7 } { %d = arith.div %7, %0 : i32
        scf.yield %d } : i32
      mem.store %r, %0 {buffer = @out}
      scf.yield }`;
    right(run(kernel, { out }, { kernel: 'k', args: [true] }));
    expect(out[0]).toBe(7);
    expect(left(run(kernel, { out }, { kernel: 'k', args: [false] }))[0]).toMatchObject({
      code: 'interpret/trap',
      message: 'kernel @k: arith.div: division by zero',
      loc: { file: 'f.fil' },
    });
  });

  test('a loop to the last i32 ends, one with a step of zero traps, one without end is stopped', () => {
    const out = new Int32Array(1);
    const loop = (lb: number, ub: number, step: number) => `kernel @k() {
      %lb = arith.constant {value = ${lb}} : i32
      %ub = arith.constant {value = ${ub}} : i32
      %st = arith.constant {value = ${step}} : i32
      %r = scf.for %lb, %ub, %st, %lb { ^(%i: i32, %l: i32): scf.yield %i } : i32
      %0 = arith.constant {value = 0} : i32
      mem.store %r, %0 {buffer = @out}
      scf.yield }`;
    right(run(loop(2147483640, 2147483647, 5), { out }));
    expect(out[0]).toBe(2147483645);
    expect(left(run(loop(0, 1, 0), { out }))[0].message).toContain('the step must be positive, it is 0');
    const forever = `kernel @k() { %t = arith.constant {value = true} : i1
      scf.while { scf.condition %t } { scf.yield }
      scf.yield }`;
    expect(left(run(forever, {}, { maxSteps: 1000 }))[0]).toMatchObject({ code: 'interpret/steps' });
  });
});

describe('memory', () => {
  test('atomics return the old element; cas compares bits', () => {
    const x = Float64Array.of(1, NaN, -0);
    const old = new Float64Array(3);
    right(
      run(
        `kernel @k() {
          %0 = arith.constant {value = 0} : i32
          %1 = arith.constant {value = 1} : i32
          %2 = arith.constant {value = 2} : i32
          %five = arith.constant {value = 5} : f64
          %nan = arith.constant {value = nan} : f64
          %zero = arith.constant {value = 0} : f64
          %a = mem.atomic %five, %0 {buffer = @x, kind = add} : f64
          %b = mem.cas %nan, %five, %1 {buffer = @x} : f64
          %c = mem.cas %zero, %five, %2 {buffer = @x} : f64
          mem.store %a, %0 {buffer = @old}
          mem.store %b, %1 {buffer = @old}
          mem.store %c, %2 {buffer = @old}
          scf.yield
        }`,
        { x, old },
      ),
    );
    expect([...x]).toEqual([6, 5, -0]);
    expect([...old]).toEqual([1, NaN, -0]);
  });

  test('vectors: load, gather, scatter in order of lanes, reduce, insert, iota', () => {
    const x = Float32Array.of(1, 2, 3, 4);
    const y = new Float32Array(4);
    right(
      run(
        `kernel @k() {
          %0 = arith.constant {value = 0} : i32
          %3 = arith.constant {value = 3} : i32
          %v = mem.load %0 {buffer = @x, lanes = 4} : vec<4 x f32>
          %i = arith.iota %0 {lanes = 4} : vec<4 x i32>
          %last = arith.splat %3 {lanes = 4} : vec<4 x i32>
          %back = arith.sub %last, %i : vec<4 x i32>
          %w = mem.gather %back {buffer = @x} : vec<4 x f32>
          %p = arith.mul %v, %w : vec<4 x f32>
          mem.store %p, %0 {buffer = @y}
          %same = arith.insert %back, %0 {lane = 3} : vec<4 x i32>
          mem.scatter %v, %last {buffer = @y}
          %r = arith.reduce %p {kind = add} : f32
          mem.store %r, %0 {buffer = @y}
          %lane = arith.extract %same {lane = 0} : i32
          mem.store %r, %lane {buffer = @x}
          scf.yield
        }`,
        { x, y },
      ),
    );
    expect([...y]).toEqual([20, 6, 6, 4]);
    expect([...x]).toEqual([1, 2, 3, 20]);
  });

  test.each([
    ['%a = mem.load %4 {buffer = @x} : f64', 'mem.load: index 4 is outside buffer @x of length 4'],
    ['%a = mem.load %m {buffer = @x} : f64', 'mem.load: index -1 is outside buffer @x of length 4'],
    [
      '%a = mem.load %1 {buffer = @x, lanes = 4} : vec<4 x f64>',
      'mem.load: indices 1 … 4 are outside buffer @x of length 4',
    ],
    ['mem.store %f, %4 {buffer = @x}', 'mem.store: index 4 is outside buffer @x of length 4'],
    ['%a = mem.atomic %f, %4 {buffer = @x, kind = add} : f64', 'mem.atomic: index 4 is outside buffer @x of length 4'],
    ['%a = arith.rem %4, %z : i32', 'arith.rem: remainder by zero'],
  ])('%s traps', (op, message) => {
    const constants = `%4 = arith.constant {value = 4} : i32\n%1 = arith.constant {value = 1} : i32\n%m = arith.constant {value = -1} : i32
      %z = arith.constant {value = 0} : i32\n%f = arith.constant {value = 1} : f64`;
    const [d] = left(run(`kernel @k() { ${constants}\n${op}\nscf.yield }`, { x: new Float64Array(4) }));
    expect(d).toMatchObject({ code: 'interpret/trap', message: `kernel @k: ${message}` });
  });

  test("temp buffers start as zeros, const ones hold the module's data", () => {
    const out = new Int32Array(1);
    const kernel = `kernel @k() { %0 = arith.constant {value = 0} : i32
      %t = mem.load %0 {buffer = @t} : i32
      %c = mem.load %0 {buffer = @c} : i32
      %s = arith.add %t, %c : i32
      mem.store %s, %0 {buffer = @out}
      scf.yield }`;
    const declare = 'buffer @t : i32[1] temp\nbuffer @c : i32[1] const = [42]';
    right(run(kernel, { out }, {}, declare));
    expect(out[0]).toBe(42);
  });
});

test('a load that promises bounds traps outside of them', () => {
  const module = right(
    parseModule(`module @m {
  buffer @x : i64[3] input
  buffer @y : i64[2] output
  kernel @k(%i: i32) {
    %a = mem.load %i {buffer = @x, range = [-1, 7]} : i64
    %0 = arith.constant {value = 0} : i32
    mem.store %a, %0 {buffer = @y}
    %v = mem.load %0 {buffer = @x, lanes = 2, range = [-1, 7]} : vec<2 x i64>
    mem.store %v, %0 {buffer = @y}
    scf.yield
  }
}`),
  );
  const run = (x: readonly bigint[], i: number) =>
    interpret(module, coreDialects, { x: BigInt64Array.from(x), y: new BigInt64Array(2) }, { kernel: 'k', args: [i] });
  right(run([-1n, 7n, 8n], 1));
  expect(left(run([-1n, 7n, 8n], 2))[0]).toMatchObject({ code: 'interpret/trap' });
  expect(left(run([-1n, 8n, 0n], 2))[0]).toMatchObject({ code: 'interpret/trap' });
});

describe('buffers of one memory', () => {
  const shared = right(
    parseModule(`module @m {
  buffer @bits : u32[2] temp in @cells
  buffer @number : f32[2] temp in @cells
  buffer @out : u32[1] output
  kernel @k() {
    %0 = arith.constant {value = 0} : i32
    %x = arith.constant {value = 1} : f32
    mem.store %x, %0 {buffer = @number}
    %b = mem.load %0 {buffer = @bits} : u32
    mem.store %b, %0 {buffer = @out}
    scf.yield
  }
}`),
  );

  test('share their bytes', () => {
    const out = new Uint32Array(1);
    right(interpret(shared, coreDialects, { out }));
    expect(out[0]).toBe(0x3f800000);
  });

  test('are given as views of one ArrayBuffer', () => {
    const [out, bits] = [new Uint32Array(1), new Uint32Array(2)];
    right(interpret(shared, coreDialects, { out, bits, number: new Float32Array(bits.buffer) }));
    expect(bits[0]).toBe(0x3f800000);
    const apart = interpret(shared, coreDialects, { out, bits, number: new Float32Array(2) });
    expect(apart).toMatchObject({ left: [{ code: 'interpret/shared-memory' }] });
  });
});

describe('calls', () => {
  const module: Module = right(
    parseModule(
      'module @m { buffer @x : f64[2] inout\n buffer @c : u8[1] const = [1]\n buffer @s : f64[2] scratch\n kernel @k(%n: u8, %w: i64, %x: f32, %b: i1) { scf.yield } }',
    ),
  );
  const call = (
    buffers: Record<string, TypedArray>,
    options: Parameters<typeof interpret>[3] = { kernel: 'k', args: [1, 2, 3, true] },
  ) => interpret(module, coreDialects, buffers, options);
  const x = new Float64Array(2);

  test('a right call runs', () => expect(call({ x })._tag).toBe('Right'));

  test.each([
    ['interpret/missing-buffer', {}, undefined],
    ['interpret/unknown-buffer', { x, y: x }, undefined],
    ['interpret/const-buffer', { x, c: new Uint8Array(1) }, undefined],
    ['interpret/scratch-buffer', { x, s: x }, undefined],
    ['interpret/buffer-type', { x: new Float32Array(2) }, undefined],
    ['interpret/buffer-type', { x: new Float64Array(3) }, undefined],
    ['interpret/unknown-kernel', { x }, { kernel: 'l' }],
    ['interpret/arguments', { x }, { kernel: 'k', args: [1] }],
    ['interpret/arguments', { x }, {}],
    ['interpret/arguments', { x }, { args: [1, 2, 3, true] }],
    ['interpret/arguments', { x }, { kernel: 'k', args: [256, 2, 3, true] }],
    ['interpret/arguments', { x }, { kernel: 'k', args: [1, 2.5, 3, true] }],
    ['interpret/arguments', { x }, { kernel: 'k', args: [1, 2, 3, 1] }],
  ] as const)('%s', (code, buffers, options) => {
    const [d] = left(call(buffers, options));
    expect(d.code).toBe(code);
  });

  test('a module that is not well-formed is refused before anything runs', () => {
    const bad = right(parseModule('module @m { kernel @k(%x: f64) { %a = arith.not %x : f64\n scf.yield } }'));
    expect(left(interpret(bad, coreDialects, {}, { kernel: 'k', args: [1] }))[0].code).toBe('verify/op');
  });
});
