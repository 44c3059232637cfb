import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backends, type Csr } from 'filigree';
import { runCommandLine } from 'filigree/command-line';

/** Backends that work here; in continuous integration all of them must. */
export const workingBackends: readonly ('cpp' | 'wasm')[] = await (async () => {
  const found = await Promise.all(backends().map((b) => b.probe()));
  return found.filter((a) => a.usable || process.env['CI'] === 'true').map((a) => a.name as 'cpp' | 'wasm');
})();

export interface Finished {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process. */
export const filigree = async (...argv: string[]): Promise<Finished> => {
  const text = { out: '', err: '' };
  const status = await runCommandLine(argv, {
    out: (t) => {
      text.out += t;
    },
    err: (t) => {
      text.err += t;
    },
  });
  return { status, ...text };
};

/** Runs the installed command as a process of its own. */
export const filigreeProcess = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Finished> => {
  const built = process.env['FILIGREE_BUILT'] === '1';
  const file = fileURLToPath(new URL(built ? '../bin/filigree.js' : '../src/cli.ts', import.meta.url));
  const flags = built ? [] : ['--conditions=@filigree/source', '--import', import.meta.resolve('tsx')];
  const child = spawn(process.execPath, [...flags, file, ...argv], { env: { ...process.env, ...env } });
  const text = { out: '', err: '' };
  child.stdout.on('data', (d: Buffer) => (text.out += d.toString()));
  child.stderr.on('data', (d: Buffer) => (text.err += d.toString()));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...text })));
};

/** A folder for this run alone. */
export const scratch = mkdtempSync(join(tmpdir(), 'filigree-test-'));

/** Writes a file into the scratch folder; gives its path. */
export const scratchFile = (name: string, contents: string | Uint8Array): string => {
  const path = join(scratch, name);
  writeFileSync(path, contents);
  return path;
};

export type Dense = readonly (readonly number[])[];

/** A sparse matrix of the non-zero entries of a dense one. */
export const sparseOf = (rows: Dense, cols = rows[0]?.length ?? 0): Csr<Float64Array> => {
  const rowPtr = [0];
  const colIdx: number[] = [];
  const values: number[] = [];
  for (const row of rows) {
    row.forEach((x, j) => {
      if (x === 0) return;
      colIdx.push(j);
      values.push(x);
    });
    rowPtr.push(colIdx.length);
  }
  return {
    pattern: { rows: rows.length, cols, rowPtr: Int32Array.from(rowPtr), colIdx: Int32Array.from(colIdx) },
    values: Float64Array.from(values),
  };
};

/** A sparse matrix in full. */
export const denseOf = ({ pattern: p, values }: Csr<ArrayLike<number>>): number[][] =>
  Array.from({ length: p.rows }, (_, i) => {
    const row = new Array<number>(p.cols).fill(0);
    for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++) row[p.colIdx[e]] = values[e];
    return row;
  });

export const dense = {
  add: (a: Dense, b: Dense): number[][] => a.map((row, i) => row.map((x, j) => x + b[i][j])),
  scale: (s: number, a: Dense): number[][] => a.map((row) => row.map((x) => s * x)),
  transpose: (a: Dense): number[][] => (a[0] ?? []).map((_, j) => a.map((row) => row[j])),
  multiply: (a: Dense, b: Dense): number[][] =>
    a.map((row) => (b[0] ?? []).map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0))),
};

/** A Matrix Market file of a dense matrix. */
export const marketOf = (rows: Dense): string => {
  const entries = rows.flatMap((row, i) => row.flatMap((x, j) => (x === 0 ? [] : [`${i + 1} ${j + 1} ${x}`])));
  return `%%MatrixMarket matrix coordinate real general\n${rows.length} ${rows[0].length} ${entries.length}\n${entries.join('\n')}\n`;
};

/** The diagnostic code that a promise rejects with. */
export const codeOf = async (work: Promise<unknown> | (() => unknown)): Promise<string> => {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (e) {
    return (
      (e as { diagnostics?: readonly { code: string }[] }).diagnostics?.[0].code ?? `not a diagnostic: ${String(e)}`
    );
  }
  return 'nothing was refused';
};
