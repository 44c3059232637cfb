import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { AXIS_NAMES, type LayoutField, type LayoutNode, type LayoutTree } from '../kernel/layout.js';
import { isScalarType } from '../kernel/type.js';
import { isIdentifier } from './identifier.js';

/**
 * Reports what is wrong with a layout as a tree: an axis that is none or stands twice in a node, extents that are not one whole
 * number from 1 for each axis, a field without a name, a name twice. What nodes may stand where, their owner says.
 */
export const verifyLayout = (layout: LayoutTree, report: (d: Diagnostic) => void): void => {
  const names = new Set<string>();
  const node = (n: LayoutNode): void => {
    const at = { loc: n.loc };
    if (new Set(n.axes).size < n.axes.length || n.axes.some((a) => AXIS_NAMES[a] === undefined))
      report(
        error('verify/layout', `${n.kind} has the axes ${n.axes.join(', ')}`, {
          ...at,
          remedy: `use different ones of 0 to ${AXIS_NAMES.length - 1}`,
        }),
      );
    if (n.extents.length !== n.axes.length || n.extents.some((x) => !Number.isSafeInteger(x) || x < 1))
      report(
        error('verify/layout', `${n.kind} has the extents ${n.extents.join(', ')}`, {
          ...at,
          remedy: 'give a whole number from 1 for each axis',
        }),
      );
    n.fields.forEach((f, at) => field(f, n.fields[at - 1]));
    n.children.forEach(node);
  };
  const field = ({ name, type, format, word, loc }: LayoutField, before: LayoutField | undefined): void => {
    if (!isIdentifier(name) || !isScalarType(type))
      report(
        error('verify/layout', `field '${name}' of type ${type} is not well-formed`, {
          loc,
          remedy: 'name it with letters, digits and _, and give it a scalar type',
        }),
      );
    if (names.has(name))
      report(error('verify/layout', `two fields are named '${name}'`, { loc, remedy: 'rename one' }));
    names.add(name);
    if (format && !isIdentifier(format.name))
      report(
        error('verify/layout', `field '${name}' is stored as '${format.name}', which is no name`, {
          loc,
          remedy: 'name a format with letters, digits and _',
        }),
      );
    if (word && word.first !== name && before?.word?.first !== word.first)
      report(
        error('verify/layout', `field '${name}' shares a word with '${word.first}', and does not stand beside it`, {
          loc,
          remedy: 'let the fields of a word follow one another',
        }),
      );
  };
  layout.branches.forEach(node);
};
