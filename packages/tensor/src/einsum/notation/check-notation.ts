import { type Diagnostics, pass } from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';
import { checkKernel } from './check.js';
import type { KernelDecl } from './expression.js';
import { resolve, resolveOptions, type ResolveOptions } from './resolve.js';

/** What is wrong with a kernel's names, tensors and indices, as `planKernel` says it before it plans: `notation/…`; empty for nothing. */
export const checkNotation = (decl: KernelDecl, given?: ResolveOptions): Diagnostics => {
  const checked = pass('check-notation', (d: KernelDecl) => {
    const options = resolveOptions('checkNotation', given);
    return checkKernel(d).assignments.map((a) => resolve(a, options));
  }).run(decl);
  return E.isLeft(checked) ? checked.left : [];
};
