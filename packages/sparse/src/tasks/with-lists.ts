import { makeOp, mapKernels, opWith, type Module, type Op } from '@filigree/ir';
import { nodeOf } from '../fields/layout/layout.js';
import { changesOf } from '../fields/loops/changes.js';
import { planOf } from '../fields/loops/plan.js';
import { needsList } from '../fields/loops/tasks.js';
import type { Storage } from '../fields/storage/storage.js';

/**
 * A module in which the lists that outermost loops over active elements need are made by ops before them (thesis §4.4, list
 * generation): so they can be left out where a list is there already.
 */
export const withLists = (module: Module, storage: Storage): Module =>
  mapKernels(module, (kernel) => {
    const ops = kernel.body.ops.flatMap((op) => {
      const list = listFor(op, storage);
      if (list === undefined) return [op];
      return [makeOp('field.list', [], [], { node: list }, [], op.loc), opWith(op, { attrs: { ...op.attrs, list } })];
    });
    return ops.length === kernel.body.ops.length ? kernel : { ...kernel, body: { params: kernel.body.params, ops } };
  });

/** The node of whose active cells a loop needs a list. */
const listFor = (op: Op, storage: Storage): string | undefined => {
  const node = op.name === 'field.for' ? nodeOf(storage.layout, op) : undefined;
  if (!node) return undefined;
  const plan = planOf(storage, node.id);
  const { nodes } = changesOf(storage.layout, op.regions[0], node.id);
  return needsList(plan, storage, nodes.has(plan.source)) ? storage.layout.nodes[plan.source].name : undefined;
};
