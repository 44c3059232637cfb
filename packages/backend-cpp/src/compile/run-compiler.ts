import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CompileOptions } from '@filigree/backend';
import {
  type Finished,
  type Toolchain,
  contentHash,
  findToolchain,
  firstLines,
  runProcess,
} from '@filigree/backend/native';
import { fail, orThrow } from '@filigree/ir';
import type { NativeLanguage } from '../native-language.js';
import { compilerFlags } from './flags.js';

/** A compiler and how it is called, until when. */
export interface Compiler {
  readonly language: NativeLanguage;
  readonly toolchain: Toolchain;
  readonly flags: readonly string[];
  readonly limitMs: number;
  readonly deadline: number;
}

/** The compiler that options ask for, which may work from now on for as long as they say. */
export const compilerOf = async (language: NativeLanguage, options: CompileOptions): Promise<Compiler> => {
  const { compiler, cache, limitMs = 600_000 } = options;
  const deadline = performance.now() + limitMs;
  const toolchain = orThrow(
    await findToolchain({ language: language.language, cache, ...(compiler === undefined ? {} : { compiler }) })(),
  );
  const flags = [
    ...compilerFlags(toolchain, options.fastMath ?? true, language),
    ...(options.oneThread === true ? ['-DFILIGREE_ONE_THREAD'] : []),
    ...(options.flags ?? []),
  ];
  return { language, toolchain, flags, limitMs, deadline };
};

/** What tells compiled files apart: the text, and all that the compiler makes of it. */
export const keyOf = ({ toolchain, flags }: Compiler, kind: string, text: string, link: readonly string[]): string =>
  contentHash(kind, text, toolchain.version, toolchain.cpu, ...toolchain.args, ...flags, ...link);

/** Runs the compiler in the folder of the file that it is to write, its temporary files too. Errors: `cpp/compile`, `cpp/killed`, `cpp/timeout`. */
export const runCompiler = async (
  { language, toolchain, flags, limitMs, deadline }: Compiler,
  args: readonly string[],
  file: string,
): Promise<void> => {
  const folder = dirname(file);
  const done = await runProcess(toolchain.path, [...toolchain.args, ...flags, ...args], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
    limitMs: Math.max(1, deadline - performance.now()),
  });
  if (done.timedOut)
    fail(`${language.name}/timeout`, `${toolchain.path} did not finish within ${limitMs / 1000} s and was stopped`, {
      remedy: `set ${variableOf[language.language]} to another compiler, or compile a smaller program`,
    });
  if (done.status !== 0) explain(language, toolchain, done);
  await access(file).catch(() =>
    fail(`${language.name}/compile`, `${toolchain.path} ended without an error and wrote no file`, {
      remedy: `install it again, or set ${variableOf[language.language]} to another compiler`,
    }),
  );
};

/** What names a compiler of each language. */
const variableOf = { cpp: 'FILIGREE_CXX', c: 'FILIGREE_CC' } as const;

const explain = (language: NativeLanguage, toolchain: Toolchain, done: Finished): never => {
  const said = firstLines(done.stderr);
  if (/no space left on device/i.test(said)) throw Object.assign(new Error(said), { code: 'ENOSPC' });
  if (done.failure !== undefined)
    return fail(`${language.name}/compile`, `${toolchain.path} cannot be started (${done.failure})`, {
      remedy: `install it again, or set ${variableOf[language.language]} to another compiler`,
    });
  /* A driver reports its killed compiler proper by a status and this text. */
  if (done.signal !== undefined || /\b(killed|terminated) signal\b|\bKilled\b/i.test(said))
    return fail(
      `${language.name}/killed`,
      `${toolchain.path} was killed${done.signal === undefined ? '' : ` by ${done.signal}`}${said ? `: ${said}` : ''}`,
      {
        remedy: 'most often memory ran out: compile smaller kernels, or fewer at once',
      },
    );
  return fail(`${language.name}/compile`, `${toolchain.path} failed with status ${done.status}:\n${said}`, {
    remedy:
      'if the flags are yours, check them; otherwise this is a defect of the emitter: please report it with the sources',
  });
};
