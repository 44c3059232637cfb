import type { Op } from '@filigree/ir';
import type { Layout } from '../fields/layout/layout.js';
import type { Activation } from './task.js';
import type { Forms } from './forms.js';

/** What an op activates, as far as it depends on the iteration alone. */
export const activationOf = (layout: Layout, op: Op, domain: string, forms: Forms): Pick<Activation, 'key'> => {
  const field = layout.fields.get(String(op.attrs.field));
  const node = field ? layout.nodes[field.path.at(-1)!].parent : layout.named.get(String(op.attrs.node))?.id;
  const values = field ? op.operands.length - field.axes.length : 0;
  const index = op.operands.slice(values).map((v) => forms.of(v)?.text);
  /* What an op with a result adds, such as an element of a list, is new each time. */
  const repeatable = field !== undefined || op.results.length === 0;
  if (node === undefined || !repeatable || domain === '' || index.includes(undefined)) return { key: undefined };
  return { key: `${domain}>${node}[${index.join()}]` };
};
