import { option, optionKind, type OptionKind, type OptionSpec } from '@filigree/ir';
import type { Backend, CompileOptions } from './contract.js';

/** What the options of compiling take. */
export const compileSpec: OptionSpec<CompileOptions> = {
  cache: option.or(false, option.text),
  fastMath: option.or('contract', option.truth),
  oneThread: option.truth,
  compiler: option.text,
  limitMs: option.number(0),
  flags: option.list(option.text),
};

export { loadSpec, MOST_THREADS, runSpec, threadsOption } from './device/run-options.js';

/** Whether a value has the form of a backend. */
export const isBackend = (value: unknown): value is Backend =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'capabilities', 'legalize', 'emit', 'probe'].every((part) => part in value);

/** A backend, as an option. */
export const backendOption: OptionKind = optionKind('a backend such as cpp() or wasm()', isBackend);
