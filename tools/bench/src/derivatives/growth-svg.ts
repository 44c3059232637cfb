/** Lines through points, over logarithmic axes. */
export interface Growth {
  readonly title: string;
  readonly across: string;
  readonly up: string;
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [number, number])[] }[];
}

/** The lines as a picture, with a mark at each power of ten and of two along the axes. */
export const growthSvg = ({ title, across, up, lines }: Growth): string => {
  const all = lines.flatMap((l) => l.points);
  const [left, right] = rangeOf(all.map(([x]) => x));
  const [low, high] = rangeOf(all.map(([, y]) => y));
  const at = (x: number, y: number): readonly [number, number] => [
    60 + (400 * Math.log(x / left)) / Math.log(right / left),
    300 - (250 * Math.log(y / low)) / Math.log(high / low),
  ];
  const marks = (from: number, to: number, base: number): number[] =>
    Array.from({ length: 80 }, (_, k) => base ** (k - 40)).filter((v) => v >= from * 0.999 && v <= to * 1.001);
  const text = (x: number, y: number, anchor: string, words: string, fill = '#333'): string =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${fill}">${words}</text>`;
  const parts = [
    text(260, 25, 'middle', title),
    '<path d="M60 40V300H470" fill="none" stroke="#999"/>',
    ...marks(left, right, 2).map((v) => text(at(v, low)[0], 318, 'middle', String(v))),
    ...marks(low, high, 10).map((v) => text(54, at(left, v)[1] + 4, 'end', String(Number(v.toPrecision(1))))),
    text(260, 338, 'middle', across),
    text(20, 30, 'start', up),
    ...lines.flatMap(({ name, points }, k) => {
      const path = points
        .map(([x, y]) =>
          at(x, y)
            .map((v) => v.toFixed(1))
            .join(' '),
        )
        .join('L');
      const [x, y] = at(...points[points.length - 1]);
      return [
        `<path d="M${path}" fill="none" stroke="${COLOURS[k]}" stroke-width="2"/>`,
        text(x - 6, y - 8, 'end', name, COLOURS[k]),
      ];
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="500" height="350" font-family="sans-serif" font-size="12"><rect width="500" height="350" fill="#fff"/>${parts.join('')}</svg>\n`;
};

const rangeOf = (values: readonly number[]): readonly [number, number] => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return [least, Math.max(most, least * 2)];
};

const COLOURS = ['#d55e00', '#0072b2', '#009e73'];
