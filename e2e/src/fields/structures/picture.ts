import { imageOf, sequential, type Colour, type Image } from '../../draw/index.js';

/** Active elements of each structure side by side, seen along the third axis: grey where empty, else by how many are there. */
export const structuresPicture = (
  panels: readonly (readonly (readonly [indices: readonly number[], value: number])[])[],
  extent = 88,
  scale = 4,
): Image => {
  const counts = panels.map((elements) => {
    const at = new Map<number, number>();
    for (const [[x, y], value] of elements)
      if (x >= 0 && y >= 0 && x < extent && y < extent) at.set(x * extent + y, (at.get(x * extent + y) ?? 0) + value);
    return at;
  });
  const gap = 8;
  const side = extent * scale;
  return imageOf(panels.length * (side + gap) - gap, side, (px, py): Colour => {
    const [panel, within] = [Math.floor(px / (side + gap)), px % (side + gap)];
    if (within >= side) return [255, 255, 255];
    const count = counts[panel].get(Math.floor(within / scale) * extent + extent - 1 - Math.floor(py / scale));
    if (count === undefined) return [240, 240, 240];
    return count === 0 ? [190, 190, 190] : sequential(count / 6);
  });
};
