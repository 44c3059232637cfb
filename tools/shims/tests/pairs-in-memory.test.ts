import { describe, expect, it } from 'vitest';
import { dialectsOf } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { pairDialect } from '@filigree/backend/gpu';
import { type Builder, type Value, buildKernel, declareBuffer, interpret, makeModule, orThrow } from '@filigree/ir';
import { metalInPairsOnCpu } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const dialects = [...dialectsOf([]), pairDialect];
const backend = metalInPairsOnCpu();

const view = new DataView(new ArrayBuffer(8));
const ofBits = (bits: bigint): number => {
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
};
const single = (bits: number): number => {
  view.setUint32(0, bits);
  return view.getFloat32(0);
};

/* The same numbers each time, of all bits. */
const words = (count: number): readonly number[] => {
  const all: number[] = [];
  for (let k = 0, at = 20268; k < count; k++) {
    at = (Math.imul(at, 1664525) + 1013904223) >>> 0;
    all.push((at ^ (at >>> 15)) >>> 0);
  }
  return all;
};

/* Bits around which rounding goes this way or that, with exponents of which singles have all, some or none. */
const patterns: readonly bigint[] = [
  ...[0, 1, 873, 874, 896, 897, 1000, 1023, 1024, 1100, 1149, 1150, 1151, 2046, 2047].flatMap((exponent) =>
    [
      0n,
      1n,
      0x10000000n,
      0x10000001n,
      0x0fffffffn,
      0x30000000n,
      0xfffffe0000000n,
      0xfffffefffffffn,
      0xffffff0000000n,
      0xfffffffffffffn,
    ].map((digits) => (BigInt(exponent) << 52n) | digits),
  ),
  ...words(400).map((w, k) => (BigInt(w) << 32n) | BigInt(words(400)[399 - k]!)),
  ...words(400).map((w, k) => (BigInt(900 + (w % 250)) << 52n) | (BigInt(w) << 20n) | BigInt(k * 1021)),
];
const doubles = [...patterns, ...patterns.map((p) => p | (1n << 63n))].map(ofBits);

const singles = [0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x34000000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x4b800001]
  .flatMap((w) => [w, w + 0x80000000])
  .map(single);
/* Any two of these, and such as are apart by any number of digits. */
const two = [
  ...singles.flatMap((a) => singles.map((b) => [a, b] as const)),
  ...words(3000).map(
    (w, k) =>
      [
        single(w),
        single((((w & 0x7f800000) - (k % 70) * 0x800000) | (words(1)[0]! & 0x807fffff) | (k % 2)) >>> 0),
      ] as const,
  ),
  ...words(400).map((w) => [single((w & 0x807fffff) | 0x3f800000), single(((w * 5) & 0x7fffff) | 0x33000000)] as const),
];

/** What a kernel makes of so many elements on the backend, and by the interpreter. */
const both = async <A extends Float64Array | BigUint64Array>(
  inputs: Readonly<Record<string, Float32Array | Float64Array>>,
  [got, right]: readonly [A, A],
  body: (b: Builder, k: Value) => void,
): Promise<readonly [got: A, right: A]> => {
  const { length } = got;
  const buffers = [
    ...Object.entries(inputs).map(([name, data]) =>
      declareBuffer(name, data instanceof Float32Array ? 'f32' : 'f64', data.length, 'input'),
    ),
    declareBuffer('y', got instanceof Float64Array ? 'f64' : 'u64', length, 'output'),
  ];
  const kernel = buildKernel(
    'k',
    {},
    (b) => void b.for(b.i32(0), b.i32(length), b.i32(1), { parallel: true }, [], (k) => body(b, k)),
    buffers,
    { dialects },
  );
  const module = makeModule('memory', buffers, [kernel]);
  const legal = orThrow(backend.legalize.run(module));
  const artifact = orThrow(await backend.compile!(orThrow(backend.emit.run(legal)))());
  const x = orThrow(await backend.load!(artifact, legal)());
  try {
    for (const [name, data] of Object.entries(inputs)) x.buffer(name).write(data);
    x.launch('k', []);
    x.buffer('y').read(got);
  } finally {
    x.dispose();
  }
  orThrow(interpret(module, dialects, { ...inputs, y: right }, {}));
  return [got, right];
};

describe.skipIf(!usable)('doubles in memory of Metal', () => {
  it('are doubles for the host, and 48 of their digits are kept on the way', async () => {
    const of = (): Float64Array => new Float64Array(doubles.length);
    const [got, same] = await both({ x: Float64Array.from(doubles) }, [of(), of()], (b, k) =>
      b.store('y', b.load('x', k), k),
    );
    expect([...same]).toEqual(doubles);
    const kept = doubles.map((x) => {
      const high = Math.fround(x);
      return Number.isFinite(high) ? high + Math.fround(x - high) : high;
    });
    /* Where the second half is less than normal it may be rounded twice. */
    const near = (x: number, right: number): boolean =>
      Object.is(x, right) || (Math.abs(right) < 2 ** -96 && Math.abs(x - right) <= 2 ** -149);
    expect(doubles.filter((_, k) => !near(got[k]!, kept[k]!))).toEqual([]);
    expect(kept.filter((x) => Math.abs(x) > 2 ** -100 && Number.isFinite(x)).length).toBeGreaterThan(300);
  });

  it('are what two singles are together, to the last bit', async () => {
    const [high, low] = [0, 1].map((k) => Float32Array.from(two.map((pair) => pair[k as 0 | 1])));
    const of = (): BigUint64Array => new BigUint64Array(two.length);
    const [got, right] = await both({ high: high!, low: low! }, [of(), of()], (b, k) =>
      b.store('y', b.value('pair.bits', [b.load('high', k), b.load('low', k)]), k),
    );
    const isNaN = (bits: bigint): boolean => Number.isNaN(ofBits(bits));
    expect(two.filter((_, k) => got[k] !== right[k] && !(isNaN(got[k]!) && isNaN(right[k]!)))).toEqual([]);
  });
});
