import { AXIS_NAMES, fail } from '@filigree/ir';
import type { Path } from '@filigree/sparse/fields';

/** Indices of an element: a list, or a number where there is one axis. */
export type Indices = number | ArrayLike<number>;

/**
 * Indices as a list, the very one if it is one, checked: as many as the path has axes, whole numbers, inside. Errors: `field/indices`, `field/index`.
 *
 * @param what what is indexed, for people, for example `field 'u'`
 */
export const checkedIndices = (what: string, { axes, extents }: Path, indices: Indices): ArrayLike<number> => {
  const list = typeof indices === 'number' ? [indices] : indices;
  if (list === null || typeof list !== 'object' || list.length !== axes.length)
    return fail('field/indices', `${what} takes ${countText(axes)}, got ${givenText(list)}`, {
      remedy: axes.length === 0 ? 'give []' : `give [${axes.map(axisName).join(', ')}]`,
    });
  for (let a = 0; a < list.length; a++) {
    const index = list[a];
    const extent = extents[a];
    if (extent === undefined ? index === (index | 0) : Number.isInteger(index) && index >= 0 && index < extent)
      continue;
    return fail('field/index', `index ${axisName(axes[a])} = ${String(index)} is outside ${what}`, {
      remedy:
        extent === undefined
          ? 'give a whole number of 32 bits'
          : `give a whole number from 0 to ${extent - 1}, or make the layout larger along ${axisName(axes[a])}`,
    });
  }
  return list;
};

const countText = (axes: readonly number[]): string =>
  axes.length === 1 ? `1 index (${axisName(axes[0])})` : `${axes.length} indices (${axes.map(axisName).join(', ')})`;

const givenText = (list: ArrayLike<number> | null): string =>
  list !== null && typeof list === 'object' && typeof list.length === 'number' ? String(list.length) : typeof list;

const axisName = (axis: number): string => AXIS_NAMES[axis];
