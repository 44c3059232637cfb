import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Toolchain, firstLines, runProcess } from '@filigree/backend/native';

/**
 * Tries to compile and link a text into a shared library: the only proof that headers and libraries are there and fit the
 * compiler. The outcome is remembered for the life of the process.
 *
 * @returns what the compiler complained about; undefined where it did not
 */
export const cannotLink = (
  toolchain: Toolchain,
  text: string,
  link: readonly string[],
): Promise<string | undefined> => {
  const key = [toolchain.path, ...toolchain.args, text, ...link].join('\0');
  const known = trials.get(key) ?? attempt(toolchain, text, link);
  trials.set(key, known);
  return known;
};

const trials = new Map<string, Promise<string | undefined>>();

const attempt = async (toolchain: Toolchain, text: string, link: readonly string[]): Promise<string | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'filigree-plugin-'));
  try {
    await writeFile(join(folder, 'try.cpp'), text);
    const args = [...toolchain.args, '-shared', '-fPIC', 'try.cpp', '-o', 'try.so', ...link];
    const done = await runProcess(toolchain.path, args, { cwd: folder, limitMs: 60_000 });
    return done.status === 0 ? undefined : (done.failure ?? firstLines(done.stderr, 3));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
