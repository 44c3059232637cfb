import { AXIS_NAMES, type LayoutField, type LayoutNode, type LayoutTree } from '../kernel/layout.js';
import type { Attrs } from '../kernel/op.js';
import { at, attrText } from './print-attrs.js';

/** The lines of a layout, without those around them: a node with what is in its cells below it. */
export const layoutLines = (layout: LayoutTree, indent: string): readonly string[] => [
  `${indent}layout {`,
  ...layout.branches.flatMap((n) => nodeLines(n, `${indent}  `)),
  `${indent}}`,
];

const nodeLines = (node: LayoutNode, indent: string): readonly string[] => [
  `${indent}${node.kind} (${node.axes.map((a, n) => `${AXIS_NAMES[a] ?? a}: ${node.extents[n]}`).join(', ')}) ${wordsBefore(node.attrs)}{`,
  ...node.fields.map((f) => `${indent}  ${fieldText(f)}`),
  ...node.children.flatMap((n) => nodeLines(n, `${indent}  `)),
  `${indent}}`,
];

const fieldText = ({ name, type, ambient }: LayoutField): string =>
  `field ${at(name)} : ${type}${Object.is(ambient, 0) ? '' : ` = ${attrText(ambient)}`}`;

const wordsBefore = (attrs: Attrs): string =>
  Object.keys(attrs)
    .sort()
    .map((k) => (attrs[k] === true ? `${k} ` : `${k} = ${attrText(attrs[k])} `))
    .join('');
