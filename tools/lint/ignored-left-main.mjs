/* The second half of `npm run lint`: see ignored-left.mjs. Exits with 1 where something is dropped. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { root } from '../lib/workspace.mjs';
import { ignoredLefts } from './ignored-left.mjs';

const config = fileURLToPath(new URL('tsconfig.json', import.meta.url));
const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => process.exit(2) };
const { fileNames = [], options = {} } = ts.getParsedCommandLineOfConfigFile(config, {}, host) ?? {};
const program = ts.createProgram(fileNames, options);
const found = fileNames.flatMap((name) => {
  const file = program.getSourceFile(name);
  return file ? ignoredLefts(program, file) : [];
});
for (const { file, line, says } of found) console.error(`${relative(root, file)}:${line}: ${says}`);
console.log(`${fileNames.length} files, ${found.length} of what may be a Left is ignored`);
process.exitCode = found.length > 0 ? 1 : 0;
