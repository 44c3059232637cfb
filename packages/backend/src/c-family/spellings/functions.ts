import { lanesOf, scalarOps } from '@filigree/ir';
import { binds, call, expr, infix } from '../expr.js';
import { suffix } from '../tokens.js';
import { type Spelling, type Spellings, onVectors, pure, typeOf } from './spelling.js';

/** A function that the compiler provides, with the usual `f` at the end for f32. */
const builtin = (name: string): Spelling =>
  pure((op, args, site) => call(site.tokens.library(name, typeOf(op)), ...args));

/** A helper that says what the function is. */
const helped = (name: string): Spelling =>
  pure((op, args, site) => call(site.helper(`${name}_${typeOf(op)}`), ...args));

/*
 * On vectors where it stands: in a nest of many sums of products a compiler would have to keep all factors at once, and find
 * out that it need not.
 */
const fma: Spelling = {
  effect: (op) => (lanesOf(op.results[0]!.type) > 1 ? 'fixed' : 'pure'),
  write: (op, args, site) =>
    lanesOf(op.results[0]!.type) > 1
      ? call(onVectors('fma', op.results[0]!, site), ...args)
      : call(site.helper(`fma_${typeOf(op)}`), ...args),
};

/* What is a function of C's library is called; the others are written here. */
export const functionSpellings: Spellings = {
  ...Object.fromEntries(scalarOps.flatMap((o) => (o.c === undefined ? [] : [[o.kernelOp, builtin(o.c)]]))),
  'math.rsqrt': pure((op, [x], site) =>
    infix(expr(`1.0${suffix(typeOf(op))}`), '/', call(site.tokens.library('sqrt', typeOf(op)), x!), binds.product),
  ),
  'math.pow': helped('pow'),
  'math.round': helped('round'),
  'math.sign': helped('sign'),
  'math.fround': helped('fround'),
  'math.fma': fma,
};
