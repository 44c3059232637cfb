import { msText } from '../cli/text.js';

/** Text as HTML. */
export const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);

/** A table of labels and values. */
export const table = (rows: readonly (readonly [label: string, value: string])[]): string =>
  `<table>${rows.map(([label, value]) => `<tr><th scope="row">${escape(label)}</th><td>${escape(value)}</td></tr>`).join('')}</table>`;

/** A table with a heading for each column. */
export const grid = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const row = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escape(cell)}</${tag.split(' ')[0]}>`).join('')}</tr>`;
  return `<table>${row('th scope="col"', head)}${rows.map((cells) => row('td', cells)).join('')}</table>`;
};

/** A section with its heading. */
export const section = (title: string, body: string): string => `<section><h2>${escape(title)}</h2>${body}</section>`;

/** Preformatted text behind a heading that opens it; very long text is cut, and says so. */
export const folded = (title: string, text: string, open = false): string => {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters` : text;
  return `<details${open ? ' open' : ''}><summary>${escape(title)}</summary><pre>${escape(cut)}</pre></details>`;
};

const LONGEST = 200_000;

/** The time of a run in milliseconds beside those of its baselines, with how many times as long they take. */
export const runTimes = (run: number, baselines: Readonly<Record<string, number>>): string =>
  bars([
    ['compiled', run, msText(run)],
    ...Object.entries(baselines).map(
      ([name, ms]) => [name, ms, `${msText(ms)}, ${(ms / run).toPrecision(3)} times`] as const,
    ),
  ]);

/** Bars, one per value, to one scale. */
export const bars = (rows: readonly (readonly [label: string, value: number, text: string])[]): string => {
  const most = Math.max(...rows.map(([, value]) => value), Number.MIN_VALUE);
  const height = 22;
  const lines = rows.map(([label, value, text], i) => {
    const y = i * height;
    const width = Math.max(1, (360 * value) / most);
    return (
      `<text x="150" y="${y + 15}" text-anchor="end">${escape(label)}</text>` +
      `<rect x="160" y="${y + 3}" width="${width.toFixed(1)}" height="${height - 6}"/>` +
      `<text x="${(166 + width).toFixed(1)}" y="${y + 15}">${escape(text)}</text>`
    );
  });
  return `<svg class="bars" role="img" viewBox="0 0 640 ${rows.length * height}" width="640" height="${rows.length * height}">${lines.join('')}</svg>`;
};

/** A whole page that needs nothing but itself. */
export const page = (title: string, sections: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #66707a; --line: #d8dde3; --paper: #fff; --accent: #2f6f8f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --faint: #98a2ac; --line: #39414a; --paper: #14181c; --accent: #6fb3d3; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } th, td { border-bottom: 1px solid var(--line); padding: .2rem .8rem .2rem 0; text-align: left; font-weight: normal; }
th { color: var(--faint); } td { font-variant-numeric: tabular-nums; }
figure { display: inline-block; margin: 0 1.5rem 1rem 0; } figcaption { color: var(--faint); }
svg.spy { border: 1px solid var(--line); fill: var(--accent); } svg.bars { max-width: 100%; font-size: 13px; fill: var(--ink); } svg.bars rect { fill: var(--accent); }
pre { overflow: auto; max-height: 30rem; border: 1px solid var(--line); padding: .6rem; font-size: 12.5px; } summary { cursor: pointer; }
</style>
</head>
<body>
<h1>${escape(title)}</h1>
${sections.join('\n')}
</body>
</html>
`;
