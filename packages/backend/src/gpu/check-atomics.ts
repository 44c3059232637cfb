import { type Diagnostic, type Diagnostics, type Module, type ScalarType, error, scalarOf, walk } from '@filigree/ir';
import type { GpuLanguage } from './language.js';
import { scratchNames } from './scratch-names.js';

/** Atomics that a language does not have, in memory that all threads see: `emit/unsupported-atomic`, once for each type. */
export const checkAtomics = (module: Module, { name, atomics }: GpuLanguage): Diagnostics => {
  const found = new Map<string, Diagnostic>();
  const own = scratchNames(module);
  for (const { body } of module.kernels)
    walk(body, (op) => {
      if ((op.name !== 'mem.atomic' && op.name !== 'mem.cas') || own.has(String(op.attrs['buffer']))) return;
      const type = scalarOf(op.operands[0]!.type);
      if (!atomics.includes(type) && !found.has(type))
        found.set(
          type,
          error('emit/unsupported-atomic', `${name} has no atomics on ${type}`, {
            loc: op.loc,
            remedy: `use one of ${atomics.join(', ')}${instead[type] ?? ''}, or another backend`,
          }),
        );
    });
  return [...found.values()];
};

/* What asks for them unseen, or does without them. */
const instead: Readonly<Partial<Record<ScalarType, string>>> = {
  f64: ', sums over a whole loop, for which none are needed',
  i64: ', sums over a whole loop, for which none are needed',
  u64: ', words of 32 bits where bits lie in words',
};
