import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { type Diagnostic, type Diagnostics, fail } from '@filigree/ir';
import { atExit } from '../toolchain/at-exit.js';
import { makeFolder } from './make-folder.js';

/** A compiled file, from the cache or newly built. */
export interface CachedFile {
  readonly path: string;
  readonly cached: boolean;
  readonly warnings: Diagnostics;
}

/** What is wanted from the cache, and how to build it. */
export interface CacheRequest {
  /** A folder, or `false` for one of this process alone; default `defaultCacheFolder()`. */
  readonly cache?: string | false | undefined;
  /** Content hash, in hex, of everything that the file depends on. */
  readonly key: string;
  /** The file's name within its entry, for example `kernels.so`. */
  readonly file: string;
  /** Writes the file at this path, in a folder made for it alone. */
  readonly build: (path: string) => Promise<void>;
}

/** `$FILIGREE_CACHE_DIR`, else `filigree` in `$XDG_CACHE_HOME`, else in `~/.cache`. */
export const defaultCacheFolder = (env: Readonly<Record<string, string | undefined>> = process.env): string =>
  env['FILIGREE_CACHE_DIR'] || join(env['XDG_CACHE_HOME'] || join(homeFolder(), '.cache'), 'filigree');

/* Where HOME is set to nothing it is as though it were not set. */
const homeFolder = (): string => {
  try {
    return homedir() || userInfo().homedir;
  } catch {
    return tmpdir();
  }
};

/* Compilers run in folders of their own, where a relative path would name another place. */
const folderOf = (cache: string | undefined): string => resolve(cache ?? defaultCacheFolder());

/** SHA-256 of these parts, in hex. The boundaries between parts count. */
export const contentHash = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const p of parts) hash.update(`${typeof p === 'string' ? Buffer.byteLength(p) : p.byteLength}:`).update(p);
  return hash.digest('hex');
};

/**
 * The file of a key from the cache, or newly built into it. An entry is a folder, completed under another name and then
 * renamed, so that concurrent processes never see half of one; it holds the hash of its file, and an entry that does
 * not match is rebuilt. If the folder cannot be written or the disk is full, a warning says so and the system's folder
 * for temporary files is used. Errors: `cache/unwritable` if that fails too, and whatever `build` throws.
 */
export const cachedFile = async (request: CacheRequest): Promise<CachedFile> => {
  const { cache, ...rest } = request;
  if (cache === false) return { ...(await buildTemporarily(rest, '')), warnings: [] };
  const folder = folderOf(cache);
  const hit = lookUp(join(folder, rest.key), rest.file);
  if (hit !== undefined) return { path: hit, cached: true, warnings: [] };
  try {
    return { ...(await buildInto(folder, rest)), warnings: [] };
  } catch (e) {
    const code = systemError(e);
    if (code === undefined) throw e;
    return {
      ...(await buildTemporarily(rest, `the cache folder ${folder} cannot be used (${code}), and `)),
      warnings: [unwritable(folder, code)],
    };
  }
};

/** The file of a key, where the cache has it: whole, or broken. */
export const findCached = ({
  cache,
  key,
  file,
}: Omit<CacheRequest, 'build'>): { readonly path: string; readonly whole: boolean } | undefined => {
  if (cache === false) return undefined;
  const entry = join(folderOf(cache), key);
  const path = lookUp(entry, file);
  if (path !== undefined) return { path, whole: true };
  return existsSync(entry) ? { path: join(entry, file), whole: false } : undefined;
};

/* Into the folder of this process; `before` tells what was tried first. */
const buildTemporarily = async (build: Build, before: string): Promise<{ path: string; cached: boolean }> => {
  try {
    return await buildInto(await privateFolder(), build);
  } catch (e) {
    const code = systemError(e);
    if (code === undefined) throw e;
    return fail('cache/unwritable', `${before}the folder for temporary files ${tmpdir()} cannot be used (${code})`, {
      remedy: 'free disk space, or set FILIGREE_CACHE_DIR or TMPDIR to a folder that can be written',
    });
  }
};

const unwritable = (folder: string, code: string): Diagnostic => ({
  severity: 'warning',
  code: 'cache/unwritable',
  message: `the cache folder ${folder} cannot be used (${code}); compiled files are not kept`,
  remedy: 'free disk space there, or set FILIGREE_CACHE_DIR to a folder that can be written',
});

/* Errors of the file system that say something about the folder and not about us. */
const systemError = (e: unknown): string | undefined => {
  const code = e instanceof Error ? (e as NodeJS.ErrnoException).code : undefined;
  return code !== undefined && folderErrors.has(code) ? code : undefined;
};

const folderErrors = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'ENOENT',
  'ENOTDIR',
  'EEXIST',
  'EIO',
  'ENAMETOOLONG',
  'EMFILE',
  'EINVAL',
  'ELOOP',
]);

interface Build {
  readonly key: string;
  readonly file: string;
  readonly build: (path: string) => Promise<void>;
}

const digestFile = 'sha256';

const lookUp = (entry: string, file: string): string | undefined => {
  try {
    const digest = readFileSync(join(entry, digestFile), 'utf8');
    return sha256(readFileSync(join(entry, file))) === digest.trim() ? join(entry, file) : undefined;
  } catch {
    return undefined;
  }
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const buildInto = async (folder: string, { key, file, build }: Build): Promise<{ path: string; cached: boolean }> => {
  await makeFolder(folder);
  const staging = await mkdtemp(join(folder, `.${key.slice(0, 16)}-`));
  const done = atExit(() => rmSync(staging, { recursive: true, force: true }));
  try {
    await build(join(staging, file));
    await writeFile(join(staging, digestFile), sha256(await readFile(join(staging, file))));
    return { path: join(await publish(staging, join(folder, key), file), file), cached: false };
  } finally {
    await rm(staging, { recursive: true, force: true });
    done();
  }
};

/* A whole entry that another process put there first serves as well; a broken one is moved away. */
const publish = async (staging: string, entry: string, file: string): Promise<string> => {
  for (let attempt = 0; ; attempt++) {
    try {
      await rename(staging, entry);
      return entry;
    } catch (e) {
      const code = (e as NodeJS.ErrnoException).code;
      if ((code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') || attempt === 3) throw e;
      if (lookUp(entry, file) !== undefined) return entry;
      await rm(entry, { recursive: true, force: true });
    }
  }
};

const folders: { current?: Promise<string> } = {};

/** A folder of this process, removed when it ends. */
const privateFolder = (): Promise<string> => {
  folders.current ??= mkdtemp(join(resolve(tmpdir()), 'filigree-')).then(
    (folder) => {
      atExit(() => rmSync(folder, { recursive: true, force: true }));
      return folder;
    },
    (e: unknown) => {
      delete folders.current;
      throw e;
    },
  );
  return folders.current;
};
