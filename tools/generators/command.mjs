import { parseArgs } from 'node:util';
import { root } from '../lib/workspace.mjs';

/**
 * Runs a generator as a command: `NAME` and options from the command line, what was written and what to do next on stdout.
 * FILIGREE_ROOT names another workspace to write to.
 * @param {string} usage
 * @param {Record<string, { type: 'string' | 'boolean', default?: string | boolean }>} options
 * @param {(root: string, name: string, values: Record<string, string | undefined>) => { files: readonly string[], next: readonly string[] }} generate
 */
export const command = (usage, options, generate) => {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true, strict: true });
    const [name, ...rest] = positionals;
    if (name === undefined || rest.length > 0) throw new Error('give one name');
    const { files, next } = generate(
      process.env.FILIGREE_ROOT ?? root,
      name,
      /** @type {Record<string, string>} */ (values),
    );
    for (const file of files) console.log(`wrote ${file}`);
    console.log('\nNext:');
    for (const step of next) console.log(`- ${step}`);
  } catch (e) {
    console.error(`${e instanceof Error ? e.message : e}\nusage: ${usage}`);
    process.exitCode = 2;
  }
};
