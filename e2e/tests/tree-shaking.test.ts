import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** Bytes of a minified bundle that imports one name. */
const bundled = async (name: string, from: string): Promise<number> => {
  const result = await build({
    stdin: { contents: `export { ${name} } from '${from}';`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  return result.outputFiles[0].contents.length;
};

/* Sources are not bundled for others. */
describe.runIf(process.env.FILIGREE_BUILT)('a bundle holds what it uses', () => {
  it.each([
    ['fail', '@filigree/ir', 8_000],
    ['printModule', '@filigree/ir', 12_000],
    ['unroll', '@filigree/opt', 90_000],
    ['readMatrixMarket', '@filigree/sparse/formats', 60_000],
  ])('%s of %s is less than %i bytes', async (name, from, limit) => {
    expect(await bundled(name, from)).toBeLessThan(limit);
  });
});
