import type { DescribedElements } from './describe-elements.js';

/** A template as a picture in SVG: operations in rows by their depth, the deepest below, lines to what they read. Templates of very many operations have none. */
export const templatePicture = ({ operations }: DescribedElements): string | undefined => {
  if (operations.length === 0 || operations.length > MOST) return undefined;
  const depth = new Map<number, number>();
  for (const { id, operands } of operations)
    depth.set(id, 1 + operands.reduce<number>((d, o) => Math.max(d, typeof o === 'number' ? depth.get(o)! : 0), 0));
  const rows = Math.max(...depth.values());
  const filled = new Array<number>(rows + 1).fill(0);
  const place = new Map(
    operations.map(({ id }) => [id, { x: filled[depth.get(id)!]++, y: rows - depth.get(id)! }] as const),
  );
  const width = Math.max(...filled) * W;
  const at = (id: number): { readonly x: number; readonly y: number } => {
    const { x, y } = place.get(id)!;
    return { x: (width * (x + 0.5)) / filled[rows - y], y: H * y + 16 };
  };
  const lines = operations.flatMap(({ id, operands }) =>
    operands.flatMap((o) => {
      if (typeof o !== 'number') return [];
      const [from, to] = [at(id), at(o)];
      return [`<path d="M${from.x.toFixed(1)} ${from.y + 6}L${to.x.toFixed(1)} ${to.y - 12}" stroke="#bbb"/>`];
    }),
  );
  const labels = operations.map(({ id, name, operands, isRoot }) => {
    const { x, y } = at(id);
    const read = operands.filter((o) => typeof o !== 'number').join(' · ');
    const text = (dy: number, size: number, of: string): string =>
      `<text x="${x.toFixed(1)}" y="${y + dy}" font-size="${size}"${isRoot && dy === 0 ? ' font-weight="bold"' : ''}>${escaped(of)}</text>`;
    return text(0, 11, name) + (read === '' ? '' : text(10, 7, read));
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${H * rows}" font-family="sans-serif" text-anchor="middle">` +
    `${lines.join('')}${labels.join('')}</svg>`
  );
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const MOST = 400;
const W = 76;
const H = 44;
