import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/**
 * Bytes of a package's bundled JavaScript, its dependencies not counted; and of what each entry loads, where there are several.
 *
 * @typedef {{ bytes: number, gzip: number }} Bytes
 * @typedef {Bytes & { entries?: Readonly<Record<string, Bytes>> }} Size
 * @typedef {import('../lib/workspace.mjs').Manifest} Manifest
 */

/** How far a README's figure may be from the measured one, as a share. */
const tolerance = 0.2;
const open = '<!-- size -->';
const close = '<!-- /size -->';

/**
 * The size of a built package.
 * @param {string} path the package's folder
 * @param {Manifest} manifest
 * @returns {Size}
 */
export const measure = (path, manifest) => {
  const dist = join(path, 'dist');
  const all = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  const parts = Object.entries(manifest.exports).flatMap(([name, target]) =>
    name === '.' || typeof target === 'string' || !existsSync(join(path, target['default'] ?? ''))
      ? []
      : [/** @type {const} */ ([name, bytesOf(loadedBy(join(path, target['default'] ?? '')))])],
  );
  const whole = bytesOf(all.map((file) => join(dist, file)));
  return parts.length === 0 ? whole : { ...whole, entries: Object.fromEntries(parts) };
};

/** @type {(files: Iterable<string>) => Bytes} */
const bytesOf = (files) => {
  const contents = [...files].map((file) => readFileSync(file));
  return {
    bytes: contents.reduce((sum, c) => sum + c.length, 0),
    gzip: contents.reduce((sum, c) => sum + gzipSync(c).length, 0),
  };
};

/** A file and all files of its package that importing it loads. @type {(file: string, found?: Set<string>) => Set<string>} */
const loadedBy = (file, found = new Set()) => {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|^import)\s*["'](\.[^"']*)["']/gm))
    loadedBy(join(dirname(file), specifier), found);
  return found;
};

/**
 * The generated block of a README: sizes and dependencies.
 * @param {Manifest} manifest
 * @param {Size} size
 */
export const sizeBlock = (manifest, { bytes, gzip, entries = {} }) =>
  [
    open,
    `${sizeText({ bytes, gzip })}. ${dependencyText(manifest)}`,
    ...(Object.keys(entries).length > 0
      ? [
          `Of it, ${Object.entries(entries)
            .map(([name, size]) => `\`${manifest.name}${name.slice(1)}\` loads ${sizeText(size)}`)
            .join('; ')}.`,
        ]
      : []),
    close,
  ].join('\n\n');

/** @type {(size: Bytes) => string} */
const sizeText = ({ bytes, gzip }) => `${kilobytes(bytes)} of JavaScript, ${kilobytes(gzip)} gzipped`;

/**
 * The README with its size block replaced, or appended where it has none.
 * @param {string} readme
 * @param {string} block
 */
export const withBlock = (readme, block) => {
  const at = readme.indexOf(open);
  const end = readme.indexOf(close);
  return at < 0 || end < at
    ? `${readme.trimEnd()}\n\n${block}\n`
    : readme.slice(0, at) + block + readme.slice(end + close.length);
};

/**
 * What is stale in a README's size block, or `undefined` when it is near enough to what was measured.
 * @param {string} readme
 * @param {Manifest} manifest
 * @param {Size} size
 * @returns {string | undefined}
 */
export const staleBlock = (readme, manifest, size) => {
  const block = readme.slice(readme.indexOf(open), readme.indexOf(close));
  const stated = [...block.matchAll(/([\d.]+) kB of JavaScript, ([\d.]+) kB gzipped/g)];
  const measured = [size, ...Object.values(size.entries ?? {})];
  if (stated.length === 0) return 'README.md has no size block';
  if (stated.length !== measured.length) return 'the entries in README.md are not those of package.json';
  const pairs = measured.flatMap(({ bytes, gzip }, k) => [
    [Number(stated[k]?.[1]), bytes / 1000],
    [Number(stated[k]?.[2]), gzip / 1000],
  ]);
  for (const [said = 0, is = 0] of pairs)
    if (Math.abs(said - is) > Math.max(0.5, tolerance * is))
      return `README.md says ${said} kB, measured ${is.toFixed(1)} kB`;
  return block.includes(dependencyText(manifest))
    ? undefined
    : 'the dependencies in README.md are not those of package.json';
};

/** @param {number} bytes */
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** @param {Manifest} manifest */
const dependencyText = (manifest) => {
  const names = Object.keys(manifest.dependencies ?? {});
  const peers = Object.keys(manifest.peerDependencies ?? {});
  const optional = Object.keys(manifest.optionalDependencies ?? {});
  const list = (/** @type {string[]} */ all) => all.map((name) => `\`${name}\``).join(', ');
  return (
    (names.length > 0 ? `Depends on ${list(names)}.` : 'No dependencies.') +
    (optional.length > 0 ? ` Optional: ${list(optional)}.` : '') +
    (peers.length > 0 ? ` Peer: ${list(peers)}.` : '')
  );
};
