import { builtHost, hostFile, metal } from '@filigree/backend-metal';
import { conformancePrograms } from '@filigree/conformance';
import { orThrow } from '@filigree/ir';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

/* Programs that stand where Apple's are: they write down what they are asked for. */
const folder = mkdtempSync(join(tmpdir(), 'filigree-metal-'));
const asked = join(folder, 'asked');
const said = (): readonly string[] => readFileSync(asked, 'utf8').trim().split('\n');
const program = (name: string, body: string): string => {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho ${name} "$@" >> ${asked}\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
};
const last = 'for last; do :; done';
const compiles = (version: string): string =>
  `[ "$1" = --version ] && { echo '${version}'; exit 0; }\n${last}\necho compiled > "$last"`;
const fails = (version: string): string =>
  `[ "$1" = --version ] && { echo '${version}'; exit 0; }\necho 'line 7: no such word' >&2; exit 1`;

const { PATH } = process.env;
beforeAll(() => void (process.env['PATH'] = [folder, PATH].join(delimiter)));
beforeEach(() => writeFileSync(asked, ''));
afterAll(() => {
  process.env['PATH'] = PATH;
  rmSync(folder, { recursive: true, force: true });
});

const { module } = conformancePrograms().find((p) => p.name === 'sums of i32 by teams')!;
const backend = metal();
const sources = orThrow(backend.emit.run(orThrow(backend.legalize.run(module))));
const text = String(sources.files[0]!.contents);

describe.skipIf(process.platform === 'win32' || process.platform === 'darwin')('compile', () => {
  it('keeps the text where there is no compiler, and says how arithmetic is meant', async () => {
    const textFor = async (fastMath: boolean | 'contract'): Promise<string> => {
      const { path, backend: by } = orThrow(await backend.compile!(sources, { cache: false, fastMath })());
      expect([by, path]).toEqual(['metal', expect.stringMatching(/kernels\.metal$/)]);
      return readFileSync(path!, 'utf8');
    };
    expect(await textFor('contract')).toBe(text);
    expect(await textFor(false)).toBe(`#pragma METAL fp contract(off)\n${text}`);
    expect(await textFor(true)).toBe(`#define FILIGREE_FAST_MATH\n${text}`);
  });

  it('makes a library by the compiler that xcrun knows, without fast arithmetic, once', async () => {
    const compiler = program('metal', compiles('Apple metal version 32023'));
    program('xcrun', `echo ${compiler}`);
    const cache = join(folder, 'cache');
    mkdirSync(cache);
    const first = orThrow(await backend.compile!(sources, { cache })());
    expect(first).toMatchObject({ cached: false, path: expect.stringMatching(/kernels\.metallib$/) as string });
    expect(readFileSync(first.path!, 'utf8')).toBe('compiled\n');
    expect(said().at(-1)).toMatch(/^metal -fno-fast-math \S+kernels\.metal -o \S+kernels\.metallib$/);
    expect(orThrow(await backend.compile!(sources, { cache })())).toMatchObject({ cached: true, path: first.path });
    expect(said().filter((l) => l.includes(' -o '))).toHaveLength(1);
    program('metal', compiles('Apple metal version 40000'));
    expect(orThrow(await backend.compile!(sources, { cache })())).toMatchObject({ cached: false });
  });

  it('leaves the text to macOS where xcrun knows a compiler that does not run', async () => {
    const compiler = program('metal', 'exit 1');
    program('xcrun', `echo ${compiler}`);
    const { path } = orThrow(await backend.compile!(sources, { cache: false })());
    expect(path).toMatch(/kernels\.metal$/);
  });

  it('says which compiler does not work, and what one refuses', async () => {
    const refused = await backend.compile!(sources, { cache: false, compiler: 'metal-of-nowhere' })();
    expect(refused).toMatchObject({ left: [{ code: 'toolchain/unusable' }] });
    const compiler = program('metal-that-fails', fails('metal'));
    expect(await backend.compile!(sources, { cache: false, compiler })()).toMatchObject({
      left: [{ code: 'metal/compile', message: expect.stringContaining('no such word') as string }],
    });
    expect(await backend.compile!({ ...sources, files: [] }, { cache: false })()).toMatchObject({
      left: [{ code: 'metal/sources' }],
    });
  });
});

describe.skipIf(process.platform === 'win32' || process.platform === 'darwin')('the host', () => {
  const platform = 'darwin';

  it('is compiled once by clang, with the frameworks of a Mac', async () => {
    program('clang', compiles('Apple clang version 17'));
    const cache = join(folder, 'hosts');
    mkdirSync(cache);
    const path = await builtHost({ platform, cache });
    expect(readFileSync(path, 'utf8')).toBe('compiled\n');
    const line = said().at(-1)!;
    for (const part of [
      hostFile,
      '-dynamiclib',
      '-framework Foundation',
      '-framework Metal',
      '-framework CoreGraphics',
    ])
      expect(line).toContain(part);
    expect(await builtHost({ platform, cache })).toBe(path);
    expect(said().filter((l) => l.includes('-dynamiclib'))).toHaveLength(1);
  });

  it('says what clang says of it, or that there is none', async () => {
    program('clang', fails('Apple clang version 17'));
    await expect(builtHost({ platform, cache: false })).rejects.toThrow(
      /metal\/host.*no such word.*command line tools/s,
    );
    program('clang', 'echo "xcode-select: note: no developer tools were found" >&2; exit 1');
    await expect(builtHost({ platform, cache: false })).rejects.toThrow(/toolchain\/missing.*xcode-select --install/s);
    process.env['PATH'] = join(folder, 'nothing');
    await expect(builtHost({ platform, cache: false })).rejects.toThrow(/toolchain\/missing.*no clang on PATH/s);
    process.env['PATH'] = [folder, PATH].join(delimiter);
    await expect(builtHost({ platform: 'linux', cache: false })).rejects.toThrow(/metal\/driver.*part of macOS/s);
  });
});
