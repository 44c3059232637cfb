/** When something was done, in milliseconds since some moment. */
export interface Span {
  readonly what: 'plan' | 'compile' | 'run';
  readonly from: number;
  readonly to: number;
}

/** What was done when as SVG: a lane each for planning, for lowering and compiling, and for running, over one axis of time. */
export const drawTimeline = (spans: readonly Span[]): string => {
  const begin = spans.reduce((least, s) => Math.min(least, s.from), Infinity);
  const end = spans.reduce((most, s) => Math.max(most, s.to), -Infinity);
  const length = spans.length > 0 && end > begin ? end - begin : 1;
  const x = (at: number): number => LEFT + ((at - begin) / length) * (WIDTH - LEFT - RIGHT);
  const lanes = LANES.map(({ what, title }, n) => {
    const own = spans.filter((s) => s.what === what);
    const spent = own.reduce((sum, s) => sum + s.to - s.from, 0);
    const y = TOP + n * ROW;
    const boxes = own.map(
      ({ from, to }) =>
        `<rect class="${what}" x="${x(from).toFixed(2)}" y="${y}" width="${Math.max(x(to) - x(from), 0.5).toFixed(2)}" height="16"/>`,
    );
    const label = `<text x="4" y="${y + 12}">${title}</text>`;
    return `${label}${boxes.join('')}<text x="${WIDTH - RIGHT + 6}" y="${y + 12}">${milliseconds(spent)}</text>`;
  });
  const axis = TOP + LANES.length * ROW;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${axis + 22}" font-family="sans-serif" font-size="11">` +
    `<style>.plan{fill:#e0a030}.compile{fill:#a060b0}.run{fill:#4080c0}line{stroke:#999}</style>` +
    `${lanes.join('')}<line x1="${LEFT}" y1="${axis}" x2="${WIDTH - RIGHT}" y2="${axis}"/>` +
    `<text x="${LEFT}" y="${axis + 14}">0</text>` +
    `<text x="${WIDTH - RIGHT}" y="${axis + 14}" text-anchor="end">${milliseconds(length)}</text></svg>`
  );
};

const LANES = [
  { what: 'plan', title: 'planning' },
  { what: 'compile', title: 'lowering, compiling' },
  { what: 'run', title: 'running' },
] as const;

const TOP = 8;
const ROW = 22;
const LEFT = 120;
const RIGHT = 80;
const WIDTH = 720;

const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : ms.toFixed(0)} ms`;
