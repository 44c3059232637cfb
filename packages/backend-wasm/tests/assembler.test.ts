import * as E from 'fp-ts/lib/Either.js';
import loadWabt from 'wabt';
import { beforeAll, describe, expect, it } from 'vitest';
import { conformancePrograms } from '@filigree/conformance';
import { wasm } from '@filigree/backend-wasm';
import { codeOf, settled, value } from './helpers.js';

/** The reference: another assembler, on the same text. */
const wabt: { parse?: Awaited<ReturnType<typeof loadWabt>>['parseWat'] } = {};
beforeAll(async () => {
  wabt.parse = (await loadWabt()).parseWat;
});

const reference = (wat: string): Uint8Array => {
  const features = {
    simd: true,
    threads: true,
    bulk_memory: true,
    sat_float_to_int: true,
    sign_extension: true,
    relaxed_simd: true,
  };
  const module = wabt.parse!('kernels.wat', wat, features);
  try {
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
};

const assembled = async (wat: string): Promise<Uint8Array> => {
  const sources = { backend: 'wasm', files: [{ name: 'kernels.wat', language: 'wat' as const, contents: wat }] };
  return (await settled(wasm().compile?.(sources, { cache: false }))).bytes!;
};

const expectSame = async (wat: string): Promise<void> => {
  expect(Buffer.from(await assembled(wat)).toString('hex')).toBe(Buffer.from(reference(wat)).toString('hex'));
};

const inFunction = (lines: readonly string[]): string => `(module
  (import "filigree" "memory" (memory 1 65536 shared))
  (import "math" "sin" (func $sin (param f64) (result f64)))
  (type $range (func (param i64 i64)))
  (table funcref (elem $f))
  (global (export "pages") i32 (i32.const 70000))
  (global $g (mut i32) (i32.const -1))
  (func $f (export "k:a b\\22") (param $x i32) (param $y i64) (param f64)
    (local $a i32) (local $b i32) (local $v v128) (local i32)
${lines.map((l) => `    ${l}`).join('\n')}))`;

describe('the assembler writes the bytes that wabt does', () => {
  it.each(conformancePrograms().map((p) => [p.name, p] as const))(
    'of the conformance program %s',
    async (_, { module }) => {
      for (const options of [{}, { simd: false, shared: false }]) {
        const backend = wasm(options);
        const legal = backend.legalize.run(module);
        if (E.isLeft(legal)) continue;
        await expectSame(String(value(backend.emit.run(legal.right)).files[0].contents));
      }
      expect.hasAssertions();
    },
  );

  const integer = ['i32', 'i64'];
  const float = ['f32', 'f64'];
  const vectors = ['i8x16', 'i16x8', 'i32x4', 'i64x2', 'f32x4', 'f64x2'];
  const each = (types: readonly string[], names: string): string[] =>
    types.flatMap((t) => names.split(' ').map((n) => `${t}.${n}`));
  const tests = 'eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u';

  it('of every scalar instruction', () =>
    expectSame(
      inFunction([
        ...each(
          integer,
          `eqz ${tests} clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr`,
        ),
        ...each(integer, 'trunc_f32_s trunc_f32_u trunc_f64_s trunc_f64_u extend8_s extend16_s'),
        ...each(integer, 'trunc_sat_f32_s trunc_sat_f32_u trunc_sat_f64_s trunc_sat_f64_u'),
        ...each(float, 'eq ne lt gt le ge abs neg ceil floor trunc nearest sqrt add sub mul div min max copysign'),
        ...each(float, 'convert_i32_s convert_i32_u convert_i64_s convert_i64_u'),
        ...'i32.wrap_i64 i64.extend_i32_s i64.extend_i32_u i64.extend32_s f32.demote_f64 f64.promote_f32'.split(' '),
        ...'i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64'.split(' '),
        ...'drop select nop unreachable return'.split(' '),
        'memory.size',
        'memory.grow',
        'memory.copy',
        'memory.fill',
        'local.get $x',
        'local.set $b',
        'local.tee $y',
        'local.get 6',
        'global.get $g',
        'global.set $g',
        'call $sin',
        'call $f',
        '(call_indirect (type $range) (i64.const 0) (i64.const 1) (i32.const 0))',
      ]),
    ));

  it('of every access to memory', () =>
    expectSame(
      inFunction([
        ...each([...integer, ...float], 'load store').flatMap((n) => [n, `${n} offset=300 align=1`]),
        ...each(integer, 'load8_s load8_u load16_s load16_u store8 store16'),
        ...each(['i64'], 'load32_s load32_u store32'),
        ...each(
          ['v128'],
          'load load8x8_s load8x8_u load16x4_s load16x4_u load32x2_s load32x2_u load8_splat load16_splat',
        ),
        ...each(['v128'], 'load32_splat load64_splat store load32_zero load64_zero').flatMap((n) => [
          n,
          `${n} offset=16`,
        ]),
        ...each(
          ['v128'],
          'load8_lane load16_lane load32_lane load64_lane store8_lane store16_lane store32_lane store64_lane',
        ).map((n) => `${n} offset=4 1`),
        ...'memory.atomic.notify memory.atomic.wait32 memory.atomic.wait64 atomic.fence'.split(' '),
        ...each(integer, 'atomic.load atomic.load8_u atomic.load16_u atomic.store atomic.store8 atomic.store16'),
        ...each(['i64'], 'atomic.load32_u atomic.store32'),
        ...['add', 'sub', 'and', 'or', 'xor', 'xchg', 'cmpxchg'].flatMap((u) => [
          ...each(integer, `atomic.rmw.${u} atomic.rmw8.${u}_u atomic.rmw16.${u}_u`),
          `i64.atomic.rmw32.${u}_u`,
        ]),
      ]),
    ));

  it('of every instruction on vectors', () =>
    expectSame(
      inFunction([
        ...each(vectors, 'splat'),
        ...each(vectors, 'replace_lane').map((n) => `${n} 1`),
        ...each(vectors.slice(0, 2), 'extract_lane_s extract_lane_u').map((n) => `${n} 3`),
        ...each(vectors.slice(2), 'extract_lane').map((n) => `${n} 0`),
        ...each(vectors.slice(0, 3), tests),
        ...each(['i64x2'], 'eq ne lt_s gt_s le_s ge_s'),
        ...each(
          vectors.slice(4),
          'eq ne lt gt le ge abs neg sqrt add sub mul div min max pmin pmax ceil floor trunc nearest relaxed_madd relaxed_nmadd',
        ),
        ...each(['v128'], 'not and andnot or xor bitselect any_true'),
        ...each(vectors.slice(0, 4), 'abs neg all_true bitmask shl shr_s shr_u add sub'),
        ...each(vectors.slice(0, 3), 'min_s min_u max_s max_u'),
        ...each(vectors.slice(0, 2), 'add_sat_s add_sat_u sub_sat_s sub_sat_u avgr_u'),
        ...each(vectors.slice(1, 4), 'mul'),
        ...each(['i8x16'], 'swizzle popcnt narrow_i16x8_s narrow_i16x8_u'),
        ...each(
          ['i16x8'],
          'narrow_i32x4_s narrow_i32x4_u q15mulr_sat_s extadd_pairwise_i8x16_s extadd_pairwise_i8x16_u',
        ),
        ...each(['i32x4'], 'dot_i16x8_s extadd_pairwise_i16x8_s extadd_pairwise_i16x8_u'),
        ...(
          [
            ['i16x8', 'i8x16'],
            ['i32x4', 'i16x8'],
            ['i64x2', 'i32x4'],
          ] as const
        ).flatMap(([to, from]) =>
          ['low', 'high'].flatMap((half) =>
            ['s', 'u'].flatMap((sign) => [
              `${to}.extend_${half}_${from}_${sign}`,
              `${to}.extmul_${half}_${from}_${sign}`,
            ]),
          ),
        ),
        ...each(['i32x4'], 'trunc_sat_f32x4_s trunc_sat_f32x4_u trunc_sat_f64x2_s_zero trunc_sat_f64x2_u_zero'),
        ...each(['f32x4'], 'convert_i32x4_s convert_i32x4_u demote_f64x2_zero'),
        ...each(['f64x2'], 'convert_low_i32x4_s convert_low_i32x4_u promote_low_f32x4'),
        'i8x16.shuffle 0 1 2 3 4 5 6 7 24 25 26 27 28 29 30 31',
        'v128.const i32x4 0 -1 7 0x80000000',
        'v128.const f64x2 -0.5 nan',
        'v128.const i8x16 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 255',
        'v128.const f32x4 1 2.5e-3 -inf 0',
        'v128.const i64x2 -1 9223372036854775807',
        'v128.const i16x8 0 1 2 3 4 5 6 65535',
      ]),
    ));

  it('of numbers at their limits', () =>
    expectSame(
      inFunction([
        ...[0, 63, 64, 127, 128, -1, -64, -65, 8191, 8192, 2147483647, -2147483648, 4294967295].map(
          (n) => `i32.const ${n}`,
        ),
        ...[
          '0',
          '-1',
          '63',
          '64',
          '-64',
          '-65',
          '9223372036854775807',
          '-9223372036854775808',
          '0xffffffffffffffff',
          '1_000',
        ].map((n) => `i64.const ${n}`),
        ...['f32', 'f64'].flatMap((t) =>
          [
            '0',
            '-0',
            '1',
            '-1.5',
            '0.10000000149011612',
            '1e-45',
            '5e-324',
            '3.4028234663852886e+38',
            'inf',
            '-inf',
            'nan',
            '-nan',
            '0x1.8p3',
            '0x1p-10',
            'nan:0x1234',
          ].map((n) => `${t}.const ${n}`),
        ),
      ]),
    ));

  it('of blocks, branches and comments', () =>
    expectSame(
      inFunction([
        '(block $out ;; a comment',
        '  (loop $again (; another ;) (br_if $out (local.get $x)) (br_if 0 (i32.const 1)) (br $again))',
        '  (block (br_table 0 $out 1 (local.get $x))))',
        '(local.set $a (if (result i32) (local.get $x) (then (i32.const 1)) (else (i32.const 2))))',
        '(if (i32.eqz (local.get $a)) (then (return)))',
        '(local.set $v (block (result v128) (v128.load offset=8 (local.get $x))))',
        '(local.get $a) (local.get $x) (local.set $a) (local.set $x)',
      ]),
    ));
});

describe('text that is none', () => {
  it.each([
    ['an instruction that does not exist', inFunction(['(i32.plus (i32.const 1))'])],
    ['a local that does not exist', inFunction(['(local.get $nobody)'])],
    ['a block that does not exist', inFunction(['(br $nowhere)'])],
    ['a function that does not exist', inFunction(['(call $nobody)'])],
    ['a number that is none', inFunction(['(f64.const one)'])],
    ['an integer that is none', inFunction(['(i64.const 1.5)'])],
    ['an end that comes early', '(module (func'],
    ['a comment without an end', '(module (; '],
    ['a string without an end', '(module (import "a'],
    ['nothing', ''],
  ])('%s', async (_, wat) => {
    expect(await codeOf(() => assembled(wat))).toBe('wasm/text');
  });
});
