import type { Backend, Sources } from '@filigree/backend';
import type { Arithmetic, Diagnostics, Extension } from '@filigree/ir';
import type { Loss } from '@filigree/quant';

/** Examples by name, as a gallery module exports them under the name `gallery`. */
export type Gallery = Readonly<Record<string, Example>>;

/** A program that `filigree run` runs and checks. */
export interface Example {
  readonly name: string;
  /** Labels for machines, in JSON only. */
  readonly rows: readonly string[];
  /** What it shows, with its arguments. */
  readonly summary: string;
  /** The heading under which it is listed. */
  readonly group?: string;
  /** What it shows, in one line; without it `summary` is shown. */
  readonly shows?: string;
  /** The arguments it takes, as they are listed. */
  readonly takes?: string;
  /** Whether it compiles traced programs, to which `--arithmetic` applies. */
  readonly traced?: boolean;
  readonly run: (options: ExampleOptions) => Promise<ExampleResult>;
}

/** What the command line hands to an example. */
export interface ExampleOptions {
  /** The `key=value` arguments. An example refuses, with a diagnostic, a key that it does not know. */
  readonly args: Readonly<Record<string, string>>;
  /** A backend, or the name of one of this version that works here; without it `cpp` where a compiler is found, else `wasm`. */
  readonly backend?: string | Backend | undefined;
  /** Those that `--use` names; the backend knows them. */
  readonly extensions?: readonly Extension[];
  /** The scalar type to compute in. */
  readonly dtype: 'f32' | 'f64';
  /** How close traced programs stay to the plain functions, if that was said. */
  readonly arithmetic?: Arithmetic | undefined;
  /** Threads to run on. */
  readonly threads: number;
  /** Seed of whatever the example draws at random. */
  readonly seed: number;
  /** Also time baselines. */
  readonly bench: boolean;
  /** Stages of specialisation, or of the lowering of fields, to switch off, by their names in `--ablate`. */
  readonly ablate: readonly string[];
  /** Receives the generated sources of a program of the example, for `--emit`. */
  readonly emit?: (program: string, sources: Sources) => void;
  /** Receives pictures of what the example's program became, as SVG, for `filigree inspect`. */
  readonly draw?: (title: string, svg: string) => void;
  /**
   * Receives what tells, when the example has run, what a program of it lost where numbers are stored in few bits, for `filigree inspect`.
   * Programs count only where this is given, since it takes time.
   */
  readonly losses?: (program: string, losses: () => readonly Loss[]) => void;
  /** Receives warnings about a program of the example, and about its compilation. */
  readonly warn?: (warnings: Diagnostics) => void;
  /** Reports progress, from 0 to 1, and what is being done. */
  readonly progress: (fraction: number, text: string) => void;
}

/** What an example reports. Times are in milliseconds. */
export interface ExampleResult {
  readonly metrics: Readonly<Record<string, number | string>>;
  readonly check: {
    readonly passed: boolean;
    readonly maxRelError?: number;
    /** What failed, where no number was wrong. */
    readonly why?: string;
  };
  readonly ms: Readonly<Record<string, number>>;
  readonly nodes?: number;
  readonly kernels?: number;
  readonly baselines?: Readonly<Record<string, number>>;
}
