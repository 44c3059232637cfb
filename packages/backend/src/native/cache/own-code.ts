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
      const found = ownIn(folder);
      if (!found) return '';
      const files = kind === 'dist' ? builtFiles(folder, found) : filesIn(join(folder, kind), true);
      return `${name} ${found.version ?? ''}\n${files.join('\n')}`;
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

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly exports?: Readonly<Record<string, string | { readonly default?: string }>>;
}

const namedIn = (folder: string): Manifest | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
};

const ownIn = (folder: string): Manifest | undefined => {
  const found = namedIn(folder);
  return found?.name === 'filigree' || found?.name?.startsWith('@filigree/') ? found : undefined;
};

/** What was built: the files that lie together, and those that the package offers; in the other folders are declarations. */
const builtFiles = (folder: string, { exports = {} }: Manifest): readonly string[] => {
  const dist = join(folder, 'dist');
  const offered = Object.values(exports).flatMap((e) =>
    typeof e === 'object' && e.default !== undefined ? [join(folder, e.default)] : [],
  );
  return [...filesIn(dist, false), ...offered.filter((path) => dirname(path) !== dist).flatMap(ageOf)];
};

/** @param below whether those in folders of it, too */
const filesIn = (folder: string, below: boolean): readonly string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return below ? filesIn(path, true) : [];
      return /\.[cm]?[jt]s$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? ageOf(path) : [];
    });
  } catch {
    return [];
  }
};

/** A file, its size and its time; nothing where it is not there. */
const ageOf = (path: string): readonly string[] => {
  const status = statSync(path, { throwIfNoEntry: false });
  return status ? [`${path} ${status.size} ${status.mtimeMs}`] : [];
};
