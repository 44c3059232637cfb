import type { Backend, Sources } from '@filigree/backend';
import { pass } from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';

/** The same backend, with its text changed. */
export const changed = (backend: Backend, change: (text: string) => string): Backend => ({
  ...backend,
  emit: pass('changed', (module) => {
    const emitted = backend.emit.run(module);
    if (E.isLeft(emitted)) throw new Error(emitted.left[0]!.message);
    const sources: Sources = emitted.right;
    return {
      ...sources,
      files: sources.files.map((f) => (typeof f.contents === 'string' ? { ...f, contents: change(f.contents) } : f)),
    };
  }),
});
