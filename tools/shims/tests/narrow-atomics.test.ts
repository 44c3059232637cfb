import { describe, expect, it } from 'vitest';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { type ScalarType, type TypedArray, buildKernel, declareBuffer, makeModule, orThrow } from '@filigree/ir';
import { cudaInterleaved, metalInterleaved, type Order } from '../src/index.js';
import { changed } from './changed.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const orders: readonly Order[] = ['forward', 'backward', { seed: 20267 }];

/* Four neighbours lie in a word of bytes, and all are counted at once; plain words lie on both sides. */
const COUNT = 800;
const CELLS = 4;
const types = ['i8', 'u8', 'i16', 'u16'] as const satisfies readonly ScalarType[];
const buffers = types.map((t) => declareBuffer(`cell_${t}`, t, CELLS, 'inout'));
const module = makeModule('narrow', buffers, [
  buildKernel(
    'count',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(COUNT), b.i32(1), { parallel: true }, [], (n) => {
        const cell = b.and(n, b.i32(CELLS - 1));
        for (const t of types) b.atomic(`cell_${t}`, 'add', b.constant(1, t), cell);
      }),
    buffers,
  ),
]);

/** What is in the cells of each type after the kernel ran. */
const counted = async (backend: Backend): Promise<Readonly<Record<string, readonly number[]>>> => {
  const legal = orThrow(backend.legalize.run(module));
  const artifact = orThrow(await backend.compile!(orThrow(backend.emit.run(legal)))());
  const x = orThrow(await backend.load!(artifact, legal)());
  try {
    x.launch('count', []);
    return Object.fromEntries(
      buffers.map(({ name, type }) => {
        const into = new arrays[type as (typeof types)[number]](CELLS);
        x.buffer(name).read(into);
        return [name, [...into]];
      }),
    );
  } finally {
    x.dispose();
  }
};

const arrays = { i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array } as const satisfies Record<
  (typeof types)[number],
  new (length: number) => TypedArray
>;

/* 200 in each cell; of a signed byte it is −56. */
const EACH = COUNT / CELLS;
const right = Object.fromEntries(
  types.map((t) => [`cell_${t}`, new Array<number>(CELLS).fill(t === 'i8' ? EACH - 256 : EACH)]),
);

/* A word is stored over whatever is there by now. */
const plain = (text: string): string =>
  text.replace(/seen = \w+\((?:\([^()]*\))?at, same, (.*)\);$/gm, '*at = $1; seen = same;');
/* The neighbours of an element are not put back. */
const alone = (text: string): string => text.replace(/\(same & ~\(0xffu << shift\)\) \| /g, '');

describe.skipIf(!usable).each([
  ['metal', metalInterleaved],
  ['cuda', cudaInterleaved],
] as const)('atomics on elements of a byte or two on %s', (_, make) => {
  it.each(orders)('count neighbours in one word at once, order %j', async (order) => {
    expect(await counted(make(order))).toEqual(right);
  });

  it('lose counts where the word is not compared, or what lies beside is not put back', async () => {
    for (const order of orders)
      for (const change of [plain, alone]) {
        let text = '';
        const backend = changed(make(order), (given) => (text = change(given)));
        expect(await counted(backend)).not.toEqual(right);
        expect(text).not.toBe('');
      }
  });
});
