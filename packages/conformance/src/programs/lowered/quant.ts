import { declareBuffer } from '@filigree/ir';
import { int } from '@filigree/quant';
import { bitArray, bitStruct, dense, field, i, j, layout, stored } from '@filigree/sparse/fields';
import { type OnFields, add, load, range, store } from './on-fields.js';

const [a, b, c] = ['a', 'b', 'c'].map((name) => field(name, 'i32'));

/** What `quant` makes of fields that lie in words together. */
export const quantPrograms = (): readonly OnFields[] => [structs(), arrays()];

const COUNT = 300;

/** Fields of one word, stored one by one, together, and added to. */
const structs = (): OnFields => ({
  name: 'fields that share a word',
  layout: layout(dense(i, COUNT).place(bitStruct(32, stored(a!, int(7)), stored(b!, int(12)), stored(c!, int(13))))),
  buffers: ['one', 'other', 'third'].map((name) => declareBuffer(name, 'i32', COUNT, 'output')),
  kernels: {
    both: (e) =>
      range(e, COUNT, (n) => {
        store(e, 'a', e.sub(e.rem(n, e.i32(100)), e.i32(50)), n);
        store(e, 'b', e.sub(n, e.i32(200)), n);
      }),
    shared: (e) => range(e, 4 * COUNT, (n) => add(e, 'c', n, e.rem(n, e.i32(COUNT)))),
    look: (e) =>
      range(e, COUNT, (n) =>
        (['a', 'b', 'c'] as const).forEach((f, k) => e.store(['one', 'other', 'third'][k]!, load(e, f, n), n)),
      ),
  },
});

/** Elements of one word, each of which another iteration stores. */
const arrays = (): OnFields => ({
  name: 'elements that share a word',
  layout: layout(
    dense(i, 20).fork(bitArray(j, 16, 64).place(stored(a!, int(4)))),
    dense(i, 20).fork(bitArray(j, 16, 16).place(stored(b!, int(1, { signed: false })))),
  ),
  buffers: ['one', 'other'].map((name) => declareBuffer(name, 'i32', 320, 'output')),
  kernels: {
    each: (e) =>
      range(e, 320, (n) => {
        const at = [e.shr(n, e.i32(4)), e.and(n, e.i32(15))];
        store(e, 'a', e.sub(e.rem(n, e.i32(16)), e.i32(8)), ...at);
        store(e, 'b', e.rem(e.mul(n, n), e.i32(2)), ...at);
      }),
    look: (e) =>
      range(e, 320, (n) => {
        const at = [e.shr(n, e.i32(4)), e.and(n, e.i32(15))];
        e.store('one', load(e, 'a', ...at), n);
        e.store('other', load(e, 'b', ...at), n);
      }),
  },
});
