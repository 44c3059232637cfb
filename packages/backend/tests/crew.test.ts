import { crew } from '@filigree/backend/native';
import { describe, expect, it } from 'vitest';

/** Launches for so many milliseconds of a machine on which one thread takes `alone` and two `team(k)`; how often one ran alone, and the mean. */
const play = (c: ReturnType<typeof crew>, ms: number, alone: number, team: (launch: number) => number) => {
  let [time, single, count] = [0, 0, 0];
  while (time < ms) {
    const took = c.next(2) === 1 ? (single++, alone) : team(count);
    count++;
    time += took;
    c.took(took);
  }
  return { share: single / count, mean: time / count };
};

/** Every so many launches another program has the processor of one of the threads. */
const interrupted =
  (every: number, wait: number, plain: number) =>
  (k: number): number =>
    k % every === every - 1 ? wait : plain;

describe('crew', () => {
  it('runs on the threads that are wanted where launches take about the same', () => {
    const steady = (k: number): number => 0.014 * (1 + 0.2 * (k % 3));
    expect(play(crew(), 2000, 0.022, steady).share).toBe(0);
    expect(crew().next(1)).toBe(1);
  });

  it('forgives first launches, which touch memory for the first time', () => {
    expect(play(crew(), 100, 0.022, (k) => (k < 4 ? 5 : 0.014)).share).toBe(0);
  });

  it('runs on one thread while others wait for processors, and comes back', () => {
    const c = crew();
    const busy = interrupted(40, 3, 0.014);
    expect(play(c, 1000, 0.022, busy).mean).toBeLessThan(2 * 0.022);
    expect(play(crew(), 1000, 100, busy).mean).toBeGreaterThan(4 * 0.022);
    play(c, 1200, 0.022, () => 0.014);
    expect(play(c, 1000, 0.022, () => 0.014).share).toBe(0);
  });

  it('costs little where launches differ by themselves and threads are worth it', () => {
    const team = (k: number): number => (k % 10 === 0 ? 1 : 0.01);
    const means = play(crew(), 5000, 0.22, team).mean;
    expect(means).toBeLessThan(1.1 * 0.109);
    const long = (k: number): number => (k % 5 === 0 ? 40 : 3);
    expect(play(crew(), 60_000, 20, long).mean).toBeLessThan(1.1 * 10.4);
  });
});
