import type { Builder, Value } from '@filigree/ir';
import type { GemmSpec } from './gemm-spec.js';
import { gemmAttrs } from './gemm-attrs.js';

/** Where the matrices of a product lie: buffers by bare name, and the index at which each matrix begins. */
export interface GemmRefs {
  readonly a: GemmRef;
  readonly b: GemmRef;
  readonly c: GemmRef;
  /** For a spec whose alpha is `value`. */
  readonly alpha?: Value;
  /** A place from which as many elements as C has will be wanted soon (§4.6). */
  readonly prefetch?: GemmRef;
}

/** Where a matrix lies: a buffer by its bare name, and the index at which the matrix begins. */
export interface GemmRef {
  readonly buffer: string;
  /** i32 or i64, in elements. */
  readonly at: Value;
}

/** Appends the product as `linalg.gemm`; the builder must know the dialect `linalg`. Error: `build/op` where spec and references do not fit. */
export const buildGemm = (b: Builder, spec: GemmSpec, refs: GemmRefs): void => {
  const operands = [refs.a.at, refs.b.at, refs.c.at];
  if (refs.alpha) operands.push(refs.alpha);
  if (refs.prefetch) operands.push(refs.prefetch.at);
  b.op('linalg.gemm', operands, {
    a: `@${refs.a.buffer}`,
    b: `@${refs.b.buffer}`,
    c: `@${refs.c.buffer}`,
    ...gemmAttrs(spec),
    ...(refs.prefetch ? { prefetch: `@${refs.prefetch.buffer}` } : {}),
  });
};
