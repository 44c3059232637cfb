import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { firstLines, runProcess } from '@filigree/backend/native';
import { cuda } from '@filigree/backend-cuda';
import { small } from '@filigree/e2e';
import { fail } from '@filigree/ir';
import { backends } from 'filigree';
import { commandLine, fromHere, misused, runCommand } from '../command.js';
import { commitHere, makeBundle } from './bundle/make-bundle.js';
import type { Choice } from './bundle/programs.js';
import { directPage, directResults } from './direct.js';
import { pageName } from './gpu-page.js';
import { importResults } from './import-results.js';

const USAGE = `usage: npm run gpu -- [NAME…] [--elements ${1 << 25}] [--bundle DIR | --import DIR] [--out FOLDER]
NAME: conformance, rates, or an example of the gallery; all without one
--bundle DIR: makes a folder that a machine with a GPU and nvcc runs; --import DIR: makes the page of its results`;

/** The command `npm run gpu`: what kernels do on a GPU, here or elsewhere. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  const choice = choiceOf(positionals, Number(values.elements ?? 1 << 25));
  if (!choice || (values.bundle !== undefined && values.import !== undefined)) return misused(USAGE);
  const pages = fromHere(values.out ?? 'docs/benchmarks');
  const command = commandLine('gpu', argv);
  if (values.import !== undefined) return written(importResults(fromHere(values.import), pages, command));
  if (values.bundle !== undefined) return made(fromHere(values.bundle), choice);
  const { usable, reason } = await cuda().probe();
  const { usable: onMac, toolchain } = usable ? { usable: false, toolchain: '' } : await metal.probe();
  if (onMac) return written(await metalPage(choice, toolchain, pages, command));
  if (!usable) return unchanged(reason, pages);
  const folder = mkdtempSync(join(tmpdir(), 'filigree-gpu-'));
  try {
    await made(folder, choice);
    await runBundle(folder);
    return written(importResults(folder, pages, command));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const OPTIONS = {
  bundle: { type: 'string' },
  import: { type: 'string' },
  elements: { type: 'string' },
  out: { type: 'string' },
} as const;

const choiceOf = (names: readonly string[], elements: number): Choice | undefined => {
  const known = ['conformance', 'rates', ...Object.keys(small)];
  if (!Number.isSafeInteger(elements) || elements < 1 || elements > 1 << 30) return undefined;
  if (names.some((name) => !known.includes(name))) return undefined;
  if (names.length === 0) return { elements };
  return {
    ...(names.includes('conformance') ? {} : { conformance: [] }),
    gallery: names.filter((name) => Object.hasOwn(small, name)),
    elements: names.includes('rates') ? elements : 0,
  };
};

const metal = backends().find((b) => b.name === 'metal')!;

/* Beside a GPU of Apple's there is Node: what a bundle would do is done here, in singles. */
const metalPage = async (choice: Choice, toolchain: string, pages: string, command: string): Promise<string> => {
  /* Of Apple's chips the processor and the GPU are one. */
  const device = { name: cpus()[0]?.model ?? 'Mac' };
  const found = [];
  for await (const result of directResults(metal, 'f32', choice)) found.push(result);
  const file = join(pages, pageName(device));
  const about = {
    ...device,
    written: `the Metal Shading Language, compiled by ${toolchain}`,
    commit: commitHere(),
  };
  writeFileSync(file, directPage(about, found, command));
  return file;
};

const made = async (folder: string, choice: Choice): Promise<number> => {
  const { count, leftOut } = await makeBundle(folder, choice);
  for (const { name, reason } of leftOut) console.error(`left out: ${name}: ${reason}`);
  console.log(`${folder}: ${count} programs, ${leftOut.length} left out; on a machine with a GPU: sh run.sh`);
  return 0;
};

const written = (file: string): number => {
  console.log(file);
  return 0;
};

/* A wrong answer is a row of the page; only that there are no results is a failure here. */
const runBundle = async (folder: string): Promise<void> => {
  const { FILIGREE_NVCC: nvcc } = process.env;
  const env = { ...process.env, ...(nvcc === undefined ? {} : { NVCC: nvcc }) };
  const done = await runProcess('sh', ['run.sh'], { cwd: folder, env, limitMs: 3_600_000 });
  if (!readdirSync(folder).includes('results.json'))
    fail('gpu/run', `the bundle does not run here:\n${firstLines(done.stderr || done.stdout)}`, {
      remedy: 'install nvcc, and set FILIGREE_NVCC',
    });
};

/** Says why nothing was measured, and what pages there are from before. */
const unchanged = (reason: string, pages: string): number => {
  console.log(`There is no GPU of NVIDIA or Apple to run on: ${reason}`);
  const old = readdirSync(pages).flatMap((file) => {
    const commit = /^Kernels of commit (.+?), as/m.exec(readFileSync(join(pages, file), 'utf8'))?.[1];
    return /^gpu-.*\.md$/.test(file) && commit !== undefined ? [`${join(pages, file)} stays, of commit ${commit}`] : [];
  });
  console.log(old.length > 0 ? old.join('\n') : 'No page was made before.');
  return 0;
};

await runCommand(main, USAGE);
