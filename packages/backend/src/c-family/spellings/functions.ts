import { lanesOf } from '@filigree/ir';
import { binds, call, expr, infix } from '../expr.js';
import { type Spelling, type Spellings, onVectors, pure, typeOf } from './spelling.js';

/** A function that the compiler provides, with the usual `f` at the end for f32. */
const builtin = (name: string): Spelling =>
  pure((op, args) => call(`__builtin_${name}${typeOf(op) === 'f32' ? 'f' : ''}`, ...args));

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

export const functionSpellings: Spellings = {
  'math.sqrt': builtin('sqrt'),
  'math.rsqrt': pure((op, [x]) =>
    typeOf(op) === 'f32'
      ? infix(expr('1.0f'), '/', call('__builtin_sqrtf', x!), binds.product)
      : infix(expr('1.0'), '/', call('__builtin_sqrt', x!), binds.product),
  ),
  'math.cbrt': builtin('cbrt'),
  'math.abs': builtin('fabs'),
  'math.sin': builtin('sin'),
  'math.cos': builtin('cos'),
  'math.tan': builtin('tan'),
  'math.asin': builtin('asin'),
  'math.acos': builtin('acos'),
  'math.atan': builtin('atan'),
  'math.atan2': builtin('atan2'),
  'math.sinh': builtin('sinh'),
  'math.cosh': builtin('cosh'),
  'math.tanh': builtin('tanh'),
  'math.exp': builtin('exp'),
  'math.expm1': builtin('expm1'),
  'math.log': builtin('log'),
  'math.log1p': builtin('log1p'),
  'math.log2': builtin('log2'),
  'math.log10': builtin('log10'),
  'math.pow': helped('pow'),
  'math.hypot': builtin('hypot'),
  'math.floor': builtin('floor'),
  'math.ceil': builtin('ceil'),
  'math.round': helped('round'),
  'math.trunc': builtin('trunc'),
  'math.sign': helped('sign'),
  'math.fma': fma,
};
