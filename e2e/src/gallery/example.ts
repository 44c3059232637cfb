/** A program that `filigree run NAME` runs and checks. */
export interface Example {
  readonly name: string;
  /** What of the project's goals it shows, for example `EX11`. */
  readonly rows: readonly string[];
  /** One line for people. */
  readonly summary: string;
  readonly run: (options: ExampleOptions) => Promise<ExampleResult>;
}

export interface ExampleOptions {
  /** The `key=value` arguments. A key that the example does not know is an error. */
  readonly args: Readonly<Record<string, string>>;
  /** Without a name: `cpp` where a compiler works, else `wasm`. */
  readonly backend?: string | undefined;
  readonly dtype: 'f32' | 'f64';
  readonly threads: number;
  readonly seed: number;
  /** Time the plain program beside the compiled one over more rounds. */
  readonly bench: boolean;
  /** Stages of specialisation to switch off; `ABLATION_SWITCHES` names them. */
  readonly ablate: readonly string[];
  /** Says how far the run is, from 0 to 1, and what it does now. */
  readonly progress: (fraction: number, text: string) => void;
}

/** What an example reports. Times are milliseconds. */
export interface ExampleResult {
  readonly metrics: Readonly<Record<string, number | string>>;
  readonly check: { readonly passed: boolean; readonly maxRelError?: number };
  readonly ms: Readonly<Record<string, number>>;
  readonly nodes?: number;
  readonly kernels?: number;
  readonly baselines?: Readonly<Record<string, number>>;
}
