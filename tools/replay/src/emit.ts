/**
 * `emit.ts OUT PART PARTS`: writes what every PARTS-th case emits, from the PART-th on, into a folder a case below OUT. Says
 * each case on stderr when it is done. A case that does not pass its check ends it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backend, Sources } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { gallery, small, withPictures } from '@filigree/e2e';
import { cases, type Example } from './cases.js';
import { recording } from './recording.js';

const backends: readonly Backend[] = [cpp(), wasm()];
const root = fileURLToPath(new URL('../../..', import.meta.url));

const main = async ([out, part, parts]: readonly string[]): Promise<void> => {
  const named = new Set(cases.examples.map(({ name }) => name));
  const others = Object.entries(small).filter(([name]) => !named.has(name));
  const examples = [...cases.examples, ...others.map(([name, size]): Example => ({ name, ...size }))];
  const all = backends.flatMap((backend) => [
    ...examples
      .filter(({ on = backend.name }) => on === backend.name)
      .map((e) => ({ name: exampleText(e, backend), emit: (to: string) => ofExample(e, backend, to) })),
    ...cases.commands.map((c) => ({ name: commandText(c, backend), emit: (to: string) => ofCommand(c, backend, to) })),
  ]);
  for (const [at, { name, emit }] of all.entries()) {
    if (at % Number(parts) !== Number(part)) continue;
    const begin = performance.now();
    await emit(join(out, folderName(name)));
    process.stderr.write(`${name} ${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
  }
};

const ofExample = async (example: Example, backend: Backend, to: string): Promise<void> => {
  const { name, args, dtype = 'f64', ablate = [], threads = 1 } = example;
  const emitted: Sources[] = [];
  const out = mkdtempSync(join(tmpdir(), 'filigree-replay-'));
  try {
    const { check } = await gallery[name].run({
      args: withPictures(name, args, out),
      backend: recording(backend, (sources) => emitted.push(sources)),
      dtype,
      ablate,
      threads,
      seed: 1,
      bench: false,
      progress: () => undefined,
    });
    if (!check.passed) throw new Error(`the check of ${name} failed`);
  } finally {
    rmSync(out, { recursive: true });
  }
  emitted.forEach(({ files }, program) => {
    const folder = join(to, String(program));
    mkdirSync(folder, { recursive: true });
    for (const { name, contents } of files) writeFileSync(join(folder, name), contents);
  });
};

/* Of the sources, if this process itself runs on them. */
const COMMAND_LINE = process.execArgv.includes('--conditions=@filigree/source')
  ? [...process.execArgv, 'packages/filigree/src/cli.ts']
  : ['packages/filigree/bin/filigree.js'];

const ofCommand = async (command: readonly string[], backend: Backend, to: string): Promise<void> => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [...COMMAND_LINE, ...command, '--backend', backend.name, '--emit', to],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`filigree ${command.join(' ')} ended with ${status}\n${stderr}`);
};

const exampleText = ({ name, args, dtype = 'f64', ablate = [], threads = 1 }: Example, backend: Backend): string =>
  [
    ...[backend.name, name, ...Object.entries(args).map(([key, value]) => `${key}=${value}`), dtype],
    ...(ablate.length > 0 ? [`without ${ablate.join(' ')}`] : []),
    ...(threads > 1 ? [`${threads} threads`] : []),
  ].join(' ');

const commandText = (command: readonly string[], backend: Backend): string => [backend.name, ...command].join(' ');

const folderName = (text: string): string => text.replace(/[^\w.=-]+/g, '-');

await main(process.argv.slice(2));
