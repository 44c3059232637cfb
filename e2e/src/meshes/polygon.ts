/** Appends a polygon as the fan of triangles around its first corner, and the line of each. */
export const triangulate = (polygon: readonly number[], line: number, faces: number[], lines: number[]): void => {
  for (let j = 1; j + 1 < polygon.length; j++) {
    faces.push(polygon[0], polygon[j], polygon[j + 1]);
    lines.push(line);
  }
};
