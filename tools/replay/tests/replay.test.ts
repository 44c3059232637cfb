import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sources } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { compile } from 'filigree';
import { differences } from '../differences.mjs';
import { hashDifferences, hashesOf } from '../hashes.mjs';
import { recording } from '../src/recording.js';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'filigree-replay-test-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const written = (name: string, files: Record<string, string>): string => {
  const place = join(folder, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(place, file, '..'), { recursive: true });
    writeFileSync(join(place, file), text);
  }
  return place;
};

test('a changed, a missing and a new file are each named', () => {
  const before = written('before', { 'x/a.cpp': 'one\ntwo\n', 'b.cpp': 'same\n' });
  const after = written('after', { 'x/a.cpp': 'one\nTWO\n', 'c.cpp': 'same\n' });
  expect(differences(before, after)).toEqual([
    '- b.cpp is no longer emitted',
    '+ c.cpp is new',
    '~ x/a.cpp:2\n  - two\n  + TWO',
  ]);
  expect(hashDifferences(hashesOf(before), hashesOf(after))).toEqual([
    '- b.cpp is no longer generated',
    '+ c.cpp is new',
    '~ x/a.cpp changed',
  ]);
  expect(hashDifferences(hashesOf(before), hashesOf(before))).toEqual([]);
  expect(Object.keys(hashesOf(before))).toEqual(['b.cpp', 'x/a.cpp']);
});

test.each([cpp({ vectorBytes: 32 }), wasm()])(
  'what $name emits is recorded, tables included, and runs',
  async (backend) => {
    const emitted: Sources[] = [];
    const n = 300;
    const from = Array.from({ length: n }, (_, i) => (i * i * 7) % n);
    const program = await compile(
      { inputs: { x: n }, run: ({ x }) => ({ y: from.map((at) => 2 * x[at]) }) },
      { backend: recording(backend, (sources) => emitted.push(sources)), scope: { from } },
    );
    program.inputs.x.forEach((_, i, view) => (view[i] = i));
    program.run();
    expect(Array.from(program.outputs.y)).toEqual(from.map((at) => 2 * at));
    program.dispose();
    const [{ files }, ...more] = emitted;
    expect(more).toEqual([]);
    expect(files.find((f) => f.language === (backend.name === 'cpp' ? 'cpp' : 'wat'))?.contents.length).toBeGreaterThan(
      100,
    );
    expect(files.find((f) => f.name === 'tables.bin')?.contents.length).toBeGreaterThan(n / 2);
  },
);
