/** A generation to be shown: cells that live, by row and column. */
export interface Frame {
  readonly generation: number;
  readonly cells: readonly (readonly [y: number, x: number])[];
}

/** A page that plays generations one after the other: a window on them, scaled down to a canvas where they are large. */
export const filmPage = (title: string, frames: readonly Frame[]): string => {
  const all = frames.flatMap((f) => f.cells);
  const top = all.reduce((m, [y]) => Math.min(m, y), Infinity);
  const left = all.reduce((m, [, x]) => Math.min(m, x), Infinity);
  const side = all.reduce((m, [y, x]) => Math.max(m, y - top + 1, x - left + 1), 1);
  const scale = Math.max(1, Math.ceil(side / PIXELS));
  const pixels = Math.ceil(side / scale);
  const codes = frames.map(({ generation, cells }) => {
    const lit = new Set(cells.map(([y, x]) => Math.floor((y - top) / scale) * pixels + Math.floor((x - left) / scale)));
    const sorted = [...lit].sort((a, b) => a - b);
    /* Differences are short. */
    return [generation, sorted.map((p, n) => (p - (n === 0 ? 0 : sorted[n - 1])).toString(36)).join(' ')];
  });
  return `<!doctype html>
<meta charset="utf-8">
<title>${title}</title>
<style>
  body { background: #101418; color: #d8dee4; font: 14px system-ui, sans-serif; text-align: center }
  canvas { width: min(90vmin, 900px); image-rendering: pixelated; background: #000 }
</style>
<canvas width="${pixels}" height="${pixels}"></canvas>
<p><span id="at"></span> <button id="play">pause</button></p>
<script>
  const frames = ${JSON.stringify(codes)};
  const context = document.querySelector('canvas').getContext('2d');
  let [at, plays] = [0, true];
  const show = () => {
    const [generation, code] = frames[at];
    const image = context.createImageData(${pixels}, ${pixels});
    let place = 0;
    for (const step of code === '' ? [] : code.split(' ')) {
      place += parseInt(step, 36);
      image.data.set([255, 220, 120, 255], 4 * place);
    }
    context.putImageData(image, 0, 0);
    document.querySelector('#at').textContent = 'generation ' + generation;
  };
  document.querySelector('#play').onclick = ({ target }) => {
    plays = !plays;
    target.textContent = plays ? 'pause' : 'play';
  };
  show();
  setInterval(() => { if (plays) { at = (at + 1) % frames.length; show(); } }, 60);
</script>
`;
};

const PIXELS = 512;
