import { mapKernels, opWith, pass, rewriteOps, type Module, type Pass } from '@filigree/ir';
import { fieldDialects, nodeOf, wordFields, wordMates, type Storage } from '@filigree/sparse/fields';

/**
 * The second half of thread-safety inference (thesis §5.6.2): whoever stores all fields of a word overwrites nothing of another
 * thread's that these stores would leave, and needs no loop on `mem.cas` either.
 *
 * Takes micro-accesses before they are lowered, best those that `fuseStores` leaves.
 */
export const wholeWords = ({ layout }: Storage): Pass<Module> => {
  const dialects = fieldDialects(layout);
  return pass('whole-words', (module) =>
    mapKernels(module, (kernel) =>
      rewriteOps(
        kernel,
        dialects,
        (op, ctx) => {
          const node = nodeOf(layout, op);
          const effects = ctx.def(op)?.effects(op) ?? [];
          if (
            !node?.stored ||
            node.stored.inArray ||
            op.attrs.alone === true ||
            effects.length !== 1 ||
            effects[0].kind !== 'write'
          )
            return undefined;
          const fields = op.attrs.fields === undefined ? [node.name] : wordFields(op);
          if (!wordMates(layout, node).every((mate) => fields.includes(mate.name))) return undefined;
          return { ops: [opWith(op, { attrs: { ...op.attrs, alone: true } })], values: [] };
        },
        module.buffers,
      ),
    ),
  );
};
