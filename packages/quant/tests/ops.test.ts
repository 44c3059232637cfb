import {
  allocateBuffers,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  isWide,
  makeModule,
  type ScalarType,
} from '@filigree/ir';
import { fixed, float, int } from '@filigree/quant';
import { codeType, type Format } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stepsOf } from './exact.js';

type Float = 'f32' | 'f64';
type Number = number | bigint;

/** What the ops of a format make of values, and of codes. */
const byOps = (
  format: Format,
  type: ScalarType,
  values: readonly Number[],
  codes: readonly Number[],
): { readonly encoded: Number[]; readonly decoded: Number[]; readonly terms: Number[] } => {
  const code = codeType(format.bits);
  const buffers = [
    declareBuffer('values', type, values.length, 'input'),
    declareBuffer('codes', code, codes.length, 'input'),
    declareBuffer('encoded', code, values.length, 'output'),
    declareBuffer('decoded', type, codes.length, 'output'),
    declareBuffer('terms', code, values.length, 'output'),
  ];
  const kernel = buildKernel(
    'main',
    {},
    (b) => {
      const all = (n: number, body: (i: ReturnType<typeof b.i32>) => void): void =>
        void b.for(b.i32(0), b.i32(n), b.i32(1), {}, [], (i) => body(i));
      all(values.length, (i) => b.store('encoded', format.emitEncode(b, b.load('values', i)), i));
      if (format.addend)
        all(values.length, (i) => b.store('terms', format.addend!.emitEncode(b, b.load('values', i)), i));
      all(codes.length, (i) => b.store('decoded', format.emitDecode(b, b.load('codes', i), type), i));
    },
    buffers,
  );
  const memory = allocateBuffers(buffers);
  values.forEach((x, k) => void (memory.values[k] = x as never));
  codes.forEach((x, k) => void (memory.codes[k] = x as never));
  const done = interpret(makeModule('m', buffers, [kernel]), coreDialects, memory, { kernel: 'main' });
  if (done._tag === 'Left') throw new Error(JSON.stringify(done.left));
  const [encoded, decoded, terms] = ['encoded', 'decoded', 'terms'].map((n) => [...(memory[n] as Iterable<Number>)]);
  return { encoded, decoded, terms };
};

const signed = fc.boolean().map((s) => ({ signed: s }));
const range = fc.oneof(fc.constantFrom(1, 2, 0.5, 3, 0.1, 4.1, 1024), fc.double({ min: 1e-6, max: 1e6, noNaN: true }));

const floatFormat = (type: Float): fc.Arbitrary<Format> =>
  fc.oneof(
    fc.tuple(fc.integer({ min: 1, max: type === 'f32' ? 32 : 48 }), range, signed).map((a) => fixed(...a)),
    fc
      .tuple(
        fc.integer({ min: 1, max: type === 'f32' ? 8 : 11 }),
        fc.integer({ min: 0, max: type === 'f32' ? 23 : 52 }),
        signed,
      )
      .map((a) => float(...a)),
  );

const integerFormat = (type: 'i32' | 'u32' | 'i64'): fc.Arbitrary<Format> =>
  fc
    .integer({ min: 1, max: type === 'i64' ? 63 : 31 })
    .chain((bits) => fc.boolean().map((s) => int(bits, { signed: s && type !== 'u32' })));

const codesOf = (format: Format): fc.Arbitrary<Number> =>
  fc.bigInt({ min: 0n, max: (1n << BigInt(format.bits)) - 1n }).map((c) => (format.bits > 32 ? c : Number(c)));

