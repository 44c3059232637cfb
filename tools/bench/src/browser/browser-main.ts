import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fail } from '@filigree/ir';
import { filigreeEsbuild } from '@filigree/lang/plugin';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { speedup, type Timing } from '../measure.js';
import { ms } from '../table.js';
import type { PageTimings } from './page.js';

const USAGE = 'usage: npm run bench:browser -- [--rounds 15] [--out FILE.md]';

/** The command `npm run bench:browser`: WebAssembly in a page beside jax-js and plain TypeScript. */
const main = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseArgs({ args: [...argv], options: { rounds: { type: 'string' }, out: { type: 'string' } } });
  const rounds = Number(parsed.values.rounds ?? 15);
  if (!(rounds >= 6)) return misused(USAGE);
  const { browser, cases } = await measuredInPage(rounds);
  const ratio = (of: Timing, than: Timing): string => {
    const { ratio: r, low, high } = speedup(than, of);
    return `${r.toFixed(2)} (${low.toFixed(2)} – ${high.toFixed(2)})`;
  };
  publish(fromHere(parsed.values.out ?? 'docs/benchmarks/browser.md'), {
    title: 'In a page, beside jax-js and plain TypeScript',
    command: commandLine('bench:browser', argv),
    machine: describeMachine(),
    intro:
      `${browser}, headless, one thread; jax-js ${jaxVersion()} on its WebAssembly device, with \`jit\`; all in f32. “Plain” is TypeScript over \`Float32Array\`s. Answers are ` +
      'compared with those of plain TypeScript before anything is timed; samples are taken in turns in one page. Ratios are those of samples of one round, with the 95 % interval of their median.',
    sections: [
      {
        title: 'Times',
        table: {
          head: ['case', 'program', 'ms', 'times as fast as jax-js', 'times as fast as plain'],
          rows: cases.flatMap(({ name, timings }) => {
            const by = (which: string): Timing => timings.find((t) => t.name.startsWith(which))!;
            return timings.map((t) => [
              name,
              t.name,
              ms(t.median),
              t === by('jax-js') ? '' : ratio(t, by('jax-js')),
              t === by('plain') ? '' : ratio(t, by('plain')),
            ]);
          }),
        },
      },
    ],
  });
  return 0;
};

const jaxVersion = (): string => {
  const manifest = createRequire(import.meta.url)
    .resolve('@jax-js/jax')
    .replace(/dist[\\/].*$/, 'package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
};

/** Builds the page, opens it and waits for what it measures. */
const measuredInPage = async (
  rounds: number,
): Promise<{ readonly browser: string; readonly cases: readonly PageTimings[] }> => {
  const executablePath =
    ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync) ??
    fail('bench/chromium', 'there is no Chromium', { remedy: 'apt-get install chromium' });
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['@filigree/source', 'browser'],
    plugins: [filigreeEsbuild({ frames: false }) as never],
    logLevel: 'error',
  });
  /* A page of its own origin: others get no WebAssembly memory that is large, and no precise clock. */
  const server = createServer(({ url }, answer) => {
    const script = url === '/page.js';
    answer.writeHead(200, {
      'Content-Type': script ? 'text/javascript' : 'text/html',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    });
    answer.end(script ? outputFiles[0].contents : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    page.on('pageerror', (e) => process.stderr.write(`${e.message}\n`));
    page.on('console', (m) => process.stderr.write(`${m.text()}\n`));
    await page.goto(`http://127.0.0.1:${(server.address() as { port: number }).port}/`);
    await page.waitForFunction(() => 'bench' in globalThis);
    const cases = await page.evaluate(
      (n) => (globalThis as unknown as { bench: (n: number) => Promise<readonly PageTimings[]> }).bench(n),
      rounds,
    );
    return { browser: `Chromium ${browser.version()}`, cases };
  } finally {
    await browser.close();
    server.close();
  }
};

await runCommand(main, USAGE);
