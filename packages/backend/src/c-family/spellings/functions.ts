import { type Op, scalarOps } from '@filigree/ir';
import { binds, call, expr, infix } from '../expr.js';
import { suffix } from '../tokens.js';
import { type Site, type Spelling, type Spellings, isOnLanes, onVectors, pure, typeOf } from './spelling.js';

/** A function that has a helper for vectors, and is this for numbers. */
const known = (name: string, ofNumbers: (op: Op, site: Site) => string): Spelling =>
  pure((op, args, site) => call(isOnLanes(op) ? onVectors(name, op.results[0]!, site) : ofNumbers(op, site), ...args));

/** One that the compiler provides, with the usual `f` at the end for f32. */
const builtin = (name: string): Spelling => known(name, (op, site) => site.tokens.library(name, typeOf(op)));

/** One of which a helper says what it is. */
const helped = (name: string): Spelling => known(name, (op, site) => site.helper(`${name}_${typeOf(op)}`));

/*
 * On vectors where it stands: in a nest of many sums of products a compiler would have to keep all factors at once, and find
 * out that it need not.
 */
const fma: Spelling = {
  effect: (op) => (isOnLanes(op) ? 'fixed' : 'pure'),
  write: (op, args, site) =>
    isOnLanes(op)
      ? call(onVectors('fma', op.results[0]!, site), ...args)
      : call(site.helper(`fma_${typeOf(op)}`), ...args),
};

/* What is a function of C's library is called; the others are written here. */
export const functionSpellings: Spellings = {
  ...Object.fromEntries(scalarOps.flatMap((o) => (o.c === undefined ? [] : [[o.kernelOp, builtin(o.c)]]))),
  'math.rsqrt': pure((op, args, site) =>
    infix(expr(`1.0${suffix(typeOf(op))}`), '/', builtin('sqrt').write(op, args, site), binds.product),
  ),
  'math.pow': helped('pow'),
  'math.round': helped('round'),
  'math.sign': helped('sign'),
  'math.fround': helped('fround'),
  'math.fma': fma,
};
