import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  constBuffer,
  coreDialects,
  fromJson,
  makeModule,
  parseModule,
  printModule,
  toJson,
  verifyModule,
} from '@filigree/ir';
import { hashModule } from '@filigree/ir/hash';
import { mapValues, randomModule } from './random-module.js';
import { left, right } from './right.js';

const withoutLocs = (x: unknown): unknown =>
  JSON.parse(JSON.stringify(x, (key, v: unknown) => (key === 'loc' ? undefined : v)));

describe('text', () => {
  test('random modules are well-formed', () => {
    fc.assert(
      fc.property(randomModule(), (m) => void expect(verifyModule({ ...m, attrs: {} }, coreDialects)).toEqual([])),
    );
  });

  test('print ∘ parse ∘ print = print, and the content survives', () => {
    fc.assert(
      fc.property(randomModule(), (m) => {
        const text = printModule(m);
        const back = right(parseModule(text));
        expect(printModule(back)).toBe(text);
        expect(hashModule(back)).toBe(hashModule(m));
        expect(back.buffers).toEqual(m.buffers);
        expect(back.attrs).toEqual(m.attrs);
      }),
    );
  });

  test('a parsed module is the printed one, but for hints made unique and ids in order', () => {
    fc.assert(
      fc.property(randomModule(), (m) => {
        const once = right(parseModule(printModule(m)));
        const twice = right(parseModule(printModule(once)));
        expect(withoutLocs(toJson(twice))).toEqual(withoutLocs(toJson(once)));
      }),
    );
  });

  test('JSON gives the module back, ids and hints included', () => {
    fc.assert(
      fc.property(randomModule(), (m) => {
        expect(right(fromJson(JSON.parse(JSON.stringify(toJson(m)))))).toEqual(m);
      }),
    );
  });

  test('numbers that decimal text finds hard survive', () => {
    const values = [NaN, Infinity, -Infinity, -0, 5e-324, 1.7976931348623157e308, 0.1, 1e21, -1e-7];
    const m = makeModule('m', [constBuffer('c', 'f64', values)], [], { list: values });
    const text = printModule(m);
    expect(text).toContain('[nan, inf, -inf, -0, 5e-324, 1.7976931348623157e+308, 0.1, 1e+21, -1e-7]');
    const back = right(parseModule(text));
    expect(back).toEqual(m);
    expect(Object.is((back.attrs.list as number[])[3], -0)).toBe(true);
  });

  test('large constant data is base64 of little-endian bytes', () => {
    const data = Uint32Array.from({ length: 33 }, (_, i) => i * 0x01020304);
    const m = makeModule('m', [constBuffer('c', 'u32', data)], []);
    const expected = Buffer.from(data.buffer).toString('base64');
    expect(printModule(m)).toContain(`base64:"${expected}"`);
    expect(right(parseModule(printModule(m))).buffers[0].data).toEqual(data);
  });

  test('megabytes of constant data', () => {
    const m = makeModule(
      'm',
      [
        constBuffer(
          'c',
          'f64',
          Float64Array.from({ length: 500_000 }, (_, i) => i / 7),
        ),
      ],
      [],
    );
    expect(hashModule(right(parseModule(printModule(m))))).toBe(hashModule(m));
  });

  test('the shape of the text', () => {
    const text = `; a comment
module @saxpy {
  buffer @x : f64[8] input
  buffer @c : u16[3] const = [1, 2, 3]   ; data
  kernel @axpy(%n: i32) {
    %0 = arith.constant {value = 0} : i32
    %one = arith.constant {value=1} : i32
    %s, %t = scf.for %0, %n, %one, %0, %one { ^(%i: i32, %u: i32, %v: i32): scf.yield %v, %u } : i32, i32
    scf.for %0, %n, %one {parallel = true} {
    ^(%k: i32):
      %a = mem.load %k {buffer = @x} : f64
      mem.store %a, %k {buffer = @x}
      scf.yield
    }
    scf.yield
  }
}`;
    expect(printModule(right(parseModule(text)))).toBe(`module @saxpy {
  buffer @x : f64[8] input
  buffer @c : u16[3] const = [1, 2, 3]
  kernel @axpy(%n: i32) {
    %1 = arith.constant {value = 0} : i32
    %one = arith.constant {value = 1} : i32
    %s, %t = scf.for %1, %n, %one, %1, %one {
    ^(%i: i32, %u: i32, %v: i32):
      scf.yield %v, %u
    } : i32, i32
    scf.for %1, %n, %one {parallel = true} {
    ^(%k: i32):
      %a = mem.load %k {buffer = @x} : f64
      mem.store %a, %k {buffer = @x}
      scf.yield
    }
    scf.yield
  }
}
`);
  });

  test('an op without operands may be followed by one with several results', () => {
    const text =
      'module @m {\n  kernel @k(%x: f64) {\n    io.barrier\n    %a, %b = io.pair : f64, f64\n    scf.yield\n  }\n}\n';
    const [barrier, pair] = right(parseModule(text)).kernels[0].body.ops;
    expect([barrier.operands.length, pair.results.length]).toEqual([0, 2]);
  });

  test.each([
    ['modul @m {}', 'parse/syntax', 1, 1],
    ['module @m {\n  layout { }\n  layout { }\n}', 'parse/layout', 3, 3],
    ['module @m {\n  layout {\n  dense (x: 8) { } } }', 'parse/axis', 3, 10],
    ['module @m {\n  layout {\n  dense (i: 8) { field @u : f63 } } }', 'parse/type', 3, 29],
    ['module @m {\n  layout {\n  dense (i: 8) { field @u : f32 = yes } } }', 'parse/layout', 3, 35],
    ['module @m {\n  layout {\n  dense (i: 8) { dense (i: 2) { } field @u : f32 } } }', 'parse/syntax', 3, 35],
    ['module @m {\n  layout {\n  dense (i: 8) cells = 1 cells = 2 { } } }', 'parse/duplicate-attribute', 3, 26],
    ['module @m {\n  buffer @x : f63[1] input\n}', 'parse/type', 2, 15],
    ['module @m {\n  buffer @x : u8[1] const = [256]\n}', 'parse/data', 2, 30],
    ['module @m {\n  buffer @x : u8[2] const = [1]\n}', 'parse/length', 2, 27],
    ['module @m {\n  buffer @x : f64[1] const = base64:"AAA="\n}', 'parse/data', 2, 37],
    ['module @m {\n  buffer @x : f64[1] borrowed\n}', 'parse/role', 2, 22],
    ['module @m {\n kernel @k() {\n  %a = arith.neg %b : f64\n } }', 'parse/undefined-value', 3, 18],
    ['module @m {\n kernel @k(%a: f64) {\n  %a = arith.neg %a : f64\n } }', 'parse/duplicate-value', 3, 3],
    ['module @m {\n kernel @k(%a: f64) {\n  %b = arith.neg %a\n } }', 'parse/result-types', 3, 8],
    ['module @m {\n kernel @k(%a: vec<1 x f64>) { } }', 'parse/type', 2, 20],
    ['module @m {\n kernel @k() { neg } }', 'parse/syntax', 2, 20],
    ['module @m {\n kernel @k() { a.b neg } }', 'parse/syntax', 2, 20],
    ['module @m { kernel @k() { a.b {x = 1, x = 2} } }', 'parse/duplicate-attribute', 1, 39],
    ['module @m { kernel @k() { a.b {x = "1} } }', 'parse/string', 1, 36],
    ['module @m { } module @n { }', 'parse/syntax', 1, 15],
    ['module @m { kernel @k() {', 'parse/syntax', 1, 26],
    ['module @m { # }', 'parse/character', 1, 13],
  ])('%j is refused', (text, code, line, column) => {
    const [d] = left(parseModule(text, 'f.fil'));
    expect(d).toMatchObject({ code, loc: { file: 'f.fil', line, column }, remedy: expect.any(String) as string });
  });

  test('regions nested without end are refused before the stack ends', () => {
    const [d] = left(parseModule(`module @m { kernel @k() ${'{ a.b '.repeat(5000)}`));
    expect(d.code).toBe('parse/depth');
  });

  test('JSON of another shape is refused with the path', () => {
    const json = JSON.parse(JSON.stringify(toJson(right(parseModule('module @m { buffer @x : f64[1] input }'))))) as {
      buffers: { type: string }[];
    };
    json.buffers[0].type = 'f63';
    expect(left(fromJson(json))[0]).toMatchObject({
      code: 'json/shape',
      message: 'buffers[0].type must be a scalar type',
    });
    expect(left(fromJson(null))[0].code).toBe('json/shape');
  });

  test('values of a broken module print, and do not parse', () => {
    const m = right(parseModule('module @m { kernel @k(%a: f64) { %b = arith.neg %a : f64\n scf.yield } }'));
    const broken = mapValues(m, (v) => v);
    const ops = broken.kernels[0].body.ops
      .slice(1)
      .map((op) => ({ ...op, operands: [{ id: 99, type: 'f64' as const }] }));
    const text = printModule({ ...broken, kernels: [{ ...broken.kernels[0], body: { params: [], ops } }] });
    expect(text).toContain('%?99');
    expect(left(parseModule(text))[0].code).toBe('parse/character');
  });
});
