/** Decides on how many threads launches of one kind run, by what they took. */
export interface Crew {
  /** The threads of the next launch, of which so many are wanted. */
  readonly next: (wanted: number) => number;
  /** What that launch took, in milliseconds. */
  readonly took: (ms: number) => void;
}

/** Launches that do not count: the first ones touch memory for the first time. */
const WARM = 4;
/** Where threads wait for processors, launches take so many times as long as the shortest one, on average. */
const SLOW = 1.5;
/** A change must do so much better to be worth it. */
const BETTER = 0.9;
/** It is tried on so many launches, or fewer that take so many milliseconds. */
const TRIAL = { launches: 8, least: 2, ms: 10 };
/** Milliseconds until something is tried again: at first, and at most, since each time it is twice as many. */
const PAUSE = { first: 5, last: 1000 };

type Mode = 'team' | 'alone' | 'trying team' | 'trying alone';

/**
 * Threads that wait for one another lose more than they gain where other programs want the processors too: a launch is over when the last
 * of them has had its turn. Where launches take much longer than they could, on average, one thread is tried, and kept for a while if it does
 * better. On a quiet machine launches are timed and nothing else is done.
 */
export const crew = (): Crew => {
  const means = { team: NaN, alone: NaN };
  let [mode, pause]: [Mode, number] = ['team', PAUSE.first];
  let [warm, launches, spent] = [WARM, 0, 0];
  let shortest = Infinity;

  const runs = (): 'team' | 'alone' => (mode === 'alone' || mode === 'trying alone' ? 'alone' : 'team');
  const turn = (to: Mode): void => {
    mode = to;
    launches = spent = 0;
  };
  /** How things stay for a while, and longer than the last time. */
  const settle = (as: 'team' | 'alone'): void => {
    turn(as);
    pause = Math.min(2 * pause, PAUSE.last);
  };
  const tried = (): boolean => launches >= TRIAL.launches || (launches >= TRIAL.least && spent >= TRIAL.ms);
  const decide: Record<Mode, () => void> = {
    team: () => {
      if (spent < pause || means.team <= SLOW * shortest) return;
      means.alone = NaN;
      turn('trying alone');
    },
    alone: () => {
      if (spent < pause) return;
      means.team = NaN;
      turn('trying team');
    },
    'trying alone': () => tried() && settle(means.alone < BETTER * means.team ? 'alone' : 'team'),
    'trying team': () => tried() && settle(means.team < BETTER * means.alone ? 'team' : 'alone'),
  };

  return {
    next: (wanted) => (runs() === 'alone' ? 1 : wanted),
    took: (ms) => {
      if (warm > 0) return void warm--;
      const of = runs();
      launches++;
      spent += ms;
      if (of === 'team') shortest = Math.min(shortest, ms);
      means[of] = Number.isNaN(means[of]) ? ms : means[of] + (ms - means[of]) / 16;
      decide[mode]();
    },
  };
};
