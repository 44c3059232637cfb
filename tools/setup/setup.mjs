#!/usr/bin/env node
/**
 * Makes `npm test` and `npm start` work in a fresh clone: checks Node, and runs `npm ci` when `node_modules` is absent or
 * does not hold what package-lock.json names. Uses nothing but Node, since it runs before anything is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * Why `npm ci` is needed in this workspace, or `undefined` when what is installed is what the lockfile names.
 * @param {string} folder the workspace root
 * @returns {string | undefined}
 */
export const staleReason = (folder) => {
  const installed = readLock(join(folder, 'node_modules/.package-lock.json'));
  if (!installed) return 'nothing is installed yet';
  const wanted = readLock(join(folder, 'package-lock.json'));
  if (!wanted) return 'package-lock.json is missing or unreadable';
  for (const [place, entry] of Object.entries(wanted)) {
    if (!place.includes('node_modules/') || entry.optional || entry.peer) continue;
    const found = installed[place];
    if (!found) return `${place} is not installed`;
    if (entry.version !== found.version) return `${place} is ${found.version}, the lockfile names ${entry.version}`;
    if (!existsSync(join(folder, place))) return `${place} is gone`;
  }
  return undefined;
};

/**
 * The `packages` table of a lockfile: place in the tree → entry.
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean, peer?: boolean }> | undefined}
 */
const readLock = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
};

/** @param {string} message */
const stop = (message) => {
  console.error(message);
  process.exit(2);
};

const checkNode = () => {
  const wanted = [20, 19];
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < wanted[0] || (major === wanted[0] && minor < wanted[1]))
    stop(
      `Filigree needs Node ${wanted.join('.')} or newer; this is ${process.versions.node}. Install one from https://nodejs.org.`,
    );
};

const install = () => {
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command = 'npm', ...before] = npm;
  const result = spawnSync(command, [...before, 'ci', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32' && npm.length === 1,
  });
  if (result.status !== 0)
    stop('setup: `npm ci` failed; its message is above. A network or a filled npm cache is needed once.');
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  checkNode();
  const reason = staleReason(root);
  if (reason) {
    console.error(`setup: ${reason}; running npm ci`);
    install();
  }
}
