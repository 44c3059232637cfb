/**
 * Runs nx as this workspace wants it: the installed binary, no daemon, no terminal interface, no questions, no standard input.
 * `npm run build` is `node tools/build/nx.mjs run-many --target=build`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const result = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('../../node_modules/.bin/nx', import.meta.url)), ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      NX_NO_CLOUD: 'true',
      NX_INTERACTIVE: 'false',
      CI: process.env.CI ?? '',
    },
  },
);
process.exitCode = result.status ?? 1;
