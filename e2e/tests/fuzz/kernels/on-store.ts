import { allocateBuffers, coreDialects, DiagnosticError, interpret, isWide, type Scalar } from '@filigree/ir';
import { lowerKernels, type KernelDef } from '@filigree/lang';
import { fieldDialect, STATUS, type Layout } from '@filigree/sparse/fields';
import { FieldStore } from '@filigree/sparse/meaning';
import { isLeft, type Either } from 'fp-ts/lib/Either.js';
import { box } from './state.js';
import type { Running } from './running.js';

/** One kernel as its ops on fields mean it, before anything is lowered: run by the interpreter on a store of maps. */
export const onStore = (name: string, def: KernelDef, layout: Layout): Running => {
  const store = new FieldStore(layout);
  const { module, signatures } = unwrap(lowerKernels({ [name]: def }, layout));
  const { result } = signatures[name];
  return {
    fields: Object.fromEntries(
      [...layout.fields.values()].map(({ field, path }) => [
        field.name,
        {
          toArray: ({ from, to }) =>
            box(from.map((x, a) => [x, to[a]] as const)).map((at) => store.load(field.name, at) as number | bigint),
          set: (at, value) => store.store(field.name, at, isWide(field.type) ? BigInt(value) : value),
          isActive: (at) => store.isActive(path.at(-2) ?? 0, at),
        },
      ]),
    ),
    run: {
      [name]: (...args) => {
        const buffers = allocateBuffers(module.buffers);
        const dialects = [...coreDialects, fieldDialect(layout, store)];
        unwrap(interpret(module, dialects, buffers, { kernel: name, args: args as Scalar[] }));
        if (store.trouble?.status === STATUS.listFull)
          throw new DiagnosticError([{ severity: 'error', code: 'launch/list-full', message: 'a list is full' }]);
        return result ? buffers[result.buffer][0] : NaN;
      },
    },
  };
};

const unwrap = <A>(e: Either<readonly DiagnosticError['diagnostics'][number][], A>): A => {
  if (isLeft(e)) throw new DiagnosticError(e.left);
  return e.right;
};
