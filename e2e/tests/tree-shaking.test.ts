import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** A minified bundle for pages that imports these names. */
const bundled = async (names: string, from: string): Promise<Uint8Array> => {
  const result = await build({
    stdin: { contents: `export { ${names} } from '${from}';`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  return result.outputFiles[0].contents;
};

/* Sources are not bundled for others. */
describe.runIf(process.env.FILIGREE_BUILT)('a bundle holds what it uses', () => {
  it.each([
    ['fail', '@filigree/ir', 8_000],
    ['printModule', '@filigree/ir', 12_000],
    ['unroll', '@filigree/opt', 90_000],
    ['readMatrixMarket', '@filigree/sparse/formats', 60_000],
  ])('%s of %s is less than %i bytes', async (name, from, limit) => {
    expect((await bundled(name, from)).length).toBeLessThan(limit);
  });

  it('a page with kernels over fields loads less than 326 kB gzipped, the compiler included', async () => {
    const words = 'program, layout, dense, field, kernel, active, ij';
    expect(gzipSync(await bundled(words, 'filigree')).length).toBeLessThan(326_000);
  });

  it('a page with artifacts alone loads less than 27 kB gzipped', async () => {
    expect(gzipSync(await bundled('loadArtifact', 'filigree/artifact')).length).toBeLessThan(27_000);
  });
});
