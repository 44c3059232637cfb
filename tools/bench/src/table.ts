import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bandwidth } from './bandwidth.js';
import type { Machine } from './machine.js';
import type { Ratio } from './measure.js';

/** A table as data: the head and rows of cells that are already text. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A page of `docs/benchmarks/`. */
export interface BenchmarkPage {
  readonly title: string;
  /** The command that makes this page again. */
  readonly command: string;
  readonly machine: Machine;
  readonly bandwidth?: Bandwidth;
  /** Prose before the tables: what is measured, what it is compared with. */
  readonly intro?: string;
  readonly sections: readonly { readonly title?: string; readonly table: Table; readonly notes?: readonly string[] }[];
}

/** A Markdown table with aligned columns; columns of numbers stand right. */
export const markdownTable = ({ head, rows }: Table): string => {
  const cells = [head, ...rows].map((row) => head.map((_, c) => (row[c] ?? '').replaceAll('|', '\\|')));
  const width = head.map((_, c) => Math.max(3, ...cells.map((row) => displayWidth(row[c]))));
  const right = head.map(
    (_, c) => rows.length > 0 && rows.every((row) => /^([\d.,±<>≥≤×%eE+\- –()[\]]*|(\d.*))$/.test(row[c] ?? '')),
  );
  const pad = (text: string, c: number): string => {
    const space = ' '.repeat(width[c] - displayWidth(text));
    return right[c] ? space + text : text + space;
  };
  const line = (row: readonly string[]): string => `| ${row.map(pad).join(' | ')} |`;
  const rule = `| ${width.map((w, c) => (right[c] ? `${'-'.repeat(w - 1)}:` : '-'.repeat(w))).join(' | ')} |`;
  return [line(cells[0]), rule, ...cells.slice(1).map(line)].join('\n');
};

/** The page as Markdown: the command at its head, then the machine, then the tables. */
export const benchmarkPage = (page: BenchmarkPage): string => {
  const m = page.machine;
  const facts: (readonly [string, string])[] = [
    [
      'processor',
      `${m.cpu}, ${m.cores} core${m.cores > 1 ? 's' : ''}${m.caches ? ` (${m.caches})` : ''}, ${m.memoryGB} GB`,
    ],
    ['target', m.target],
    ['system', `${m.system}, Node ${m.node}`],
    ['C++', `${m.compiler}; ${m.flags}`],
    ['Eigen', m.eigen],
  ];
  const b = page.bandwidth;
  if (b)
    facts.push([
      'bandwidth',
      `copy ${b.copy.toFixed(1)} GB/s, triad ${b.triad.toFixed(1)} GB/s (one thread, ${(b.bytes / 1e6).toFixed(0)} MB, ${b.by})`,
    ]);
  const blocks = [
    `# ${page.title}`,
    `Made by\n\n\`\`\`sh\n${page.command}\n\`\`\``,
    ...(page.intro ? [page.intro] : []),
    markdownTable({ head: ['machine', ''], rows: facts }),
    ...page.sections.flatMap((s) => [
      ...(s.title ? [`## ${s.title}`] : []),
      markdownTable(s.table),
      ...(s.notes?.length ? [s.notes.map((n) => `- ${n}`).join('\n')] : []),
    ]),
  ];
  return `${blocks.join('\n\n')}\n`;
};

/** Writes the page, making its folder. */
export const writeBenchmarkPage = (file: string, page: BenchmarkPage): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, benchmarkPage(page));
};

/** Milliseconds with three significant digits, for a cell. */
export const ms = (t: number): string => (t >= 100 ? t.toFixed(0) : t.toPrecision(3));

/** A ratio with its 95 % interval, for a cell. */
export const ratioCell = ({ ratio, low, high }: Ratio): string =>
  `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;

const displayWidth = (text: string): number => [...text].length;
