import { walk, type Kernel, type Op, type Value } from '@filigree/ir';
import type { Layout } from '@filigree/sparse/fields';
import { besideArguments } from './beside.js';
import { isOneCleared, type ClearedBy } from './cleared.js';
import type { ElementOpOf } from './element-ops.js';
import { indexKeys, type IndexKey, type IndexKeys } from '../indices/index-keys.js';
import { integerForms, type IntegerForms } from '../indices/integer-forms.js';
import { residuesOf } from './residues.js';
import { coordinatesOf, placeOfField, type Touched } from './touched.js';

/** What is known of the ops of a kernel on elements, and of the integers that tell which ones. */
export interface Accesses {
  /** In the order of the text. */
  readonly uses: readonly Use[];
  readonly forms: IntegerForms;
  /** Keys that these can be compared by with those of a kernel that is derived from this one. */
  readonly keys: IndexKeys;
}

/** An op on an element of what may outlive the kernel. */
export interface Use {
  readonly op: Op;
  readonly writes: boolean;
  readonly touched: Touched;
  /** The place and what its index is computed from: the same within an iteration, where it is the same text. */
  readonly key: string;
  /** The loops, by name and depth, whose parameters the index is computed from. */
  readonly tells: ReadonlySet<string>;
  readonly index: readonly IndexKey[];
  readonly order: number;
  /** The number of the outermost op around it. */
  readonly top: number;
  readonly parents: readonly Op[];
}

/** @param keys of a kernel that this one is compared with */
export const accessesOf = (
  kernel: Kernel,
  layout: Layout,
  elementOf: ElementOpOf,
  cleared: ClearedBy,
  keys = indexKeys(),
): Accesses => {
  const keyOf = keys(kernel);
  const coordinate = coordinatesOf(kernel);
  const forms = integerForms(kernel, layout);
  const residuesAt = residuesOf(kernel, forms);
  const boundsIn = (extents: readonly number[], index: readonly Value[]): Touched['within'] =>
    index.map((v, n) => forms.within(v, extents[n]));
  const besideAt = besideArguments(kernel, forms);
  const tops = new Map(kernel.body.ops.map((op, n) => [op, n]));
  const uses: Use[] = [];
  walk(kernel.body, (op, parents) => {
    const note = (place: string, index: readonly Value[], writes: boolean, extents?: readonly number[]): void => {
      const residues = extents && residuesAt(op, index, extents);
      const within = extents && boundsIn(extents, index);
      const beside = extents?.every((n) => n < 2 ** 28) ? besideAt(op, index) : undefined;
      uses.push({
        op,
        writes,
        touched: {
          place,
          index: index.map(coordinate),
          ...(residues && { residues }),
          ...(within && { within }),
          ...(beside && { beside }),
        },
        key: `${place}[${index.map((v) => keyOf(v).key).join()}]`,
        tells: new Set(index.flatMap((v) => [...keyOf(v).tells])),
        index: index.map(keyOf),
        order: uses.length,
        top: tops.get(parents[0] ?? op)!,
        parents,
      });
    };
    const element = elementOf(op);
    if (element) note(element.place, element.index, element.does !== 'load', element.extents);
    if (element && element.does !== 'load')
      for (const field of element.encodedWith) note(placeOfField(field), element.index, true);
    for (const field of cleared(op))
      note(placeOfField(field), isOneCleared(op, layout, field) ? op.operands : [], true);
  });
  return { uses, forms, keys };
};
