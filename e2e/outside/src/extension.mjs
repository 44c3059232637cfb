import { defineElementwise, definePass, dialect, isFloat, mapKernels, rewriteOps } from '@filigree/ir';
import { bf16 } from './bf16.mjs';
import { javascript } from './javascript/javascript.mjs';
import { opencl } from './opencl.mjs';

/** sin(x) / x, on the host. Kernels call it by this function. */
export const sinc = (x) => (x === 0 ? 1 : Math.sin(x) / x);

const ops = dialect('signal', [
  defineElementwise(
    {
      name: 'signal.sinc',
      summary: 'sin(x) / x, and 1 at 0',
      verify: (op) => (op.operands.length === 1 && isFloat(op.operands[0].type) ? [] : ['takes one float']),
      resultTypes: ([x]) => [x.type],
    },
    (op) => (op.operands[0].type === 'f32' ? (x) => Math.fround(sinc(x)) : sinc),
  ),
]);

/* The seed times cos(x)/x - sinc(x)/x, of which the second is the result. */
const slope = {
  is: 'rule',
  times: (s, seed, result, x) => [s.select(s.eq(x, 0), 0, s.div(s.mul(seed, s.sub(s.cos(x), result)), x))],
};

const written = (b, { operands: [x] }) => {
  const [zero, one] = [b.constant(0, x.type), b.constant(1, x.type)];
  return b.select(b.cmp('eq', x, zero), one, b.div(b.math('sin', x), x));
};

/* The pass by its name; a backend spells the op in any case. */
const spell = (options, dialects) =>
  definePass('spell-signal', {}, (module) =>
    mapKernels(module, (kernel) =>
      rewriteOps(
        kernel,
        dialects,
        (op, { build }) => (op.name === 'signal.sinc' ? build((b) => written(b, op)) : undefined),
        module.buffers,
      ),
    ),
  )(options);

/** A dialect, a pass, a word with its derivative, a format, and two backends. */
export const extension = {
  name: 'filigree-outside',
  dialects: [ops],
  intrinsics: { sinc: { fn: sinc, op: 'signal.sinc' } },
  derivatives: { 'signal.sinc': slope },
  spellings: { 'signal.sinc': { core: written } },
  passes: { 'spell-signal': spell },
  formats: { bf16: () => bf16 },
  backends: { javascript, opencl },
};

export default extension;
