import { fail } from '@filigree/ir';

/** Cells that live, by row and column, both from 0 on. */
export interface Pattern {
  readonly rows: number;
  readonly columns: number;
  /** Rows and columns, one after the other. */
  readonly cells: readonly number[];
  /** The rule that the file names, if it does. */
  readonly rule?: string;
}

/** Reads the text of a pattern: run lengths (`.rle`) or a macrocell file (`.mc`). Errors: `life/rle`, `life/macrocell`. */
export const readPattern = (text: string): Pattern => (text.startsWith('[M2]') ? readMacrocell(text) : readRle(text));

/** A pattern whose first row and column are those of its cells. */
const trimmed = (cells: readonly number[], rule: string | undefined): Pattern => {
  const ends = [Infinity, -Infinity, Infinity, -Infinity];
  for (let n = 0; n < cells.length; n += 2) {
    ends[0] = Math.min(ends[0], cells[n]);
    ends[1] = Math.max(ends[1], cells[n]);
    ends[2] = Math.min(ends[2], cells[n + 1]);
    ends[3] = Math.max(ends[3], cells[n + 1]);
  }
  if (cells.length === 0) return { rows: 0, columns: 0, cells, ...(rule !== undefined && { rule }) };
  return {
    rows: ends[1] - ends[0] + 1,
    columns: ends[3] - ends[2] + 1,
    cells: cells.map((x, n) => x - ends[n % 2 === 0 ? 0 : 2]),
    ...(rule !== undefined && { rule }),
  };
};

/** More cells than this are refused: a file of a few lines can name any number. */
const MOST = 2 ** 24;

/** `x = 3, y = 3, rule = B3/S23`, and then runs: `bob$2bo$3o!`. */
const readRle = (text: string): Pattern => {
  const lines = text.split(/\r?\n/);
  const head = lines.findIndex((l) => !l.startsWith('#') && l.trim() !== '');
  const refuse = (line: number, message: string, remedy: string): never =>
    fail('life/rle', `line ${line + 1}: ${message}`, { remedy });
  if (head < 0) refuse(0, 'there is no pattern', 'begin with x = 3, y = 3');
  const header = /^\s*x\s*=\s*\d+\s*,\s*y\s*=\s*\d+\s*(?:,\s*rule\s*=\s*(\S+)\s*)?$/i.exec(lines[head]);
  if (!header) refuse(head, 'there is no header', 'begin with x = 3, y = 3, rule = B3/S23');
  const cells: number[] = [];
  let [y, x, count] = [0, 0, ''];
  for (let line = head + 1; line < lines.length; line++) {
    if (lines[line].startsWith('#')) continue;
    for (const c of lines[line]) {
      if (/\d/.test(c)) {
        count += c;
        continue;
      }
      if (/\s/.test(c)) continue;
      const times = count === '' ? 1 : Number(count);
      if (times > MOST || cells.length / 2 + times > MOST)
        refuse(line, `a run of ${count} is too long`, `give at most ${MOST} cells`);
      count = '';
      if (c === '!') return trimmed(cells, header![1]);
      if (c === 'b' || c === '.') x += times;
      else if (c === 'o' || c === 'A') for (let n = 0; n < times; n++) cells.push(y, x++);
      else if (c === '$') [y, x] = [y + times, 0];
      else refuse(line, `'${c}' is no cell`, 'write b for dead, o for alive, $ at the end of a row, ! at the end');
    }
  }
  return refuse(lines.length - 1, "the pattern has no end: '!' is missing", 'check that the file is whole');
};

/** `[M2]`, and then a node of a tree a line: eight rows of eight cells, or a level and the numbers of four nodes. */
const readMacrocell = (text: string): Pattern => {
  const lines = text.split(/\r?\n/);
  const rule = lines
    .find((l) => l.startsWith('#R'))
    ?.slice(2)
    .trim();
  const refuse = (line: number, message: string, remedy: string): never =>
    fail('life/macrocell', `line ${line + 1}: ${message}`, { remedy });
  const nodes: (MacroNode | undefined)[] = [undefined];
  lines.forEach((line, at) => {
    if (at === 0 || line.startsWith('#') || line.trim() === '') return;
    if (/^[.*$]+$/.test(line)) {
      const cells = leafCells(line);
      nodes.push(
        cells
          ? { level: 3, population: cells.length / 2, cells }
          : refuse(at, 'a leaf has more than 8 × 8 cells', 'write at most eight rows of eight'),
      );
      return;
    }
    const [level, ...children] = line.trim().split(/\s+/).map(Number);
    if (!(level >= 4 && level <= 60) || children.length !== 4)
      refuse(at, `'${line}' is no node`, 'write a level from 4 on and four numbers of nodes, or cells of two states');
    const below = children.map((n) => {
      const node = nodes[n];
      const fits =
        Number.isInteger(n) && n >= 0 && n < nodes.length && (node === undefined || node.level === level - 1);
      return fits
        ? node
        : refuse(at, `'${n}' is no node of level ${level - 1} before`, 'name nodes by the lines they stand on');
    });
    const population = below.reduce((sum, n) => sum + (n?.population ?? 0), 0);
    if (population > MOST) refuse(at, `the pattern has more than ${MOST} cells`, 'give a smaller one');
    nodes.push({ level, population, below });
  });
  const root = nodes[nodes.length - 1];
  if (nodes.length === 1) refuse(lines.length - 1, 'there is no node', 'check that the file is whole');
  const cells: number[] = [];
  const visit = (node: MacroNode | undefined, y: number, x: number): void => {
    if (!node || node.population === 0) return;
    if (node.cells) for (let n = 0; n < node.cells.length; n += 2) cells.push(y + node.cells[n], x + node.cells[n + 1]);
    const half = 2 ** (node.level - 1);
    node.below?.forEach((child, n) => visit(child, y + half * Math.floor(n / 2), x + half * (n % 2)));
  };
  visit(root, 0, 0);
  return trimmed(cells, rule);
};

interface MacroNode {
  readonly level: number;
  readonly population: number;
  readonly cells?: readonly number[];
  readonly below?: readonly (MacroNode | undefined)[];
}

/** Eight rows of eight cells; nothing where they are more. */
const leafCells = (line: string): readonly number[] | undefined => {
  const cells: number[] = [];
  let [y, x] = [0, 0];
  for (const c of line) {
    if (c === '$') [y, x] = [y + 1, 0];
    else {
      if (y > 7 || x > 7) return undefined;
      if (c === '*') cells.push(y, x);
      x++;
    }
  }
  return cells;
};
