import { gcd } from '../../trace/gcd.js';
import { affineText } from '../../trace/affine-text.js';
import type { Affine } from '../../trace/piece.js';
import { combine, iterator, minus, plus, shiftedBy, times, type Conjunction } from '../sets/conjunction.js';

/** ⌊numerator ÷ divisor⌋ for iterators of a statement and divisions before this one; the divisor is at least 2. */
export interface Division {
  readonly numerator: Affine;
  readonly divisor: number;
}

/** Numbers kept free for divisions behind the iterators of a statement, so that functions may name both. */
export const MOST_DIVISIONS = 16;

/**
 * The divisions that the sources of a statement's reads need: where x[2·i] is written and x[j] is read, the value comes from
 * i = ⌊j/2⌋ if j = 2·⌊j/2⌋, and from before otherwise. Each is an iterator more, which the iterators of the statement
 * determine: division k has number `dims` + k.
 */
export class Divisions {
  private readonly known: Division[] = [];

  /** @param dims iterators of the statement */
  constructor(readonly dims: number) {}

  get all(): readonly Division[] {
    return this.known;
  }

  /** ⌊f/m⌋ as a function of iterators and divisions, m > 0; undefined where that were too many. */
  floor(f: Affine, m: number): Affine | undefined {
    const down = (x: number): number => Math.floor(x / m);
    const whole: Affine = { constant: down(f.constant), coefs: f.coefs.map(down) };
    const rest = combine(1, f, -m, whole);
    /* What is left has coefficients from 0 to m − 1; of its constant only multiples of their divisor matter. */
    const g = rest.coefs.reduce((x, c) => gcd(x, c), m);
    if (g === m) return times(whole, 1);
    const numerator = times({ constant: Math.floor(rest.constant / g), coefs: rest.coefs.map((c) => c / g) }, 1);
    const divisor = m / g;
    const key = JSON.stringify(numerator);
    let k = this.known.findIndex((d) => d.divisor === divisor && JSON.stringify(d.numerator) === key);
    if (k < 0) {
      if (this.known.length === MOST_DIVISIONS) return undefined;
      k = this.known.push({ numerator, divisor }) - 1;
    }
    return plus(whole, iterator(this.dims + k));
  }

  /** What divisions are: 0 ≤ numerator − divisor·quotient < divisor, for all or for those that some functions name. */
  definitions(of?: readonly Affine[]): Conjunction {
    const names = (fs: readonly Affine[], k: number): boolean => fs.some((f) => (f.coefs[this.dims + k] ?? 0) !== 0);
    const found: Affine[] = [];
    const named = [...(of ?? [])];
    for (let k = this.known.length - 1; k >= 0; k--) {
      if (of !== undefined && !names(named, k)) continue;
      const { numerator, divisor } = this.known[k];
      const rest = minus(numerator, times(iterator(this.dims + k), divisor));
      named.push(numerator);
      found.push(rest, shiftedBy(times(rest, -1), divisor - 1));
    }
    return found;
  }

  /** The names of iterators, and behind them divisions as `⌊(i + 1)/2⌋`. */
  names(iterators: readonly string[]): readonly string[] {
    const all = [...iterators];
    for (const { numerator, divisor } of this.known) {
      const text = affineText(numerator, all);
      all.push(`⌊${/ /.test(text) ? `(${text})` : text}/${divisor}⌋`);
    }
    return all;
  }
}
