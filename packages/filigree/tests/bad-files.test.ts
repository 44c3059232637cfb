import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { marketOf, refusal, scratch, scratchFile } from './support.js';

const REAL = '%%MatrixMarket matrix coordinate real general\n';
const SYMMETRIC = '%%MatrixMarket matrix coordinate real symmetric\n';

describe('a matrix file that is', () => {
  it.each<readonly [what: string, code: string, line: number, text: string | Uint8Array]>([
    ['empty', 'mtx/header', 1, ''],
    ['no matrix', 'mtx/header', 1, 'not a matrix\n'],
    ['binary', 'mtx/header', 1, Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)],
    ['of another object', 'mtx/header', 1, REAL.replace('matrix', 'vector')],
    ['of unknown numbers', 'mtx/header', 1, REAL.replace('real', 'quaternion')],
    ['only a header', 'mtx/size-line', 2, REAL],
    ['without a number of entries', 'mtx/size-line', 2, `${REAL}2 2\n1 1 5\n`],
    ['of negative size', 'mtx/size-line', 2, `${REAL}-2 2 1\n1 1 5\n`],
    ['too large', 'mtx/size-line', 2, `${REAL}3000000000 2 1\n1 1 5\n`],
    ['symmetric, not square', 'mtx/size-line', 2, `${SYMMETRIC}2 3 1\n1 1 5\n`],
    ['cut off', 'mtx/truncated', 4, `${REAL}2 2 2\n1 1 5\n`],
    ['cut off, with an absurd count', 'mtx/truncated', 4, `${REAL}2 2 2000000000\n1 1 5\n`],
    ['longer than it says', 'mtx/too-many', 4, `${REAL}2 2 1\n1 1 5\n2 2 5\n`],
    ['counted from 0', 'mtx/range', 3, `${REAL}2 2 1\n0 1 5\n`],
    ['beyond its rows', 'mtx/range', 3, `${REAL}2 2 1\n3 1 5\n`],
    ['beyond its columns', 'mtx/range', 3, `${REAL}2 2 1\n1 3 5\n`],
    ['of broken row numbers', 'mtx/entry', 3, `${REAL}2 2 1\n1.5 1 5\n`],
    ['of words', 'mtx/entry', 3, `${REAL}2 2 1\n1 1 five\n`],
    ['of NaN', 'mtx/entry', 3, `${REAL}2 2 1\n1 1 nan\n`],
    ['of values beyond doubles', 'mtx/entry', 3, `${REAL}2 2 1\n1 1 1e999\n`],
    ['without a value', 'mtx/entry', 3, `${REAL}2 2 1\n1 1\n`],
    ['with too many values', 'mtx/entry', 3, `${REAL}2 2 1\n1 1 5 6\n`],
    ['symmetric, with both triangles', 'mtx/both-triangles', 1, `${SYMMETRIC}2 2 2\n2 1 5\n1 2 6\n`],
    ['an array cut off', 'mtx/truncated', 6, '%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n'],
  ])('%s: %s, line %i', async (what, code, line, text) => {
    const file = scratchFile(`${what}.mtx`, text);
    const error = await refusal('expr', "A'*A", '--bind', `A=${file}`, '--values', 'file', '--backend', 'wasm');
    expect(error).toMatchObject({ code, loc: { file, line } });
  });

  it.each<readonly [code: string, file: () => string]>([
    ['file/missing', () => join(scratch, 'nowhere.mtx')],
    ['file/missing', () => join(scratchFile('plain.mtx', marketOf([[1]])), 'below-a-file')],
    ['file/folder', () => scratch],
    ['file/gzip', () => scratchFile('broken.mtx.gz', gzipSync('%%').subarray(0, 12))],
    ['hb/header', () => scratchFile('broken.rua', 'a title\n')],
    ['hb/header', () => scratchFile('zeros.rua', new Uint8Array(5000))],
  ])('%s', async (code, file) => {
    const error = await refusal('expr', 'A', '--bind', `A=${file()}`, '--backend', 'wasm');
    expect(error.code).toBe(code);
  });
});
