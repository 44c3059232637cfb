import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Bytes of a package's bundled JavaScript, its dependencies not counted. @typedef {{ bytes: number, gzip: number }} Size */

/** How far a README's figure may be from the measured one, as a share. */
const tolerance = 0.2;
const open = '<!-- size -->';
const close = '<!-- /size -->';

/**
 * The size of the JavaScript below a `dist` folder.
 * @param {string} dist
 * @returns {Size}
 */
export const measure = (dist) => {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  const contents = files.map((file) => readFileSync(join(dist, file)));
  return {
    bytes: contents.reduce((sum, c) => sum + c.length, 0),
    gzip: contents.reduce((sum, c) => sum + gzipSync(c).length, 0),
  };
};

/**
 * The generated block of a README: size and dependencies.
 * @param {import('../lib/workspace.mjs').Manifest} manifest
 * @param {Size} size
 */
export const sizeBlock = (manifest, { bytes, gzip }) =>
  `${open}\n\n${kilobytes(bytes)} of JavaScript, ${kilobytes(gzip)} gzipped. ${dependencyText(manifest)}\n\n${close}`;

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
 * @param {import('../lib/workspace.mjs').Manifest} manifest
 * @param {Size} size
 * @returns {string | undefined}
 */
export const staleBlock = (readme, manifest, size) => {
  const block = readme.slice(readme.indexOf(open), readme.indexOf(close));
  const stated = /([\d.]+) kB of JavaScript, ([\d.]+) kB gzipped/.exec(block);
  if (!stated) return 'README.md has no size block';
  const pairs = [
    [Number(stated[1]), size.bytes / 1000],
    [Number(stated[2]), size.gzip / 1000],
  ];
  for (const [said = 0, is = 0] of pairs)
    if (Math.abs(said - is) > Math.max(0.5, tolerance * is))
      return `README.md says ${said} kB, measured ${is.toFixed(1)} kB`;
  return block.includes(dependencyText(manifest))
    ? undefined
    : 'the dependencies in README.md are not those of package.json';
};

/** @param {number} bytes */
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** @param {import('../lib/workspace.mjs').Manifest} manifest */
const dependencyText = (manifest) => {
  const names = Object.keys(manifest.dependencies ?? {});
  const peers = Object.keys(manifest.peerDependencies ?? {});
  const list = (/** @type {string[]} */ all) => all.map((name) => `\`${name}\``).join(', ');
  return (
    (names.length > 0 ? `Depends on ${list(names)}.` : 'No dependencies.') +
    (peers.length > 0 ? ` Peer: ${list(peers)}.` : '')
  );
};
