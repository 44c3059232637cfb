import { describe, expect, test } from 'vitest';
import {
  type Buffer,
  type Dialect,
  type Kernel,
  type Op,
  type Value,
  arith,
  coreDialects,
  defineGeneral,
  dialect,
  makeModule,
  opTable,
  parseModule,
  verify,
  verifyModule,
} from '@filigree/ir';
import { left, right } from './right.js';

const check = (text: string) => verifyModule(right(parseModule(text, 'f.fil')), coreDialects);
const kernel = (body: string, params = '%n: i32, %x: f64, %w: i64, %c: i1') =>
  `module @m {\n buffer @x : f64[4] inout\n buffer @k : i32[2] const = [1, 2]\n kernel @f(${params}) {\n  ${body}\n  scf.yield\n }\n}`;

describe('verifier', () => {
  test('a well-formed module has no problems, and the pass returns it', () => {
    const m = right(parseModule(kernel('%a = arith.add %x, %x : f64')));
    expect(right(verify(coreDialects).run(m))).toBe(m);
  });

  /* Each row: a body with one mistake, the code, and a part of the message that names what is wrong. */
  test.each([
    ['%a = arith.add %x, %n : f64', 'verify/op', 'arith.add(f64, i32): operands must have one type'],
    ['%a = arith.add %x : f64', 'verify/op', 'takes 2 operands, has 1'],
    ['%a = arith.add %c, %c : i1', 'verify/op', 'operand 0 must be a number, it is i1'],
    ['%a = arith.add %x, %x : f32', 'verify/result-type', 'results are f32, expected f64'],
    ['arith.add %x, %x', 'verify/result-type', 'results are nothing, expected f64'],
    ['%a = arith.plus %x, %x : f64', 'verify/unknown-op', 'no dialect given defines this op'],
    ['%a = arith.and %x, %x : f64', 'verify/op', 'must be an integer or i1'],
    ['%a = arith.shl %x, %x : f64', 'verify/op', 'must be an integer'],
    ['%a = arith.cmp %x, %x {predicate = near} : i1', 'verify/op', `'predicate' must be one of lt, le, gt, ge, eq, ne`],
    ['%a = arith.cmp %c, %c {predicate = lt} : i1', 'verify/op', `'predicate' must be one of eq, ne`],
    ['%a = arith.select %x, %x, %x : f64', 'verify/op', 'operand 0 must be i1, it is f64'],
    ['%a = arith.cast %x {to = f16} : f64', 'verify/op', `attribute 'to' must be one of`],
    ['%a = arith.bitcast %x {to = f32} : f32', 'verify/op', 'f64 and f32 differ in size'],
    ['%a = arith.constant {value = 1.5} : i32', 'verify/op', 'must be an integer, it is 1.5'],
    ['%a = arith.constant {value = 300} : u8', 'verify/op', 'constant 300 does not fit u8 (0 … 255)'],
    ['%a = arith.constant {value = 1} : i64', 'verify/op', 'must be a decimal string such as "42"'],
    ['%a = arith.constant {value = "9223372036854775808"} : i64', 'verify/op', 'does not fit i64'],
    ['%a = arith.constant {value = 1} : i1', 'verify/op', 'must be true or false'],
    ['%a = arith.constant : i32', 'verify/op', `lacks attribute 'value'`],
    ['%a = arith.splat %x {lanes = 1} : vec<2 x f64>', 'verify/op', `'lanes' must be an integer of at least 2`],
    [
      '%a = arith.splat %x {lanes = 4} : vec<4 x f64>\n %b = arith.extract %a {lane = 4} : f64',
      'verify/op',
      'lane 4 is outside vec<4 x f64>',
    ],
    ['%a = math.sin %n : i32', 'verify/op', 'operand 0 must be f32 or f64, it is i32'],
    [
      'scf.for %n, %n, %n {parallel = true, schedule = guided} {\n^(%i: i32):\n scf.yield\n }',
      'verify/op',
      `'schedule' must be one of static, dynamic, it is guided`,
    ],
    [
      'scf.for %n, %n, %n {parallel = true, threads = 0} {\n^(%i: i32):\n scf.yield\n }',
      'verify/op',
      `'threads' must be an integer of at least 1, it is 0`,
    ],
    [
      'scf.for %n, %n, %n {schedule = dynamic} {\n^(%i: i32):\n scf.yield\n }',
      'verify/op',
      `'schedule' and 'threads' are for parallel loops`,
    ],
    ['%a = mem.load %n {buffer = @x, range = [0, 1]} : f64', 'verify/op', `'range' is for integers, buffer @x is f64`],
    ['%a = mem.load %n {buffer = @k, range = [0]} : i32', 'verify/op', `'range' must be two integers`],
    ['%a = mem.load %n {buffer = @y} : f64', 'verify/unknown-buffer', 'there is no buffer @y'],
    ['%a = mem.load %n {buffer = x} : f64', 'verify/op', `attribute 'buffer' must name a buffer`],
    ['%a = mem.load %x {buffer = @x} : f64', 'verify/op', 'must be an index (i32 or i64), it is f64'],
    ['%a = mem.load %n {buffer = @x} : f32', 'verify/result-type', 'results are f32, expected f64'],
    ['mem.store %n, %n {buffer = @x}', 'verify/op', 'operand 0 must be f64, the type of buffer @x, it is i32'],
    ['mem.store %n, %n {buffer = @k}', 'verify/op', 'buffer @k is const and cannot be written'],
    [
      '%a = mem.atomic %x, %n {buffer = @x, kind = and} : f64',
      'verify/op',
      `'kind' must be one of add, min, max, exchange`,
    ],
    [
      'scf.for %n, %n, %w {\n ^(%i: i32): scf.yield }',
      'verify/op',
      'lb, ub and step must have one type, they have i32, i32, i64',
    ],
    ['scf.for %n, %n, %n {\n ^(%i: i64): scf.yield }', 'verify/op', 'the body takes i64, expected i32'],
    [
      '%a = scf.for %n, %n, %n, %x {\n ^(%i: i32, %v: f64): scf.yield } : f64',
      'verify/op',
      'the body yields nothing, expected f64',
    ],
    [
      '%a = scf.for %n, %n, %n, %x {parallel = true} {\n ^(%i: i32, %v: f64): scf.yield %v } : f64',
      'verify/op',
      'a parallel loop carries no values',
    ],
    ['scf.for %n, %n, %n {\n ^(%i: i32): %a = arith.neg %x : f64 }', 'verify/op', 'the body must end in scf.yield'],
    ['scf.for %n, %n, %n', 'verify/op', 'has 0 regions, expected 1'],
    ['%a = scf.if %c { scf.yield %x } { scf.yield %n } : f64', 'verify/op', 'the else region yields i32, expected f64'],
    ['scf.if %x { scf.yield } { scf.yield }', 'verify/op', 'operand 0 must be i1, it is f64'],
    ['scf.if %c { scf.yield }', 'verify/op', 'has 1 region, expected 2'],
    [
      '%a = scf.while %n {\n ^(%i: i32): scf.yield %i } {\n ^(%j: i32): scf.yield %j } : i32',
      'verify/op',
      'the before region must end in scf.condition',
    ],
    [
      '%a = scf.while %n {\n ^(%i: i32): scf.condition %i, %i } {\n ^(%j: i32): scf.yield %j } : i32',
      'verify/op',
      'the condition must be i1, it is i32',
    ],
    ['scf.yield', 'verify/terminator', 'a terminator stands before other ops'],
    [
      'scf.if %c { %a = arith.neg %x : f64\n scf.yield } { scf.yield }\n %b = arith.neg %a : f64',
      'verify/undefined-value',
      '%a (id 4) is used where its definition is not visible',
    ],
  ])('%s', (body, code, message) => {
    const [d] = check(kernel(body));
    expect(d).toMatchObject({ code, message: expect.stringContaining(message) as string });
    expect(d.remedy).toBeTruthy();
    expect(d.message).toMatch(/^kernel @f: \w+\.\w+\(.*\): /);
    expect(d.loc?.file).toBe('f.fil');
  });

  test('kernels: names, parameters, bodies', () => {
    expect(check('module @m { kernel @f() { } }')[0]).toMatchObject({ code: 'verify/terminator' });
    expect(check('module @m { kernel @f(%x: f64) { scf.yield %x } }')[0]).toMatchObject({ code: 'verify/terminator' });
    expect(check('module @m { kernel @f() { scf.yield } kernel @f() { scf.yield } }')[0]).toMatchObject({
      code: 'verify/duplicate-kernel',
    });
    expect(check('module @m { kernel @f(%v: vec<4 x f64>) { scf.yield } }')[0]).toMatchObject({ code: 'verify/type' });
    expect(check('module @m { kernel @"a b"() { scf.yield } }')[0]).toMatchObject({ code: 'verify/name' });
  });

  test('layouts: axes, extents, names', () => {
    const of = (inside: string) => check(`module @m { layout { ${inside} } }`);
    expect(of('dense (i: 8) pointer { field @u : f32 dense (i: 2) { field @v : f32 } }')).toEqual([]);
    for (const [inside, column] of [
      ['dense (i: 8, i: 4) { }', 22],
      ['dense (i: 0) { }', 22],
      ['dense (i: 1.5) { }', 22],
      ['dense (i: 8) { field @u : f32 field @u : f32 }', 58],
      ['dense (i: 8) { field @"a b" : f32 }', 43],
    ] as const)
      expect(of(inside)).toMatchObject([{ code: 'verify/layout', remedy: expect.any(String), loc: { column } }]);
  });

  test('buffers: names, lengths, data', () => {
    const of = (...buffers: Buffer[]) =>
      verifyModule(makeModule('m', buffers, []), coreDialects).map((d) =>
        d.remedy ? d.code : `${d.code} lacks a remedy`,
      );
    const x: Buffer = { name: 'x', type: 'f32', length: 2, role: 'input' };
    expect(of(x)).toEqual([]);
    expect(of(x, x)).toEqual(['verify/duplicate-buffer']);
    expect(of({ ...x, length: -1 })).toEqual(['verify/buffer']);
    expect(of({ ...x, length: 1.5 })).toEqual(['verify/buffer']);
    expect(of({ ...x, name: 'a.b' })).toEqual(['verify/buffer']);
    expect(of({ ...x, role: 'temp', memory: 'arena' })).toEqual([]);
    expect(of({ ...x, memory: 'a.b' })).toEqual(['verify/buffer']);
    expect(of({ ...x, role: 'const', data: new Float32Array(2), memory: 'arena' })).toEqual(['verify/buffer']);
    expect(of({ ...x, role: 'const' })).toEqual(['verify/buffer-data']);
    expect(of({ ...x, role: 'scratch', length: 16384 })).toEqual([]);
    expect(of({ ...x, role: 'scratch', length: 16385 })).toEqual(['verify/scratch-size']);
    expect(of({ ...x, role: 'scratch', memory: 'arena' })).toEqual(['verify/buffer']);
    expect(of({ ...x, role: 'scratch', data: new Float32Array(2) })).toEqual(['verify/buffer-data']);
    expect(of({ ...x, data: new Float32Array(2) })).toEqual(['verify/buffer-data']);
    expect(of({ ...x, role: 'const', data: new Float64Array(2) })).toEqual(['verify/buffer-data']);
    expect(of({ ...x, role: 'const', data: new Float32Array(3) })).toEqual(['verify/buffer-data']);
    expect(of({ ...x, role: 'const', type: 'i1', data: Uint8Array.of(1, 2) })).toEqual(['verify/buffer-data']);
    expect(of({ ...x, role: 'const', data: new Float32Array(2) })).toEqual([]);
  });

  test('values: an id defined twice, a use before definition, a use of another type', () => {
    const a: Value = { id: 0, type: 'f64' };
    const neg = (operand: Value, result: Value): Op => ({
      name: 'arith.neg',
      operands: [operand],
      results: [result],
      attrs: {},
      regions: [],
    });
    const end: Op = { name: 'scf.yield', operands: [], results: [], attrs: {}, regions: [] };
    const of = (...ops: Op[]) => {
      const k: Kernel = { name: 'k', params: [a], attrs: {}, body: { params: [], ops: [...ops, end] } };
      return verifyModule(makeModule('m', [], [k]), coreDialects).map((d) => d.code);
    };
    expect(of(neg(a, { id: 1, type: 'f64' }))).toEqual([]);
    expect(of(neg(a, a))).toEqual(['verify/duplicate-value']);
    expect(of(neg({ id: 7, type: 'f64' }, { id: 1, type: 'f64' }))).toEqual(['verify/undefined-value']);
    expect(of(neg({ id: 0, type: 'f32' }, { id: 1, type: 'f32' }))).toEqual(['verify/value-type']);
    expect(of(neg(a, { id: 1, type: { lanes: 1, of: 'f64' } }))).toContain('verify/type');
  });

  test('all problems are reported', () => {
    expect(check(kernel('%a = arith.add %x, %n : f64\n %b = arith.foo %x : f64')).map((d) => d.code)).toEqual([
      'verify/op',
      'verify/unknown-op',
    ]);
  });

  test('a dialect from outside is checked by its own definition', () => {
    const own: Dialect = dialect('own', [
      defineGeneral(
        {
          name: 'own.twice',
          summary: 'twice',
          verify: (op) => (op.attrs.ok === true ? [] : ['not ok']),
          resultTypes: (v) => [v[0].type],
        },
        (_op, [a]) => [2 * (a as number)],
      ),
    ]);
    const m = right(
      parseModule('module @m { kernel @k(%x: f64) { %a = own.twice %x {ok = false} : f64\n scf.yield } }'),
    );
    expect(left(verify(coreDialects).run(m))[0].code).toBe('verify/unknown-op');
    expect(left(verify([...coreDialects, own]).run(m))[0].message).toBe('kernel @k: own.twice(f64): not ok');
  });

  test('dialects that define the same op are refused', () => {
    const again = dialect('arith', [Object.values(arith.ops)[0]]);
    expect(() => opTable([arith, again])).toThrow(/dialect\/clash/);
    expect(() => dialect('own', [Object.values(arith.ops)[0]])).toThrow(/dialect\/name/);
  });
});