/** Any float, and those that a format makes, with what lies around them and halfway between. */
const floatsNear = (format: Format, type: Float): fc.Arbitrary<number> => {
  const rounded = (x: number): number => (type === 'f32' ? Math.fround(x) : x);
  const decoded = codesOf(format).map((c) => Number(format.decode(c, type)));
  return fc.oneof(
    (type === 'f32' ? fc.float() : fc.double()).map(rounded),
    decoded,
    /* Many times the range, and near middles there. */
    fc
      .tuple(decoded, decoded, fc.integer({ min: 0, max: type === 'f32' ? 30 : 60 }), fc.integer({ min: -2, max: 2 }))
      .map(([x, y, e, k]) => rounded((x * 2 ** e + y / 2) * (1 + k * 2 ** (type === 'f32' ? -23 : -52)))),
    fc
      .tuple(decoded, fc.integer({ min: -4, max: 4 }))
      .map(([x, k]) => rounded(x * (1 + k * 2 ** (type === 'f32' ? -23 : -52)))),
    fc.tuple(codesOf(format), fc.integer({ min: -2, max: 2 })).map(([c, k]) => {
      const near = BigInt(c) === 0n ? 0n : BigInt(c) - 1n;
      const [a, b] = [c, format.bits > 32 ? near : Number(near)].map((x) => Number(format.decode(x, type)));
      return rounded(((a + b) / 2) * (1 + k * 2 ** (type === 'f32' ? -23 : -52)));
    }),
  );
};

describe('terms of sums', () => {
  it.each(['f32', 'f64'] as const)('of %s count the steps that exact arithmetic counts, however many', (type) => {
    fc.assert(
      fc.property(
        fc
          .tuple(fc.integer({ min: 1, max: type === 'f32' ? 32 : 48 }), range, fc.boolean())
          .filter(([bits, r]) => fixed(bits, r).refuses(type) === undefined)
          .chain((of) => fc.tuple(fc.constant(of), fc.array(floatsNear(fixed(of[0], of[1], { signed: of[2] }), type)))),
        ([[bits, r, s], values]) => {
          const held = type === 'f32' ? Math.fround(r) : r;
          const turn = s ? 2 * held : held;
          const known = values.filter((x) => Math.abs(x) < turn * 2 ** (type === 'f32' ? 23 : 52));
          const { addend } = fixed(bits, r, { signed: s });
          expect(known.map((x) => BigInt(addend!.encode(x, type)))).toEqual(
            known.map((x) => BigInt.asUintN(bits, stepsOf(x, bits, held, s))),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

const agree = (format: Format, type: ScalarType, values: readonly Number[], codes: readonly Number[]): void => {
  const { encoded, decoded, terms } = byOps(format, type, values, codes);
  if (format.addend) expect(terms).toEqual(values.map((x) => format.addend!.encode(x, type)));
  expect(encoded).toEqual(values.map((x) => format.encode(x, type)));
  expect(decoded).toEqual(codes.map((c) => format.decode(c, type)));
};

/** What was loaded is stored as something that loads the same. */
const keeps = (format: Format, type: ScalarType, codes: readonly Number[]): void => {
  for (const code of codes) {
    const value = format.decode(code, type);
    expect(format.decode(format.encode(value, type), type)).toBe(value);
  }
};

describe('ops do what the functions of a format do', () => {
  it.each(['f32', 'f64'] as const)('in %s, and what was loaded stays as it is', (type) => {
    fc.assert(
      fc.property(
        floatFormat(type)
          .filter((f) => f.refuses(type) === undefined)
          .chain((f) =>
            fc.tuple(
              fc.constant(f),
              fc.array(floatsNear(f, type), { minLength: 20, maxLength: 20 }),
              fc.array(codesOf(f), { minLength: 20, maxLength: 20 }),
            ),
          ),
        ([format, values, codes]) => {
          agree(format, type, [0, -0, NaN, Infinity, -Infinity, ...values], codes);
          keeps(format, type, codes);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each(['i32', 'u32', 'i64'] as const)('in %s', (type) => {
    const value = isWide(type)
      ? fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      : fc.integer(type === 'u32' ? { min: 0, max: 2 ** 32 - 1 } : {});
    fc.assert(
      fc.property(
        integerFormat(type).chain((f) =>
          fc.tuple(fc.constant(f), fc.array<Number>(value, { minLength: 9 }), fc.array(codesOf(f), { minLength: 9 })),
        ),
        ([format, values, codes]) => {
          agree(format, type, values, codes);
          keeps(format, type, codes);
        },
      ),
    );
  });
});
