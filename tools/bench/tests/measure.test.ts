import { maxRelError } from '@filigree/e2e';
import { describe, expect, it } from 'vitest';
import { measure, quantile, speedup, type Contender, type Timing } from '../src/index.js';

const timing = (name: string, samples: number[]): Timing => ({
  name,
  median: quantile(samples, 0.5),
  quartiles: [0, 0],
  least: 0,
  samples,
  repetitions: 1,
  maxRelError: 0,
});

describe('measure', () => {
  it('samples every contender once a round, in an order that rotates', () => {
    const calls: string[] = [];
    const contender = (name: string): Contender => ({
      name,
      run: () => {
        if (calls[calls.length - 1] !== name) calls.push(name);
        const end = performance.now() + 0.05;
        while (performance.now() < end);
      },
      check: () => 0,
    });
    let rounds = 0;
    const timings = measure([contender('a'), contender('b'), contender('c')], {
      rounds: 6,
      minMs: 0.2,
      onRound: () => rounds++,
    });
    expect(rounds).toBe(6);
    expect(timings.map((t) => [t.name, t.samples.length])).toEqual([
      ['a', 6],
      ['b', 6],
      ['c', 6],
    ]);
    for (const t of timings) {
      expect(t.median).toBeGreaterThanOrEqual(0.05);
      expect(t.repetitions).toBeGreaterThan(0);
    }
    // The last rounds begin with each in turn; the end of one round and the begin of the next are never the same.
    expect(calls.slice(-9).join('')).toMatch(/^(abcbcacab|bcacababc|cababcbca)$/);
  });

  it('never times a wrong result', () => {
    const wrong: Contender = { name: 'wrong', run: () => {}, check: () => 0.5 };
    expect(() => measure([wrong])).toThrow(/bench\/wrong-result.*wrong is off by 5.00e-1/s);
    expect(() => measure([{ ...wrong, check: () => NaN }])).toThrow(/bench\/wrong-result/);
  });

  it('takes few rounds for no fewer than six, and never runs again what is slow enough', () => {
    let runs = 0;
    const slow: Contender = {
      name: 'slow',
      run: () => {
        runs++;
        const end = performance.now() + 2;
        while (performance.now() < end);
      },
      check: () => 0,
    };
    const [t] = measure([slow], { rounds: 1, minMs: 1 });
    expect([t.samples.length, t.repetitions]).toEqual([6, 1]);
    // Once to check, once to calibrate, six samples.
    expect(runs).toBe(8);
  });
});

describe('statistics', () => {
  it('pairs samples of the same round, so that a drift of both cancels', () => {
    const drift = [1, 2, 4, 8, 16, 32, 64, 128];
    const { ratio, low, high } = speedup(
      timing(
        'base',
        drift.map((x) => 3 * x),
      ),
      timing('ours', drift),
    );
    expect([ratio, low, high]).toEqual([3, 3, 3]);
  });

  it('gives the interval of the sign test', () => {
    // For 15 samples it leaves out three at each end: P(at most 3 of 15 heads) = 0.018 < 0.025 < P(at most 4).
    const base = Array.from({ length: 15 }, (_, i) => i + 1);
    const { ratio, low, high } = speedup(
      timing('base', base),
      timing(
        'ours',
        base.map(() => 1),
      ),
    );
    expect([low, ratio, high]).toEqual([4, 8, 12]);
    // Six samples: only the whole range holds the median with 95 %.
    const six = speedup(timing('base', [1, 2, 3, 4, 5, 6]), timing('ours', [1, 1, 1, 1, 1, 1]));
    expect([six.low, six.high]).toEqual([1, 6]);
  });

  it('interpolates quantiles', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([5], 0.25)).toBe(5);
  });

  it('measures errors against the largest value, and takes no nonsense', () => {
    expect(maxRelError([1, 2, 3.5], [1, 2, 4])).toBe(0.125);
    expect(maxRelError([0, 0], [0, 0])).toBe(0);
    expect(maxRelError([1e-20], [0])).toBe(Infinity);
    expect(maxRelError([NaN], [1])).toBe(Infinity);
    expect(maxRelError([1], [1, 2])).toBe(Infinity);
  });
});
