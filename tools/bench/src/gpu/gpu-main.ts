import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { firstLines, runProcess } from '@filigree/backend/native';
import { cuda } from '@filigree/backend-cuda';
import { small } from '@filigree/e2e';
import { fail } from '@filigree/ir';
import { commandLine, fromHere, misused, runCommand } from '../command.js';
import { makeBundle } from './bundle/make-bundle.js';
import type { Choice } from './bundle/programs.js';
import { type DirectlyUsable, directDevice } from './direct-devices.js';
import { pageName } from './gpu-page.js';
import { importResults } from './import-results.js';

const USAGE = `usage: npm run gpu -- [NAME…] [--elements ${1 << 25}] [--bundle DIR | --import DIR | --direct] [--out FOLDER]
NAME: conformance, rates, or an example of the gallery; all without one
--bundle DIR: makes a folder that a machine with a GPU and nvcc runs; --import DIR: makes the page of its results
--direct: runs all in this process, as on devices of AMD and Apple always, and where there is no nvcc`;

/** The command `npm run gpu`: what kernels do on a GPU, here or elsewhere. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  const choice = choiceOf(positionals, Number(values.elements ?? 1 << 25));
  if (!choice || (values.bundle !== undefined && values.import !== undefined)) return misused(USAGE);
  const pages = fromHere(values.out ?? 'docs/benchmarks');
  const command = commandLine('gpu', argv);
  if (values.import !== undefined) return written(importResults(fromHere(values.import), pages, command));
  if (values.bundle !== undefined) return made(fromHere(values.bundle), choice);
  const { usable, reason } = values.direct === true ? { usable: false, reason: '' } : await cuda().probe();
  if (!usable) {
    const device = await directDevice(values.direct === true ? ['cuda', 'hip', 'metal'] : ['hip', 'metal']);
    return 'reason' in device ? unchanged(reason || device.reason, pages) : directly(device, choice, pages, command);
  }
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
  direct: { type: 'boolean' },
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

/* What a bundle would do is done here: beside such a device there is Node. */
const directly = async (device: DirectlyUsable, choice: Choice, pages: string, command: string): Promise<number> => {
  const file = join(pages, pageName(device));
  writeFileSync(file, await device.page(choice, command));
  return written(file);
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
  console.log(`There is no GPU to run on: ${reason}`);
  const old = readdirSync(pages).flatMap((file) => {
    const commit = /^Kernels of commit (.+?), as/m.exec(readFileSync(join(pages, file), 'utf8'))?.[1];
    return /^gpu-.*\.md$/.test(file) && commit !== undefined ? [`${join(pages, file)} stays, of commit ${commit}`] : [];
  });
  console.log(old.length > 0 ? old.join('\n') : 'No page was made before.');
  return 0;
};

await runCommand(main, USAGE);
