import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { backends, DiagnosticError, type Csr } from 'filigree';
import { runCommandLine } from 'filigree/command-line';

/** Backends that need no device and work here; in continuous integration all of them must. */
export const workingBackends: readonly ('cpp' | 'wasm')[] = await (async () => {
  const ofProcessors = backends().filter((b) => b.name === 'cpp' || b.name === 'wasm');
  const found = await Promise.all(ofProcessors.map((b) => b.probe()));
  return found.filter((a) => a.usable || process.env['CI'] === 'true').map((a) => a.name as 'cpp' | 'wasm');
})();

export interface Finished {
  readonly status: number | null;
  readonly signal?: NodeJS.Signals | null;
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

/**
 * What a command refuses to do: status 1, one JSON document with the diagnostic on stdout, the same for people on stderr, and
 * no result, no stack.
 */
export const refusal = async (
  ...argv: string[]
): Promise<{ code: string; message: string; remedy: string; loc?: { file: string; line: number; column: number } }> => {
  const { status, out, err } = await filigree(...argv, '--json');
  expect(status).toBe(1);
  const answer = JSON.parse(out) as { error: Awaited<ReturnType<typeof refusal>> };
  expect(Object.keys(answer)).toEqual(['error']);
  expect(answer.error.remedy).toMatch(/\w/);
  expect(err).toContain(`error[${answer.error.code}]`);
  expect(err).toContain('remedy:');
  expect(err).not.toMatch(/^ +at /m);
  return answer.error;
};

/** Starts the installed command as a process of its own. */
export const startFiligree = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): ChildProcessWithoutNullStreams => {
  const built = process.env['FILIGREE_BUILT'] === '1';
  const file = fileURLToPath(new URL(built ? '../bin/filigree.js' : '../src/cli.ts', import.meta.url));
  const flags = built ? [] : process.env['FILIGREE_NODE_FLAGS']!.split(' ');
  return spawn(process.execPath, [...flags, file, ...argv], { env: { ...process.env, ...env } });
};

/** The same to its end; `interruptAt` sends Ctrl-C once stderr says that. */
export const filigreeProcess = (
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  interruptAt?: string,
): Promise<Finished> => {
  const child = startFiligree(argv, env);
  const text = { out: '', err: '' };
  child.stdout.on('data', (d: Buffer) => (text.out += d.toString()));
  child.stderr.on('data', (d: Buffer) => {
    text.err += d.toString();
    if (interruptAt !== undefined && text.err.includes(interruptAt)) child.kill('SIGINT');
  });
  return new Promise((resolve) => child.on('close', (status, signal) => resolve({ status, signal, ...text })));
};

/** A folder for this process alone, whose test files share it. */
export const scratch = mkdtempSync(join(tmpdir(), 'filigree-test-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** Writes a file into the scratch folder; gives its path. */
export const scratchFile = (name: string, contents: string | Uint8Array): string => {
  const path = join(scratch, name);
  writeFileSync(path, contents);
  return path;
};

/** A folder whose only program is `g++`, a shell script. */
export const folderWithCompiler = (name: string, script: string): string => {
  const folder = join(scratch, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'g++'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'g++'), 0o755);
  return folder;
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

/** The five-point stencil on n × n points. */
export const grid = (n: number): Dense =>
  Array.from({ length: n * n }, (_, i) =>
    Array.from({ length: n * n }, (_, j) => {
      const [dx, dy] = [Math.abs((i % n) - (j % n)), Math.abs(Math.floor(i / n) - Math.floor(j / n))];
      return dx + dy === 0 ? 4 : dx + dy === 1 ? -1 : 0;
    }),
  );

/** Entries that the square of a matrix has when nothing cancels. */
export const entriesOfSquare = (m: Dense): number => {
  const sizes = m.map((row) => row.map(Math.abs));
  return dense
    .multiply(sizes, sizes)
    .flat()
    .filter((x) => x !== 0).length;
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

/** The first diagnostic that something fails with. */
export const problem = async (run: () => unknown): Promise<string> => {
  try {
    await run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0]!.code;
    throw e;
  }
  return 'none';
};

/** What is disposed of when the test is done. */
export const kept = <A extends { dispose: () => void }>(made: A): A => {
  onTestFinished(() => made.dispose());
  return made;
};
