import { isRight } from 'fp-ts/lib/Either.js';
import { walk, type Diagnostic, type Diagnostics, type Module } from '@filigree/ir';
import type { Layout } from '@filigree/sparse/fields';
import { vectorizeBits } from './vectorize-bits.js';

/** Notes on loops over the elements of bit arrays that do not become loops over words, and why; `quant/scalar-loop`. */
export const notesOnBits = (module: Module, layout: Layout): Diagnostics => {
  if (!layout.nodes.some((n) => n.kind === 'bits')) return [];
  const vectorized = vectorizeBits(layout).run(module);
  if (!isRight(vectorized)) return [];
  const notes: Diagnostic[] = [];
  for (const { name, body } of vectorized.right.kernels)
    walk(body, ({ attrs, loc }) => {
      if (attrs.scalar === undefined) return;
      notes.push({
        severity: 'note',
        code: 'quant/scalar-loop',
        message: `kernel @${name}: a loop runs over single elements of a bit array: ${String(attrs.scalar)}`,
        remedy: 'read at constant distances, write own elements, and compute with integers, to run over whole words',
        ...(loc && { loc }),
      });
    });
  return notes;
};
