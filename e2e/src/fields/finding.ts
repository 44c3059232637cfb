/** One thing a check looked at: a measured value that must not exceed a bound. */
export interface Finding {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly passed: boolean;
}

/** What came of a check: passed where `value` is a number and at most `most`. */
export const atMost = (name: string, value: number, most: number): Finding => ({
  name,
  value,
  most,
  passed: value <= most,
});

/** The same where work went on until it was done; where it was cut short, there is only something to report. */
export const reached = (name: string, value: number, most: number, done: boolean): Finding =>
  done ? atMost(name, value, most) : { name, value, most: Infinity, passed: Number.isFinite(value) };

/** A value that must not lie below a bound, told as the amount by which it falls short. */
export const atLeast = (name: string, value: number, least: number): Finding => ({
  name,
  value,
  most: least,
  passed: value >= least,
});
