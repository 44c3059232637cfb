import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { layoutSlab } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { cpp } from '@filigree/backend-cpp';
import { type Program, conformancePrograms, difference } from '@filigree/conformance';
import { type TypedArray, allocateArray, arrayConstructor, bytesOf, coreDialects, interpret } from '@filigree/ir';
import { right, temporaryFolder } from './helpers.js';
import { toolchainHere } from './toolchain-here.js';

const usable = await toolchainHere();
const run = promisify(execFile);

/* All that a user's own program has to do; it knows nothing of Filigree but kernels.h. */
const driver = `
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"
static void read_to(char* slab, const char* name, long long bytes) {
  FILE* f = fopen(name, "rb");
  if (!f || (long long)fread(slab, 1, bytes, f) != bytes) exit(3);
  fclose(f);
}
int main(int argc, char** argv) {
  char* slab = aligned_alloc(64, FILIGREE_SLAB_BYTES);
  read_to(slab, "inputs.bin", FILIGREE_SLAB_BYTES);
  read_to(slab, "tables.bin", FILIGREE_TABLE_BYTES);
  int status = filigree_run(slab, filigree_offsets, argc > 1 ? atoi(argv[1]) : 1);
  FILE* f = fopen("outputs.bin", "wb");
  fwrite(slab, 1, FILIGREE_SLAB_BYTES, f);
  fclose(f);
  free(slab);
  return status;
}
`;

/** Builds a program from the emitted files alone, runs it in a process of its own, and compares its slab with the interpreter's. */
const checkAlone = async (program: Program, flags: readonly string[]): Promise<void> => {
  const folder = temporaryFolder();
  const backend = cpp();
  const module = right(backend.legalize.run(program.module));
  const sources = right(backend.emit.run(module));
  for (const f of sources.files) writeFileSync(join(folder, f.name), f.contents);
  const layout = layoutSlab(module);
  const memory: Record<string, TypedArray> = {};
  const slab = new Uint8Array(layout.bytes);
  for (const b of module.buffers) {
    if (b.role === 'const') continue;
    memory[b.name] = allocateArray(b.type, b.length);
    if (program.inputs[b.name]) (memory[b.name] as Float64Array).set(program.inputs[b.name] as Float64Array);
    slab.set(bytesOf(memory[b.name]), layout.offsetOf.get(b.name)!);
  }
  writeFileSync(join(folder, 'inputs.bin'), slab);
  writeFileSync(join(folder, 'main.c'), driver);
  const artifact = right(await backend.compile!(sources, { fastMath: false, flags, cache: false })());
  const toolchain = right(await findToolchain()());
  mkdirSync(join(folder, 'bin'));
  /* The driver is C: the header must serve C programs, so the C++ compiler is told so. */
  await run(
    toolchain.path,
    [...toolchain.args, ...flags, '-x', 'c', 'main.c', '-x', 'none', artifact.path!, '-o', 'bin/main', '-lm'],
    { cwd: folder },
  );
  expect(E.isRight(interpret(program.module, coreDialects, memory))).toBe(true);
  for (const threads of ['1', '2']) {
    await run('bin/main', [threads], { cwd: folder, env: { ...process.env, ASAN_OPTIONS: 'detect_leaks=0' } });
    const { buffer } = new Uint8Array(readFileSync(join(folder, 'outputs.bin')));
    for (const b of module.buffers) {
      const got = new (arrayConstructor(b.type))(buffer, layout.offsetOf.get(b.name), b.length);
      expect(
        difference(got, b.role === 'const' ? b.data! : memory[b.name], program.ulps),
        `buffer @${b.name}`,
      ).toBeUndefined();
    }
  }
};

const named = (...names: readonly string[]): readonly Program[] =>
  names.map((name) => {
    const found = conformancePrograms().find((p) => p.name === name);
    if (!found) throw new Error(`no program named ${name}`);
    return found;
  });

describe.skipIf(!usable)('the emitted files, used ahead of time', () => {
  for (const program of named('sparse matrix times vector', 'several kernels in order', 'copies of every element type'))
    it(program.name, () => checkAlone(program, []));
});

describe.skipIf(!usable)('no undefined behaviour and no stray access', () => {
  const sanitizers = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-g0', '-O1'];
  for (const program of named(
    'arith on i32',
    'arith on i64',
    'arith on u16',
    'integer division on i64',
    'integer division on i8',
    'shifts on i32',
    'shifts on i8',
    'casts from f64',
    'casts from i64',
    'casts from f32',
    'sparse matrix times vector',
    'histogram by parallel atomics',
    'atomics on i32',
    'loops with other bounds and steps',
    'a loop up to the last index',
    'while: Collatz steps',
    'vectors of 4 i32',
    'empty buffers',
  ))
    it(program.name, () => checkAlone(program, sanitizers));
});
