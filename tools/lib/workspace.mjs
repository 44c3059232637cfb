import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository, without a slash at the end. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/**
 * What this workspace reads of a package.json.
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {Record<string, string | Record<string, string>>} exports
 * @property {readonly string[]} [files]
 * @property {Record<string, string>} [bin]
 * @property {Record<string, string>} [scripts]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [devDependencies]
 */

/**
 * A published package: its folder's name under `packages/`, the folder itself, its package.json.
 * @typedef {{ folder: string, path: string, manifest: Manifest }} Package
 */

/**
 * The published packages, in order of their folder names.
 * @param {string} [workspace]
 * @returns {Package[]}
 */
export const packages = (workspace = root) =>
  readdirSync(join(workspace, 'packages'))
    .sort()
    .map((folder) => ({ folder, path: join(workspace, 'packages', folder) }))
    .filter(({ path }) => existsSync(join(path, 'package.json')))
    .map((p) => ({ ...p, manifest: JSON.parse(readFileSync(join(p.path, 'package.json'), 'utf8')) }));

/**
 * The names of our packages that this one needs at run time, itself excluded, nearest first and each once.
 * @param {Package} start
 * @param {readonly Package[]} all
 * @returns {Package[]}
 */
export const innerDependencies = (start, all) => {
  const byName = new Map(all.map((p) => [p.manifest.name, p]));
  const found = new Set([start]);
  for (const p of found)
    for (const name of Object.keys(p.manifest.dependencies ?? {})) {
      const dependency = byName.get(name);
      if (dependency) found.add(dependency);
    }
  found.delete(start);
  return [...found];
};

/**
 * The text of a fenced block of a Markdown file: the first one whose language is `language`.
 * @param {string} markdown
 * @param {string} language
 * @returns {string | undefined}
 */
export const firstFence = (markdown, language) =>
  new RegExp(`^\`\`\`${language}[^\\S\\n]*\\n([\\s\\S]*?)^\`\`\`[^\\S\\n]*$`, 'm').exec(markdown)?.[1];
