import { join } from 'node:path';
import { run } from '../lib/run.mjs';
import { root } from '../lib/workspace.mjs';

/** The npm of this system. */
export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** How our tarballs are installed: nothing is asked of the registry that npm has already. */
export const install = [
  'install',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--loglevel=error',
];

/**
 * Packs packages of the workspace into one folder and says where each tarball is.
 * @param {readonly { readonly name: string, readonly version: string }[]} manifests
 * @param {string} folder
 * @returns {Promise<Map<string, string>>} npm name → tarball
 */
export const packAll = async (manifests, folder) => {
  const workspaces = manifests.flatMap(({ name }) => ['--workspace', name]);
  const { code, output } = await run(npm, ['pack', ...workspaces, '--pack-destination', folder, '--loglevel=error'], {
    cwd: root,
  });
  if (code !== 0) throw new Error(`npm pack failed\n${output}`);
  return new Map(
    manifests.map(({ name, version }) => [
      name,
      join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`),
    ]),
  );
};
