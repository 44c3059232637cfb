import { writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Artifact, CompileOptions, Sources } from '@filigree/backend';
import type { GpuLanguage } from '@filigree/backend/gpu';
import { cachedFile, contentHash, findToolchain, firstLines, runProcess } from '@filigree/backend/native';
import { type Diagnostics, attempt, fail, orThrow } from '@filigree/ir';

/** The folder of what stands between a GPU's text and the CPU. */
export const native = fileURLToPath(new URL('../native/', import.meta.url));

/** How threads run. */
export interface Threads {
  /** Those of a block take turns at accesses to memory. */
  readonly interleaved?: boolean;
  /** Threads that go in step; default 32. */
  readonly warp?: number;
  /**
   * What touches memory that is none of its own, or is undefined, ends the process, which says where that was. It is to be one that was started
   * with `sanitizerFirst`.
   */
  readonly sanitized?: boolean;
}

/**
 * Compiles the text of a GPU's language as C++, unchanged but for the word `static` before arrays that threads of Metal share: before it stands a
 * header, behind it an entry for each kernel.
 */
export const compileForCpu =
  (
    { name, file, written }: GpuLanguage,
    header: string,
    { interleaved = false, warp = 32, sanitized = false }: Threads = {},
  ) =>
  (sources: Sources, options: CompileOptions = {}): TaskEither<Diagnostics, Artifact> =>
    attempt(async () => {
      const started = performance.now();
      const given = String(sources.files.find((f) => f.name === file)!.contents);
      /* C++ has arrays that threads share only where they are static. */
      const text = given.replace(
        /^( *)threadgroup (?=\w+ \w+\[)/gm,
        '$1static __attribute__((FILIGREE_SHARED)) threadgroup ',
      );
      const entries = [...text.matchAll(/\b(filigree_kernel_\w+)\(([^;\n]*)\) \{$/gm)].flatMap(([, entry, params]) =>
        written === 'metal' ? metalEntry(entry!, params!, text) : [`FILIGREE_ENTRY(${entry!})`],
      );
      const whole = [`#include "${header}"`, `#line 1 "${file}"`, text, ...entries, ''].join('\n');
      const teams = [
        ...(interleaved || waits.test(text) ? ['-DFILIGREE_TEAMS', `-DFILIGREE_WARP=${warp}`] : []),
        ...(interleaved ? INTERLEAVED : []),
        ...(sanitized ? SANITIZED : []),
      ];
      const built = await sharedLibrary('kernels', whole, options.cache, [...teams, ...(options.flags ?? [])]);
      return {
        backend: name,
        hash: built.hash,
        path: built.path,
        cached: built.cached,
        compileMs: performance.now() - started,
      };
    });

/**
 * What makes a kernel in Metal known to the driver: it says where its arguments are bound, and what a thread is to be told; one that takes its
 * arguments as the fields of a structure is given them there.
 */
const metalEntry = (kernel: string, params: string, text: string): readonly string[] => {
  const asked = [...params.matchAll(/\[\[(thread\w+)\]\]/g)].map(([, name]) => `&filigree_told.${name}`);
  const told = asked.length > 0 ? asked : ['nullptr'];
  const fields = new RegExp(`struct ${kernel}_arguments \\{\\n([^}]*)\\};`).exec(text)?.[1];
  if (fields === undefined) {
    const bound = [...params.matchAll(/\[\[buffer/g)].length;
    return [`FILIGREE_ENTRY(${[kernel, bound, ...told].join(', ')})`];
  }
  const names = [...fields.matchAll(/(\w+) \[\[id/g)].map(([, name]) => name!);
  return [
    `static void filigree_gather(${kernel}_arguments& g, void** a) {`,
    ...names.map((name, k) => `  g.${name} = *(decltype(g.${name})*)a[${k}];`),
    '}',
    `FILIGREE_GATHERED(${[kernel, names.length, ...told].join(', ')})`,
  ];
};

/* The compiler tells of accesses to memory, and the library that it means to be told has no part in this. */
const INTERLEAVED = [
  ...['-DFILIGREE_INTERLEAVED', '-fsanitize=thread', '-Wno-tsan'],
  ...['-nodefaultlibs', '-lstdc++', '-lm', '-lc', '-lgcc_s'],
];

/* Reports name lines of the text; what runs once compiles in half the time as it stands. Shifts of signed numbers are those of devices from C++ 20 on; what lies behind an object the other sanitizer says. */
const SANITIZED = [
  ...['-DFILIGREE_SANITIZED', '-O0', '-std=c++2a', '-fsanitize=address,undefined', '-fno-sanitize=object-size'],
  /* What was unloaded a report would look for. */
  ...['-fno-sanitize-recover=all', '-Wl,-z,nodelete'],
  ...['-fno-omit-frame-pointer', '-g1'],
];

/* Threads of a block that wait for one another, for what another writes, or go in step, are fibres. */
const waits =
  /__syncthreads|amdgcn_s_barrier|threadgroup_barrier|__activemask|amdgcn_read_exec|amdgcn_uicmp|simd_|threadfence|"agent"|atomic_thread_fence/;

/** C++ as a shared library, from the cache where it was made before. */
export const sharedLibrary = async (
  name: string,
  text: string,
  cache?: string | false,
  more: readonly string[] = [],
): Promise<{ readonly path: string; readonly hash: string; readonly cached: boolean }> => {
  const { path: compiler, args, version } = orThrow(await findToolchain({ cache })());
  const flags = [
    '-std=c++17',
    '-O1',
    '-shared',
    '-fPIC',
    '-ffp-contract=off',
    '-fno-math-errno',
    '-Wall',
    '-Wno-attributes',
    ...more,
  ];
  const headers = ['launch.hpp', 'teams.hpp', 'interleave.hpp', 'cuda.hpp', 'hip.hpp', 'metal_stdlib'].map((h) =>
    readFileSync(join(native, h), 'utf8'),
  );
  const hash = contentHash('shims', text, version, ...headers, ...flags);
  const built = await cachedFile({
    cache,
    key: hash,
    file: `${name}.so`,
    build: async (library) => {
      const source = join(dirname(library), `${name}.cpp`);
      await writeFile(source, text);
      const done = await runProcess(compiler, [...args, ...flags, `-I${native}`, source, '-o', library, '-ldl', '-lm']);
      if (done.status !== 0)
        fail('shims/compile', `${compiler} failed with status ${done.status}:\n${firstLines(done.stderr, 20)}`);
    },
  });
  return { ...built, hash };
};
