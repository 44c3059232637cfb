import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { firstFence } from '../lib/workspace.mjs';
import { floors, packageFolder } from '../lint/floors.mjs';
import { measure, staleBlock } from './size.mjs';

/** @typedef {import('../lib/workspace.mjs').Package} Package */

/**
 * What keeps a package from being published, one sentence each; none for a package that is fit.
 * @param {Package} p
 * @returns {Promise<string[]>}
 */
export const problemsOf = async (p) => {
  if (!existsSync(join(p.path, 'dist'))) return ['dist/ is missing: run `npm run build` first'];
  return [
    ...exportProblems(p),
    ...fileProblems(p),
    ...dependencyProblems(p),
    ...readmeProblems(p),
    ...(await publintProblems(p)),
  ];
};

/**
 * Every `exports` entry has sources, types and code, in the order in which resolvers must meet them. The code is the `default`,
 * so that `require` finds it too, which loads ES modules since Node 20.19. @param {Package} p
 */
const exportProblems = ({ path, manifest }) =>
  Object.entries(manifest.exports).flatMap(([name, target]) => {
    if (name === './package.json') return [];
    if (typeof target === 'string') return [`exports["${name}"] must name "@filigree/source", "types" and "default"`];
    const keys = Object.keys(target).join(', ');
    const order =
      keys === '@filigree/source, types, default'
        ? []
        : [`exports["${name}"] has the keys ${keys}; expected @filigree/source, types, default`];
    const missing = Object.values(target).filter((file) => !existsSync(join(path, file)));
    return [...order, ...missing.map((file) => `exports["${name}"] names ${file}, which does not exist`)];
  });

/** @param {Package} p */
const fileProblems = ({ path, manifest }) => [
  ...['dist', 'src', 'README.md', 'LICENSE']
    .filter((file) => !manifest.files?.includes(file))
    .map((file) => `"files" does not name ${file}`),
  ...(manifest.scripts?.prepack?.includes('prepack.mjs')
    ? []
    : ['no prepack script, so its tarball would lack the licence']),
  ...Object.values(manifest.bin ?? {})
    .filter((file) => !existsSync(join(path, file)))
    .map((file) => `bin names ${file}, which does not exist`),
];

/**
 * Dependencies stay on the floors below, inner ones have the same version, and each one is imported somewhere. Peers are
 * passed on from the packages below, so they need not be.
 * @param {Package} p
 */
const dependencyProblems = ({ folder, path, manifest }) => {
  const imported = importedNames(join(path, 'src'));
  const dependencies = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies });
  return [
    ...dependencies.flatMap(([name, version]) => {
      const inner = packageFolder(name);
      if (inner === undefined) return [];
      const allowed = floors[folder]?.imports.includes(inner);
      return [
        ...(allowed ? [] : [`depends on ${name}, which tools/lint/floors.mjs does not allow`]),
        ...(version === manifest.version
          ? []
          : [`depends on ${name} ${version}; all packages share ${manifest.version}`]),
      ];
    }),
    ...dependencies
      .map(([name]) => name)
      .filter((name) => !imported.has(name))
      .map((name) => `depends on ${name}, but nothing in src/ imports it`),
  ];
};

/**
 * Names of the packages that the sources below a folder import. Reads text, so a name in a comment counts too.
 * @param {string} folder
 * @returns {Set<string>}
 */
const importedNames = (folder) => {
  const names = new Set(/** @type {string[]} */ ([]));
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.[cm]?[jt]s$/.test(file)) continue;
    for (const [, specifier = ''] of readFileSync(join(folder, file), 'utf8').matchAll(
      /(?:from|import|require)\s*\(?\s*'([^'.][^']*)'/g,
    ))
      if (!isBuiltin(specifier)) names.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
  }
  return names;
};

/** @param {Package} p */
const readmeProblems = ({ path, manifest }) => {
  const file = join(path, 'README.md');
  if (!existsSync(file)) return ['README.md is missing'];
  const readme = readFileSync(file, 'utf8');
  const stale = staleBlock(readme, manifest, measure(path, manifest));
  return [
    ...(firstFence(readme, 'js') === undefined ? ['README.md has no ```js example'] : []),
    ...(stale === undefined ? [] : [`${stale}: run \`npm run readme\``]),
  ];
};

/** @param {Package} p */
const publintProblems = async ({ path, manifest }) => {
  const { messages } = await publint({ pkgDir: path, level: 'warning', strict: true, pack: false });
  return messages.map((m) => `publint: ${formatMessage(m, /** @type {never} */ (manifest))}`);
};
