import type { Attrs, Value } from '@filigree/ir';
import { along, type Emit } from '../access/lower/address.js';
import { loadWord, numberOf } from './cells.js';
import { loop } from './loop.js';
import { WORD } from './plan.js';
import { boundOf, type Row } from './row.js';

/**
 * Runs `body` for the digits of a row whose cells are active, a word of the mask at a time where a row fills words or words
 * hold whole rows.
 */
export const overMask = (e: Emit, row: Row, attrs: Attrs, hint: string, body: (digit: Value) => void): void => {
  const { at } = row.loop;
  const extent = at.node.extents[row.loop.axis];
  if (at.node.morton) return cellByCell(e, row, hint, body);
  if (extent % WORD === 0 || at.node.axes.length === 1) return wordByWord(e, row, attrs, hint, body);
  if (WORD % extent === 0 && row.from === undefined) return rowOfWord(e, row, attrs, hint, body);
  return cellByCell(e, row, hint, body);
};

/** Whether the cell of a row with this digit is active. */
export const isActiveIn = (e: Emit, row: Row, digit: Value): Value => {
  const number = numberAt(e, row, digit);
  const word = loadWord(e, along(row.mask, e.b.shr(number, e.b.i32(5)), 4));
  return bitIn(e, word, e.b.and(number, e.b.i32(31)));
};

/** Rows begin where words do; bits behind the last cell are never set. */
const wordByWord = (e: Emit, row: Row, attrs: Attrs, hint: string, body: (digit: Value) => void): void => {
  const { b } = e;
  const first = b.shr(numberAt(e, row, row.from ?? b.i32(0)), b.i32(5));
  loop(
    b,
    wordsOf(e, row),
    (n) => {
      const word = loadWord(e, along(row.mask, b.add(first, n), 4));
      b.if(b.cmp('ne', word, b.i32(0)), () => {
        const inRow = b.mul(n, b.i32(WORD));
        const base = row.from ? b.add(row.from, inRow) : inRow;
        bits(e, word, WORD, attrs, hint, (bit) => body(b.value('snode.index', [base, bit], { unit: WORD })));
      });
    },
    { hint: 'word' },
  );
};

/** A word holds one or several rows, each whole. */
const rowOfWord = (e: Emit, row: Row, attrs: Attrs, hint: string, body: (digit: Value) => void): void => {
  const { b } = e;
  const extent = row.loop.at.node.extents[row.loop.axis];
  const number = numberAt(e, row, b.i32(0));
  const word = loadWord(e, along(row.mask, b.shr(number, b.i32(5)), 4));
  const own = extent === WORD ? word : b.and(b.shr(word, b.and(number, b.i32(31))), b.i32(2 ** extent - 1));
  b.if(b.cmp('ne', own, b.i32(0)), () => bits(e, own, extent, attrs, hint, body));
};

const cellByCell = (e: Emit, row: Row, hint: string, body: (digit: Value) => void): void => {
  const { b } = e;
  loop(
    b,
    boundOf(e, row),
    (n) => {
      const digit = row.from ? b.value('snode.index', [row.from, n], { unit: row.loop.count }) : n;
      b.if(isActiveIn(e, row, digit), () => body(digit));
    },
    { hint },
  );
};

/** The numbers of the bits that are set among the lowest `count`. */
const bits = (e: Emit, word: Value, count: number, attrs: Attrs, hint: string, body: (bit: Value) => void): void =>
  loop(
    e.b,
    e.b.i32(count),
    (bit) => {
      e.b.if(bitIn(e, word, bit), () => body(bit));
    },
    { attrs, hint },
  );

const bitIn = ({ b }: Emit, word: Value, bit: Value): Value => b.cmp('ne', b.and(b.shr(word, bit), b.i32(1)), b.i32(0));

/** The number in its container of the cell of a row with a digit. */
const numberAt = ({ b }: Emit, { loop: { at, axis }, digits }: Row, digit: Value): Value =>
  numberOf(b, at, new Map([...digits, [axis, digit]]));

const wordsOf = (e: Emit, row: Row): Value => {
  const { b } = e;
  const { count, at, axis } = row.loop;
  const extent = at.node.extents[axis];
  if (!row.from || extent % count === 0) return b.i32(Math.ceil(count / WORD));
  const rest = b.sub(b.i32(extent), row.from);
  return b.min(b.i32(count / WORD), b.shr(b.add(rest, b.i32(WORD - 1)), b.i32(5)));
};
