import { COMMUTATIVE, associativeIn } from '../decompose/codes.js';
import type { Grouping } from '../group/group.js';
import { isUniform } from '../trace/elements/column-from.js';
import { readToken } from './token.js';

/**
 * Exchanges, in place, operands of sums and products that are written alike, so that all instances have the same constants at the same places,
 * where all of them can. The weights of a stencil are numbers of the code then, although at the border, where what is shared was
 * written elsewhere, the program adds in another order.
 *
 * @param tokens a canonical form
 * @param leaves one array a leaf of the form, an entry an instance
 * @param constants the same for its constants
 */
export const alignOperands = (
  { graph: { arithmetic } }: Pick<Grouping, 'graph'>,
  tokens: Int32Array,
  leaves: readonly Int32Array[],
  constants: readonly Int32Array[],
): void => {
  if (constants.every(isUniform)) return;
  const associative = associativeIn(arithmetic);
  const anyOrder = (code: number): boolean => associative[code] === 1 || COMMUTATIVE[code] === 1;
  for (const operands of runsOf(tokens, anyOrder)) {
    const [first] = operands;
    const given = operands.map((o) => constants.slice(o.constant, o.constant + first!.constants));
    if (operands.length > MOST_OPERANDS || given.every((of) => of.every(isUniform))) continue;
    const from = exchanges(given);
    if (from === undefined) continue;
    const columns = operands.map((o) => [
      ...leaves.slice(o.leaf, o.leaf + first!.leaves),
      ...constants.slice(o.constant, o.constant + first!.constants),
    ]);
    for (const [k] of columns[0]!.entries())
      exchange(
        columns.map((of) => of[k]!),
        from,
      );
  }
};

/** Longer sums are loops. */
const MOST_OPERANDS = 64;

/** An operand: where it stands in a form, and which leaves and constants are its own. */
interface Operand {
  readonly begin: number;
  readonly end: number;
  readonly leaf: number;
  readonly leaves: number;
  readonly constant: number;
  readonly constants: number;
}

/** Operands that follow one another and are written alike, of operations that take theirs in any order. None where a form refers back to its parts. */
const runsOf = (tokens: Int32Array, anyOrder: (code: number) => boolean): readonly (readonly Operand[])[] => {
  const runs: Operand[][] = [];
  let [at, leaf, constant] = [0, 0, 0];
  let refersBack = false;
  const operand = (): Operand => {
    const start = { begin: at, leaf, constant };
    const t = readToken(tokens[at++]!);
    if (t.is === 'back') refersBack = true;
    if (t.is === 'leaf') leaf++;
    if (t.is === 'constant') constant++;
    if (t.is === 'operation') {
      const of = Array.from({ length: t.operands }, operand);
      if (anyOrder(t.code)) runs.push(...alike(tokens, of));
    }
    return { ...start, end: at, leaves: leaf - start.leaf, constants: constant - start.constant };
  };
  while (at < tokens.length) operand();
  return refersBack ? [] : runs;
};

/** Stretches of operands that are written alike, and have constants. */
const alike = (tokens: Int32Array, operands: readonly Operand[]): readonly Operand[][] => {
  const found: Operand[][] = [];
  for (const o of operands) {
    const last = found.at(-1);
    if (last && sameWords(tokens, last[0]!, o)) last.push(o);
    else found.push([o]);
  }
  return found.filter((run) => run.length > 1 && run[0]!.constants > 0);
};

const sameWords = (tokens: Int32Array, a: Operand, b: Operand): boolean => {
  if (a.end - a.begin !== b.end - b.begin) return false;
  for (let k = 0; k < a.end - a.begin; k++) if (tokens[a.begin + k] !== tokens[b.begin + k]) return false;
  return true;
};

/** For each instance which operand is to stand at each place, so that its constants are those of the first instance; none where one has others. */
const exchanges = (constants: readonly (readonly Int32Array[])[]): Uint8Array | undefined => {
  const places = constants.length;
  const instances = constants[0]![0]!.length;
  const from = new Uint8Array(places * instances);
  const equal = (place: number, other: number, i: number): boolean =>
    constants[place]!.every((column, k) => column[0] === constants[other]![k]![i]);
  const taken = new Uint8Array(places);
  for (let i = 0; i < instances; i++) {
    taken.fill(0);
    for (let place = 0; place < places; place++) {
      let other = 0;
      while (other < places && (taken[other] === 1 || !equal(place, other, i))) other++;
      if (other === places) return undefined;
      taken[other] = 1;
      from[i * places + place] = other;
    }
  }
  return from;
};

const exchange = (columns: readonly Int32Array[], from: Uint8Array): void => {
  const before = new Int32Array(columns.length);
  for (let i = 0; i < columns[0]!.length; i++) {
    for (const [p, column] of columns.entries()) before[p] = column[i]!;
    for (const [p, column] of columns.entries()) column[i] = before[from[i * columns.length + p]!]!;
  }
};
