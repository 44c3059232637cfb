import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { floors, packageName } from '../lint/floors.mjs';

/**
 * Writes a new package: its folder with package.json, tsconfig.json and the given files, its reference in
 * tsconfig.packages.json and, when it has none, its row in tools/lint/floors.mjs.
 * @param {string} root the workspace
 * @param {object} plan
 * @param {string} plan.folder the new folder's name under `packages/`
 * @param {string} plan.description one line for package.json
 * @param {readonly string[]} plan.imports folders of the packages that it imports
 * @param {readonly string[]} [plan.tests] folders of the packages that only its tests import
 * @param {{ floor: number, node: string }} plan.row what floors.mjs says of it, unless it already has a row
 * @param {Readonly<Record<string, string>>} plan.files path below the package → text
 * @returns {string[]} the files written and changed, for the user to look at
 */
export const createPackage = (root, { folder, description, imports, tests = [], row, files }) => {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(folder))
    throw new Error(`'${folder}' is not a package name: use lower-case letters, digits and dashes`);
  const home = join('packages', folder);
  if (existsSync(join(root, home, 'package.json'))) throw new Error(`${home} exists already`);
  for (const name of [...imports, ...tests])
    if (!existsSync(join(root, 'packages', name, 'package.json')))
      throw new Error(`there is no packages/${name} to import`);

  const all = {
    'package.json': json(manifest(root, folder, description, imports, tests)),
    'tsconfig.json': json(tsconfig(imports)),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    const file = join(root, home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const changed = [addReference(root, folder), ...(floors[folder] ? [] : [addFloor(root, folder, imports, row)])];
  return [...Object.keys(all).map((path) => `${home}/${path}`), ...changed];
};

/** @type {(root: string, folder: string, description: string, imports: readonly string[], tests: readonly string[]) => object} */
const manifest = (root, folder, description, imports, tests) => {
  const model = JSON.parse(readFileSync(join(root, 'packages/ir/package.json'), 'utf8'));
  const at = (/** @type {readonly string[]} */ names) =>
    Object.fromEntries(names.map((name) => [packageName(name), model.version]));
  return {
    name: packageName(folder),
    version: model.version,
    description,
    license: model.license,
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { '@filigree/source': './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    files: ['dist', '!dist/.tsbuildinfo', 'src', 'README.md', 'LICENSE'],
    engines: model.engines,
    scripts: { ...model.scripts, test: `vitest run --root ../.. packages/${folder}/` },
    dependencies: at(imports),
    ...(tests.length > 0 ? { devDependencies: at(tests) } : {}),
    peerDependencies: model.peerDependencies,
    publishConfig: model.publishConfig,
  };
};

/** @param {readonly string[]} imports */
const tsconfig = (imports) => ({
  extends: '../../tsconfig.base.json',
  compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
  include: ['src'],
  references: imports.map((name) => ({ path: `../${name}` })),
});

/** @type {(root: string, folder: string) => string} */
const addReference = (root, folder) => {
  const file = 'tsconfig.packages.json';
  const solution = JSON.parse(readFileSync(join(root, file), 'utf8'));
  solution.references.push({ path: `packages/${folder}` });
  const references = solution.references
    .map((/** @type {{ path: string }} */ r) => `    { "path": "${r.path}" }`)
    .join(',\n');
  writeFileSync(
    join(root, file),
    `{\n  "compilerOptions": { "composite": true },\n  "files": [],\n  "references": [\n${references}\n  ]\n}\n`,
  );
  return file;
};

/** @type {(root: string, folder: string, imports: readonly string[], row: { floor: number, node: string }) => string} */
const addFloor = (root, folder, imports, { floor, node }) => {
  const file = 'tools/lint/floors.mjs';
  const text = readFileSync(join(root, file), 'utf8');
  const key = folder.includes('-') ? `'${folder}'` : folder;
  const list = imports.map((name) => `'${name}'`).join(', ');
  const end = text.indexOf('\n};', text.indexOf('export const floors'));
  if (end < 0) throw new Error(`${file} does not look as expected: add the row of '${folder}' by hand`);
  writeFileSync(
    join(root, file),
    `${text.slice(0, end)}\n  ${key}: { floor: ${floor}, imports: [${list}], node: '${node}' },${text.slice(end)}`,
  );
  return file;
};

/** @param {object} value */
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
