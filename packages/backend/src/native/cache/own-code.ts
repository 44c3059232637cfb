import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentHash } from './artifact-cache.js';

/**
 * What tells the code of one Filigree from that of another: the versions of all its packages that lie beside this one, and the sizes
 * and times of their files, for those who work on them. Nothing where this code is part of a bundle.
 */
export const ownCode = (): string | undefined => (known.code ??= { value: find() }).value;

const known: { code?: { readonly value: string | undefined } } = {};

const find = (): string | undefined => {
  try {
    const here = realpathSync(fileURLToPath(import.meta.url));
    const own = packageAround(dirname(here));
    if (own === undefined) return undefined;
    /* Built, or its sources. */
    const [kind] = relative(own, here).split(sep);
    const parts = readdirSync(dirname(own)).map((name) => {
      const folder = join(dirname(own), name);
      const version = versionOf(folder);
      return version === undefined ? '' : `${name} ${version}\n${filesOf(join(folder, kind)).join('\n')}`;
    });
    return contentHash(process.versions.v8, ...parts);
  } catch {
    return undefined;
  }
};

/** The folder of this package; nothing where the code was taken out of it. */
const packageAround = (folder: string): string | undefined => {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const name = namedIn(at)?.name;
    if (name !== undefined) return name === '@filigree/backend' ? at : undefined;
  }
  return undefined;
};

const namedIn = (folder: string): { readonly name?: string; readonly version?: string } | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string; version?: string };
  } catch {
    return undefined;
  }
};

const versionOf = (folder: string): string | undefined => {
  const found = namedIn(folder);
  return found?.name === 'filigree' || found?.name?.startsWith('@filigree/') ? (found.version ?? '') : undefined;
};

const filesOf = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesOf(path);
      if (!/\.[cm]?[jt]s$/.test(entry.name) || entry.name.endsWith('.d.ts')) return [];
      const { size, mtimeMs } = statSync(path);
      return [`${path} ${size} ${mtimeMs}`];
    });
  } catch {
    return [];
  }
};
