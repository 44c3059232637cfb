import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { root } from '../lib/workspace.mjs';
import { floors, packageFolder, packageName } from './floors.mjs';
import { specifiers } from './specifiers.mjs';

/**
 * The rule `filigree/floors`: keeps every import, of values and of types, inside the floors of `floors.mjs`:
 *
 * - a package's sources import only the packages that the table allows, and only what its package.json names;
 * - wings of a package import only those wings that the table allows, and other sources name the wing that they use;
 * - nobody imports another package by a relative path, or anything that its `exports` does not offer;
 * - `node:` modules stay in the packages (or the folder) that the table names;
 * - tests import their own package by its public name, never its sources.
 *
 * @type {import('./specifiers.mjs').Rule}
 */
export const floorsRule = {
  create: (context) =>
    specifiers((source, specifier) => {
      const reason = whyForbidden(root, context.filename, specifier);
      if (reason) context.report({ node: source, message: reason });
    }),
};

/**
 * Where a file stands: in a package's sources, elsewhere in a package (tests, bin), or outside packages (tools, e2e).
 * @typedef {{ kind: 'source' | 'test', folder: string, inPackage: string } | { kind: 'outside', unit: string }} Place
 */

/**
 * @param {string} root
 * @param {string} file
 * @returns {Place}
 */
const placeOf = (root, file) => {
  const parts = relative(root, file).split(sep);
  const [top, folder, ...rest] = parts;
  if (top === 'packages' && folder !== undefined && rest.length > 0)
    return { kind: rest[0] === 'src' ? 'source' : 'test', folder, inPackage: rest.join('/') };
  return { kind: 'outside', unit: top === 'tools' && folder !== undefined ? `tools/${folder}` : (top ?? '') };
};

/**
 * Why an import is not allowed in this file of a workspace, or `undefined` when it is.
 * @type {(root: string, file: string, specifier: string) => string | undefined}
 */
export const whyForbidden = (root, file, specifier) => {
  const place = placeOf(root, file);
  if (specifier.startsWith('.')) return forbiddenRelative(root, place, file, specifier);
  if (specifier.startsWith('#')) return unnamed(root, place, specifier);
  if (isBuiltin(specifier)) return forbiddenNode(place, specifier);
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const folder = packageFolder(name);
  if (folder !== undefined && existsSync(join(root, 'packages', folder)))
    return (
      forbiddenRoom(place, folder) ??
      wingless(root, place, folder, name, specifier) ??
      undeclared(root, place, name) ??
      notExported(root, folder, name, specifier)
    );
  return undeclared(root, place, name);
};

/** Tests may share what only tests need: a model to compare with, random cases. @type {(file: string) => boolean} */
const isTest = (file) => /[\\/]tests[\\/]/.test(file);

/** @type {(root: string, place: Place, file: string, specifier: string) => string | undefined} */
const forbiddenRelative = (root, place, file, specifier) => {
  const target = placeOf(root, resolve(dirname(file), specifier));
  if (target.kind === 'outside')
    return place.kind === 'outside'
      ? undefined
      : 'A package is self-contained: it does not import files from outside its folder.';
  if (isTest(file) && isTest(resolve(dirname(file), specifier))) return undefined;
  if (place.kind === 'outside' || place.folder !== target.folder)
    return `Import '${packageName(target.folder)}' by its name; relative paths do not cross package borders.`;
  if (place.kind === 'test' && place.inPackage.startsWith('tests/') && target.kind === 'source')
    return `Tests see what a user sees: import '${packageName(place.folder)}', not its sources.`;
  return place.kind === 'source' && target.kind === 'source' ? forbiddenWing(place, target) : undefined;
};

/** Names that a package gives its own files, such as one for each of Node and browsers. @type {(root: string, place: Place, specifier: string) => string | undefined} */
const unnamed = (root, place, specifier) => {
  const owner = place.kind === 'outside' ? place.unit : `packages/${place.folder}`;
  return specifier in (manifest(root, owner)?.imports ?? {})
    ? undefined
    : `'${specifier}' is not among the imports in ${owner}/package.json.`;
};

/** @typedef {Extract<Place, { folder: string }>} InPackage @type {(place: InPackage, target: InPackage) => string | undefined} */
const forbiddenWing = (place, target) => {
  const { wings } = floors[place.folder] ?? {};
  const [from, to] = [wingOf(place), wingOf(target)];
  if (!wings || from === to || !(from in wings) || wings[from]?.includes(to)) return undefined;
  return `The wing ${from} may not import ${to in wings ? `the wing ${to}` : 'what stands outside of wings'}; tools/lint/floors.mjs allows it ${
    wings[from]?.join(', ') || 'none'
  }.`;
};

