import { tokensOf, type Token } from './tokens.js';

/** A file that functions stand in. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** A place on the way to a call. */
export interface Frame {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** The places in files that a stack names, the innermost first; those in installed packages only where the innermost is in one. */
export const framesOf = (stack: string): readonly Frame[] => {
  const frames = allFrames(stack);
  return frames.length > 0 && isInstalled(frames[0]) ? frames : frames.filter((f) => !isInstalled(f));
};

/** All places in files that a stack names, the innermost first. */
export const allFrames = (stack: string): readonly Frame[] =>
  stack.split('\n').flatMap((line): readonly Frame[] => {
    const place = /(?:\(|at )(?:async )?(file:\/\/[^)]*?|\/[^)]*?|[A-Za-z]:\\[^)]*?):(\d+):(\d+)\)?$/.exec(line);
    return place ? [{ path: pathOf(place[1]), line: Number(place[2]), column: Number(place[3]) }] : [];
  });

/** Whether a place is in an installed package. */
export const isInstalled = ({ path }: Frame): boolean => /[\\/]node_modules[\\/]/.test(path);

/** The place that a file's source map has for this one; the place itself where there is none. */
export const mapped = (frame: Frame): Frame => {
  const [path, module] = [builtin('path'), builtin('module')];
  const [, url] = [...(fileAt(frame.path)?.text.matchAll(/^\/\/# sourceMappingURL=(\S+)/gm) ?? [])].at(-1) ?? [];
  if (url === undefined || !path || !module) return frame;
  const folder = path.dirname(frame.path);
  const [, encoding, data] = /^data:[^,]*?(;base64)?,(.*)$/.exec(url) ?? [];
  const file = path.resolve(folder, url);
  const map = data === undefined ? fileAt(file)?.text : encoding ? utf8(data) : decodeURIComponent(data);
  const entry = map === undefined ? undefined : entryIn(module, map, frame);
  if (entry?.originalSource === undefined) return frame;
  const from = data === undefined ? path.dirname(file) : folder;
  return {
    path: entry.originalSource.startsWith('file:')
      ? pathOf(entry.originalSource)
      : path.resolve(from, entry.originalSource),
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
};

/** What a source map says of a place; nothing where it is none. */
const entryIn = (module: Node['module'], map: string, { line, column }: Frame) => {
  try {
    return new module.SourceMap(JSON.parse(map)).findEntry(line - 1, column - 1);
  } catch {
    return undefined;
  }
};

const utf8 = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)));

/** The files at these paths, and then those that they import by a relative path, as far as there are any. @param imported whether these, too */
export const filesFrom = function* (paths: readonly string[], imported = true): Generator<SourceFile> {
  const seen = new Set<string>();
  const waiting = [...paths];
  while (waiting.length > 0 && seen.size < MOST) {
    const path = waiting.shift()!;
    if (seen.has(path)) continue;
    seen.add(path);
    const file = fileAt(path);
    if (!file) continue;
    yield file;
    if (!imported) continue;
    for (const [, from] of file.text.matchAll(/\bfrom\s*['"](\.{1,2}\/[^'"]+)['"]/g))
      waiting.push(...resolved(path, from));
  }
};

/** A path as people write it: from where the process runs, if that is around it. */
export const shortPath = (path: string): string => {
  const around = (globalThis as { process?: { cwd?: () => string } }).process?.cwd?.();
  return around !== undefined && path.startsWith(`${around}/`) ? path.slice(around.length + 1) : path;
};

const MOST = 64;

interface Node {
  readonly fs: {
    readFileSync(path: string, encoding: 'utf8'): string;
    statSync(path: string, options: { throwIfNoEntry: false }): { mtimeMs: number; isFile(): boolean } | undefined;
  };
  readonly path: { dirname(path: string): string; resolve(...parts: string[]): string };
  readonly url: { fileURLToPath(url: string): string };
  readonly module: {
    readonly SourceMap: new (map: unknown) => {
      findEntry(
        line: number,
        column: number,
      ): { originalSource?: string; originalLine: number; originalColumn: number };
    };
  };
}

/* In a browser there are no files, and this is undefined. */
const builtin = <K extends keyof Node>(name: K): Node[K] | undefined =>
  (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process?.getBuiltinModule?.(
    `node:${name}`,
  ) as Node[K] | undefined;

const known = new Map<string, SourceFile & { readonly time: number }>();

/** A file as it stands now; undefined where there is none. */
export const fileAt = (path: string): SourceFile | undefined => {
  const fs = builtin('fs');
  try {
    const status = fs?.statSync(path, { throwIfNoEntry: false });
    if (!fs || !status?.isFile()) return undefined;
    const before = known.get(path);
    if (before?.time === status.mtimeMs) return before;
    const text = fs.readFileSync(path, 'utf8');
    let tokens: readonly Token[] | undefined;
    const file = {
      path,
      text,
      time: status.mtimeMs,
      get tokens() {
        return (tokens ??= tokensOf(text));
      },
    };
    known.set(path, file);
    return file;
  } catch {
    return undefined;
  }
};

const pathOf = (place: string): string => {
  if (!place.startsWith('file:')) return place.replace(/\?.*$/, '');
  return builtin('url')?.fileURLToPath(place.replace(/\?.*$/, '')) ?? place;
};

/** What an import may name: the file itself, its source in TypeScript, or either without its ending. */
const resolved = (importer: string, from: string): readonly string[] => {
  const path = builtin('path');
  if (!path) return [];
  const target = path.resolve(path.dirname(importer), from);
  const bare = target.replace(/\.[cm]?jsx?$/, '');
  const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '/index.ts', '/index.js'];
  return [target, ...endings.map((ending) => bare + ending)];
};
