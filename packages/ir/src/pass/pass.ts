import type * as E from 'fp-ts/lib/Either.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { orLeft } from '../diagnostics/either.js';
import type { Attrs } from '../kernel/op.js';

/** A named step from `A` to `B` that either succeeds or says why it did not. A pipeline is itself a pass. */
export interface Pass<A, B = A> {
  readonly name: string;
  /** The options that differ from their defaults; they stand behind the name in a pipeline's text. */
  readonly options?: Attrs;
  readonly run: (input: A, watch?: Watch) => E.Either<Diagnostics, B>;
  /** What it leaves as text for people; without it modules are printed as IR. */
  print?(output: B): string;
}

/**
 * A pass from a function that throws `DiagnosticError` where it cannot go on; any other exception is a bug and passes through. If other
 * passes run inside of it, it hands `watch` on to them.
 */
export const pass = <A, B = A>(name: string, run: (input: A, watch?: Watch) => B, options: Attrs = {}): Pass<A, B> => ({
  name,
  ...(Object.keys(options).length > 0 ? { options } : {}),
  run: (input, watch) => orLeft(() => run(input, watch)),
});

/** Whoever looks at passes while they run, at those inside of others too: it is handed down as the second argument of `run`. */
export interface Watch {
  readonly before?: (event: PassBegin) => void;
  readonly after?: (event: PassEnd) => void;
}

/** A pass of any input and output. */
export type AnyPass = Pass<never, unknown>;

/** A pass begins. */
export interface PassBegin {
  readonly pass: AnyPass;
  readonly input: unknown;
}

/** A pass is done: what it took, what it left, and the milliseconds it ran, with those of the passes inside. One that fails does not end. */
export interface PassEnd extends PassBegin {
  readonly output: unknown;
  readonly ms: number;
}
