import { blend, type Colour, type Image } from './image.js';

/** A picture of the square from 0 to 1, y up, that discs and lines are drawn into. */
export interface Canvas {
  readonly image: Image;
  /** A disc; what it covers shows through as far as `opacity` is below 1. */
  readonly disc: (x: number, y: number, radius: number, colour: Colour, opacity?: number) => void;
  /** A line with round ends, `width` wide. */
  readonly line: (x0: number, y0: number, x1: number, y1: number, width: number, colour: Colour) => void;
}

/** @param size pixels along each side */
export const canvas = (size = 512, background: Colour = [250, 250, 250]): Canvas => {
  const data = new Uint8Array(3 * size * size);
  for (let k = 0; k < data.length; k++) data[k] = background[k % 3];
  /* Draws what lies nearer than `radius` by a distance from pixels' middles, with soft edges. */
  const paint = (
    box: readonly [number, number, number, number],
    radius: number,
    distance: (x: number, y: number) => number,
    colour: Colour,
    opacity: number,
  ): void => {
    const [x0, y0, x1, y1] = box.map((v) => v * size);
    const reach = radius * size + 1;
    for (let row = Math.max(0, Math.floor(size - y1 - reach)); row < Math.min(size, size - y0 + reach); row++)
      for (let column = Math.max(0, Math.floor(x0 - reach)); column < Math.min(size, x1 + reach); column++) {
        const away = distance((column + 0.5) / size, 1 - (row + 0.5) / size);
        const covered = opacity * Math.max(0, Math.min(1, (radius - away) * size + 0.5));
        if (covered <= 0) continue;
        const at = 3 * (row * size + column);
        data.set(blend([data[at], data[at + 1], data[at + 2]], colour, covered).map(Math.round), at);
      }
  };
  return {
    image: { width: size, height: size, data },
    disc: (x, y, radius, colour, opacity = 1) =>
      paint([x, y, x, y], radius, (a, b) => Math.hypot(a - x, b - y), colour, opacity),
    line: (x0, y0, x1, y1, width, colour) => {
      const [dx, dy] = [x1 - x0, y1 - y0];
      const squared = dx * dx + dy * dy || 1;
      paint(
        [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)],
        width / 2,
        (a, b) => {
          const t = Math.max(0, Math.min(1, ((a - x0) * dx + (b - y0) * dy) / squared));
          return Math.hypot(a - x0 - t * dx, b - y0 - t * dy);
        },
        colour,
        1,
      );
    },
  };
};
