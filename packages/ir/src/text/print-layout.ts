import { AXIS_NAMES, type LayoutField, type LayoutNode, type LayoutTree } from '../kernel/layout.js';
import type { Attrs } from '../kernel/op.js';
import { at, attrsText, attrText } from './print-attrs.js';

/** The lines of a layout, without those around them: a node with what is in its cells below it. */
export const layoutLines = (layout: LayoutTree, indent: string): readonly string[] => [
  `${indent}layout {`,
  ...layout.branches.flatMap((n) => nodeLines(n, `${indent}  `)),
  `${indent}}`,
];

const nodeLines = (node: LayoutNode, indent: string): readonly string[] => [
  `${indent}${node.kind} (${node.axes.map((a, n) => `${AXIS_NAMES[a] ?? a}: ${node.extents[n]}`).join(', ')}) ${wordsBefore(node.attrs)}{`,
  ...fieldLines(node.fields, `${indent}  `),
  ...node.children.flatMap((n) => nodeLines(n, `${indent}  `)),
  `${indent}}`,
];

/** A line a field; those of one word follow one another, and have lines around them. */
const fieldLines = (fields: readonly LayoutField[], indent: string): readonly string[] =>
  fields.flatMap((f, n) => {
    const { word } = f;
    if (!word) return [`${indent}${fieldText(f)}`];
    const isLast = fields[n + 1]?.word?.first !== word.first;
    return [
      ...(word.first === f.name ? [`${indent}word ${word.bits} {`] : []),
      `${indent}  ${fieldText(f)}`,
      ...(isLast ? [`${indent}}`] : []),
    ];
  });

const fieldText = ({ name, type, ambient, format }: LayoutField): string =>
  [
    `field ${at(name)} : ${type}`,
    ...(Object.is(ambient, 0) ? [] : [`= ${attrText(ambient)}`]),
    ...(format ? [`as ${format.name}`] : []),
    ...(format && Object.keys(format.attrs).length > 0 ? [attrsText(format.attrs)] : []),
  ].join(' ');

const wordsBefore = (attrs: Attrs): string =>
  Object.keys(attrs)
    .sort()
    .map((k) => (attrs[k] === true ? `${k} ` : `${k} = ${attrText(attrs[k])} `))
    .join('');
