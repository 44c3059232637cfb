import type { AnyNode } from 'acorn';
import { moreBits, nextRandom, startRandom, type RandomState } from '../../vocabulary/random.js';
import type { Local } from '../../code/code.js';
import { originOf, type Context } from '../context/context.js';
import type { Scalar, Temp } from '../../code/scalar.js';
import { words } from './words.js';

/** A sequence of random numbers that starts here. */
export const begin = (cx: Context, node: AnyNode, seed: Scalar, coordinates: readonly Scalar[]): RandomState<Local> => {
  const { session } = cx;
  const at = originOf(cx, node);
  const given = coordinates.map((c) => session.cast(at, c, 'u32'));
  const start = startRandom(words(cx, node), seed, given);
  const local = (name: string, value: Scalar): Local => {
    const made = session.local(name, { name, type: 'u32' });
    session.emit(at, { do: 'declare', locals: [made] });
    session.emit(at, { do: 'write', local: made, value });
    return made;
  };
  return { first: local('first', start.first), second: local('second', start.second) };
};

/** 32 random bits; unknown ones if the kernel is not known to use any yet. */
export const draw = (cx: Context, node: AnyNode): Scalar => {
  const ops = words(cx, node);
  const { state, bits } = nextRandom(ops, current(cx, node));
  advance(cx, node, state);
  return bits;
};

/** 32 random bits, and another 32 of the same step. */
export const drawTwice = (cx: Context, node: AnyNode): { readonly bits: Scalar; readonly more: Scalar } => {
  const before = current(cx, node);
  const ops = words(cx, node);
  const { state, bits } = nextRandom(ops, before);
  advance(cx, node, state);
  return { bits, more: moreBits(ops, before) };
};

const current = (cx: Context, node: AnyNode): RandomState<Scalar> => {
  const { session, random } = cx;
  session.usesRandom = true;
  const read = (local: Local | undefined): Temp => {
    const to: Temp = { is: 'temp', type: 'u32' };
    if (local) session.emit(originOf(cx, node), { do: 'read', to, local });
    return to;
  };
  return { first: read(random?.first), second: read(random?.second) };
};

const advance = (cx: Context, node: AnyNode, state: RandomState<Scalar>): void => {
  const { session, random } = cx;
  if (!random) return;
  const at = originOf(cx, node);
  session.emit(at, { do: 'write', local: random.first, value: state.first });
  session.emit(at, { do: 'write', local: random.second, value: state.second });
};

/**
 * The random numbers of the iterations of a loop: draws the seed of the loop here, and returns a function that starts
 * those of one iteration from its coordinates. For kernels that use them.
 */
export const iteration = (
  cx: Context,
  node: AnyNode,
): ((inner: Context, coordinates: readonly Scalar[]) => Context) => {
  const seed = draw(cx, node);
  return (inner, coordinates) => ({ ...inner, random: begin(inner, node, seed, coordinates), ownRandom: true });
};
