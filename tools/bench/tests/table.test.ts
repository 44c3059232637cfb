import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  benchmarkPage,
  describeMachine,
  markdownTable,
  measureBandwidth,
  ms,
  writeBenchmarkPage,
  type BenchmarkPage,
} from '../src/index.js';

describe('tables', () => {
  it('aligns columns, numbers to the right, and escapes bars', () => {
    const table = markdownTable({
      head: ['contender', 'ms'],
      rows: [
        ['eigen', '27.5'],
        ['a | b', '1.2'],
      ],
    });
    expect(table).toBe(
      ['| contender |   ms |', '| --------- | ---: |', '| eigen     | 27.5 |', '| a \\| b    |  1.2 |'].join('\n'),
    );
  });

  it('writes milliseconds with three digits', () => {
    expect([ms(0.01234), ms(1.5), ms(27.512), ms(247.4)]).toEqual(['0.0123', '1.50', '27.5', '247']);
  });

  it('puts the command and the machine at the head of a page', () => {
    const page: BenchmarkPage = {
      title: 'Power',
      command: 'npm run bench -- power-3',
      machine: describeMachine(),
      bandwidth: { copy: 10, triad: 12, bytes: 1e6, by: 'C++' },
      sections: [
        { title: 'L^3', table: { head: ['a'], rows: [['1']] }, notes: ['hand was not measured: no compiler'] },
      ],
    };
    const text = benchmarkPage(page);
    expect(text.indexOf('npm run bench -- power-3')).toBeLessThan(text.indexOf('processor'));
    expect(text).toContain(`Node ${process.version}`);
    expect(text).toContain('triad 12.0 GB/s (one thread, 1 MB, C++)');
    expect(text).toContain('- hand was not measured: no compiler');
    const folder = mkdtempSync(join(tmpdir(), 'filigree-bench-'));
    try {
      writeBenchmarkPage(join(folder, 'docs', 'power.md'), page);
      expect(readFileSync(join(folder, 'docs', 'power.md'), 'utf8')).toBe(text);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('machine', () => {
  it('says what it is', () => {
    const machine = describeMachine();
    expect(machine.cores).toBeGreaterThan(0);
    expect(machine.cpu).not.toBe('');
    expect(machine.flags).toContain('-ffast-math');
    expect(machine.target).toMatch(/^(sse|avx2|avx512|neon|plain): vectors of \d+ bytes, /);
  });

  it('has a bandwidth', () => {
    const { copy, triad, bytes } = measureBandwidth({ bytes: 240_000, rounds: 3 });
    expect(bytes).toBe(240_000);
    // Wide bounds: no machine is outside them, while a wrong unit is.
    for (const rate of [copy, triad]) {
      expect(rate).toBeGreaterThan(0.1);
      expect(rate).toBeLessThan(5000);
    }
  });
});
