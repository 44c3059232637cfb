import { spy, type CsrPattern } from '@filigree/sparse/formats';
import { countText } from '../cli/text.js';
import { escape } from './html.js';

const SIZE = 240;
const SHADES = 4;

/** A picture of a pattern with its caption: darker where entries are denser. */
export const spyFigure = (name: string, p: CsrPattern): string => {
  const extent = Math.max(p.rows, p.cols, 1);
  const size = Math.min(SIZE, extent);
  const raster = spy(p, size);
  const width = Math.max(1, Math.round((size * p.cols) / extent));
  const height = Math.max(1, Math.round((size * p.rows) / extent));
  const paths = Array.from({ length: SHADES }, () => '');
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width;) {
      const shade = shadeOf(raster[y * size + x]);
      let end = x + 1;
      while (end < width && shadeOf(raster[y * size + end]) === shade) end++;
      if (shade >= 0) paths[shade] += `M${x} ${y}h${end - x}v1h${x - end}z`;
      x = end;
    }
  }
  const shapes = paths.map((d, k) => (d === '' ? '' : `<path opacity="${((k + 1) / SHADES).toFixed(2)}" d="${d}"/>`));
  const scale = SIZE / size;
  const caption = `${name}: ${p.rows} × ${p.cols}, ${countText(p.colIdx.length)} entries`;
  return (
    `<figure><svg class="spy" role="img" aria-label="${escape(caption)}" viewBox="0 0 ${width} ${height}" ` +
    `width="${Math.round(width * scale)}" height="${Math.round(height * scale)}" shape-rendering="crispEdges">${shapes.join('')}</svg>` +
    `<figcaption>${escape(caption)}</figcaption></figure>`
  );
};

/* -1 where nothing stands. */
const shadeOf = (density: number): number => Math.ceil((density * SHADES) / 255) - 1;