/** The folder below `src` that a file stands in; nothing for one in `src` itself. @type {(place: InPackage) => string} */
const wingOf = ({ inPackage }) => {
  const [, folder, ...rest] = inPackage.split('/');
  return rest.length > 0 ? (folder ?? '') : '';
};

/** @type {(place: Place, specifier: string) => string | undefined} */
const forbiddenNode = (place, specifier) => {
  if (place.kind !== 'source') return undefined;
  const allowed = floors[place.folder]?.node ?? 'nowhere';
  if (allowed === 'everywhere') return undefined;
  if (allowed === 'nowhere')
    return `'${specifier}' is Node's own, and '${packageName(place.folder)}' is pure: it also runs in a browser.`;
  return place.inPackage.startsWith(allowed)
    ? undefined
    : `'${specifier}' is Node's own; '${packageName(place.folder)}' uses such modules in ${allowed} only, so that the rest runs in a browser.`;
};

/** @type {(place: Place, folder: string) => string | undefined} */
const forbiddenRoom = (place, folder) => {
  if (place.kind !== 'source') return undefined;
  if (place.folder === folder) return `'${packageName(folder)}' imports its own files by relative path.`;
  const room = floors[place.folder];
  if (!room) return `packages/${place.folder} is not in tools/lint/floors.mjs: give it a floor there.`;
  if (room.imports.includes(folder)) return undefined;
  return `'${packageName(place.folder)}' may not import '${packageName(folder)}'; tools/lint/floors.mjs allows it ${
    room.imports.length > 0 ? room.imports.map(packageName).join(', ') : 'no package'
  }.`;
};

/** @type {(root: string, place: Place, folder: string, name: string, specifier: string) => string | undefined} */
const wingless = (root, place, folder, name, specifier) => {
  const { wings } = floors[folder] ?? {};
  if (!wings || place.kind !== 'source' || specifier !== name) return undefined;
  const offered = manifest(root, `packages/${folder}`)?.exports ?? {};
  const entries = Object.keys(wings).filter((wing) => `./${wing}` in offered);
  return `'${name}' is all wings at once: import that which is used, of ${entries.map((wing) => `${name}/${wing}`).join(', ')}.`;
};

/** @type {(root: string, place: Place, name: string) => string | undefined} */
const undeclared = (root, place, name) => {
  if (place.kind === 'test' && packageName(place.folder) === name) return undefined;
  const owner = place.kind === 'outside' ? place.unit : `packages/${place.folder}`;
  const own = manifest(root, owner);
  const shared = place.kind === 'source' ? undefined : manifest(root, '');
  const declared = [
    own?.dependencies,
    own?.peerDependencies,
    own?.optionalDependencies,
    place.kind === 'source' ? undefined : own?.devDependencies,
    shared?.devDependencies,
    shared?.dependencies,
  ];
  if (declared.some((names) => names !== undefined && name in names)) return undefined;
  if (place.kind === 'outside' && packageFolder(name) !== undefined && own === undefined) return undefined;
  return `'${name}' is not among the dependencies in ${owner}/package.json.`;
};

/** @type {(root: string, folder: string, name: string, specifier: string) => string | undefined} */
const notExported = (root, folder, name, specifier) => {
  const path = `.${specifier.slice(name.length)}`;
  const offered = manifest(root, `packages/${folder}`)?.exports ?? {};
  return path in offered
    ? undefined
    : `'${specifier}' reaches into the package; '${name}' offers ${Object.keys(offered).join(', ')}.`;
};

/**
 * @typedef {Record<string, string> | undefined} Names
 * @typedef {{ dependencies?: Names, peerDependencies?: Names, optionalDependencies?: Names, devDependencies?: Names, exports?: Record<string, unknown>, imports?: Record<string, unknown> }} Manifest
 * @type {(root: string, folder: string) => Manifest | undefined}
 */
const manifest = (root, folder) => {
  const file = join(root, folder, 'package.json');
  if (!manifests.has(file)) manifests.set(file, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  return manifests.get(file);
};

/** @type {Map<string, Manifest | undefined>} */
const manifests = new Map();
