#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/* Eight times as much of a function is run before it is optimised: see docs/decisions/command-line.md. */
setFlagsFromString('--interrupt-budget=540672');

const commandLine = new URL('../dist/cli.js', import.meta.url);

if (existsSync(commandLine)) {
  await import(commandLine.href);
} else {
  console.error(
    `filigree is not built: ${fileURLToPath(commandLine)} is missing. In a clone of the repository, run \`npm ci && npm run build\`.`,
  );
  process.exitCode = 2;
}
