/** All entries of a shape in column-major order. The array given to `visit` is reused. */
export const eachEntry = (shape: readonly number[], visit: (entry: readonly number[], index: number) => void): void => {
  if (shape.some((n) => n === 0)) return;
  const entry = shape.map(() => 0);
  for (let index = 0; ; index++) {
    visit(entry, index);
    let d = 0;
    while (d < shape.length && ++entry[d]! === shape[d]) entry[d++] = 0;
    if (d === shape.length) return;
  }
};
