/** Lines through points, over logarithmic axes. */
export interface Growth {
  readonly title: string;
  readonly across: string;
  readonly up: string;
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [number, number])[] }[];
}

/** The lines as a picture, with their names beside their ends, and marks along the axes: at powers of ten, and of two where there are few of these across. */
export const growthSvg = ({ title, across, up, lines }: Growth): string => {
  const all = lines.flatMap((l) => l.points);
  const [left, right] = rangeOf(all.map(([x]) => x));
  const [low, high] = rangeOf(all.map(([, y]) => y));
  const at = (x: number, y: number): readonly [number, number] => [
    60 + (400 * Math.log(x / left)) / Math.log(right / left),
    300 - (250 * Math.log(y / low)) / Math.log(high / low),
  ];
  const across10 = right / left >= 100;
  const marks = (from: number, to: number, base: number): number[] =>
    Array.from({ length: 80 }, (_, k) => base ** (k - 40)).filter((v) => v >= from * 0.999 && v <= to * 1.001);
  const text = (x: number, y: number, anchor: string, words: string, fill = '#333'): string =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${fill}">${words}</text>`;
  const parts = [
    text(260, 25, 'middle', title),
    '<path d="M60 40V300H470" fill="none" stroke="#999"/>',
    ...marks(left, right, across10 ? 10 : 2).map((v) =>
      text(at(v, low)[0], 318, 'middle', String(Number(v.toPrecision(6)))),
    ),
    ...marks(low, high, 10).map((v) => text(54, at(left, v)[1] + 4, 'end', String(Number(v.toPrecision(1))))),
    text(260, 338, 'middle', across),
    text(20, 30, 'start', up),
    ...lines.map(
      ({ points }, k) =>
        `<path d="M${points
          .map((p) =>
            at(...p)
              .map((v) => v.toFixed(1))
              .join(' '),
          )
          .join('L')}" fill="none" stroke="${COLOURS[k]}" stroke-width="2"/>`,
    ),
    ...apart(lines.map(({ points }) => at(...points[points.length - 1])[1] + 4)).map((y, k) =>
      text(468, y, 'start', lines[k].name, COLOURS[k]),
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="350" font-family="sans-serif" font-size="12"><rect width="600" height="350" fill="#fff"/>${parts.join('')}</svg>\n`;
};

const rangeOf = (values: readonly number[]): readonly [number, number] => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return [least, Math.max(most, least * 2)];
};

/** Heights of names that would stand at these, none over another. */
const apart = (heights: readonly number[]): readonly number[] => {
  const placed = [...heights];
  let below = -Infinity;
  for (const k of heights.map((_, k) => k).sort((a, b) => heights[a] - heights[b]))
    below = placed[k] = Math.max(placed[k], below + NAME_HEIGHT);
  return placed;
};

const NAME_HEIGHT = 14;
const COLOURS = ['#d55e00', '#0072b2', '#009e73', '#cc79a7', '#56b4e9', '#777777'];
