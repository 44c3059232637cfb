/** One check. `run` rejects with an `Error` that says what differs; a skip always says why. */
export interface ConformanceCase {
  readonly name: string;
  readonly run: () => Promise<Outcome>;
}

/** How a check ended, if it did not fail. */
export type Outcome = { readonly status: 'passed' } | { readonly status: 'skipped'; readonly reason: string };
