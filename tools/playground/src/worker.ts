import { cppFunctions } from '@filigree/backend-cpp/emit';
import { printModule, type Module } from '@filigree/ir';
import * as langRuntime from '@filigree/lang/runtime';
import * as filigree from 'filigree';
import type { Emitted, FromWorker, Pointer, Problem, ToWorker } from './messages.js';
import { problemOf, problemsOf } from './problems.js';
import { FILE, stripped, type Stripped } from './strip.js';
import { wordsOf } from './words.js';

/* The worker of a program: the page ends it to stop the program, and makes another. */

const tell = (message: FromWorker, transfer: Transferable[] = []): void =>
  (postMessage as (message: FromWorker, transfer: Transferable[]) => void)(message, transfer);

const canvas = new OffscreenCanvas(512, 512);
const state: { draw?: () => void; pointer: Pointer; program?: Stripped; failed?: boolean } = {
  pointer: { x: 0.5, y: 0.5, down: false },
};

/** What is shown of a program that was compiled. */
interface Made {
  readonly sources: { readonly files: readonly { readonly contents: string | Uint8Array }[] };
  readonly module: Module;
  readonly warnings: readonly Parameters<typeof problemOf>[0][];
}

const emittedOf = ({ sources, module }: Made): readonly Emitted[] => {
  const cpp = cppFunctions(module);
  return [
    { name: 'WebAssembly', text: sources.files.map((f) => String(f.contents)).join('\n') },
    { name: 'C++', text: cpp._tag === 'Right' ? cpp.right.text : '' },
    { name: 'IR', text: printModule(module) },
  ];
};

const show = (made: Made, ms: number): void => {
  tell({ emitted: emittedOf(made), ms });
  const warnings: readonly Problem[] = made.warnings.map((d) => problemOf(d, state.program));
  if (warnings.length > 0) tell({ problems: warnings });
};

/** What programs import, with those words looked at that compile. */
const modules: Readonly<Record<string, unknown>> = {
  '@filigree/lang/runtime': langRuntime,
  playground: wordsOf(
    canvas,
    (draw) => (state.draw = draw),
    () => state.pointer,
  ),
  filigree: {
    ...filigree,
    program: (async (options) => {
      const started = performance.now();
      const made = await filigree.program(options);
      const { sources, given } = made.instance;
      show({ sources, module: given, warnings: made.warnings }, performance.now() - started);
      return made;
    }) satisfies typeof filigree.program,
  },
};

const requireModule = (name: string): unknown => {
  if (Object.hasOwn(modules, name)) return modules[name];
  throw new Error(`There is no module '${name}' here: import from 'filigree' or 'playground'.`);
};

const AsyncFunction = (async () => undefined).constructor as new (
  ...parts: readonly string[]
) => (...args: readonly unknown[]) => Promise<void>;

const run = async (text: string): Promise<void> => {
  try {
    const program = (state.program = stripped(text));
    const body = new AsyncFunction('require', 'exports', 'console', `${program.code}\n//# sourceURL=${FILE}`);
    await body(
      requireModule,
      {},
      { ...console, log: (...words: readonly unknown[]) => tell({ line: words.join(' ') }) },
    );
    tell({ done: true });
    picture();
  } catch (e) {
    fail(e);
  }
};

const fail = (e: unknown): void => {
  state.failed = true;
  tell({ problems: problemsOf(e, state.program) });
};

/* One picture for each that the page has shown. */
const picture = (): void => {
  if (!state.draw || state.failed) return;
  const started = performance.now();
  try {
    state.draw();
  } catch (e) {
    return fail(e);
  }
  const bitmap = canvas.transferToImageBitmap();
  tell({ picture: bitmap, ms: performance.now() - started }, [bitmap]);
};

onmessage = ({ data }: MessageEvent<ToWorker>): void => {
  if ('run' in data) void run(data.run);
  else {
    state.pointer = data.next;
    picture();
  }
};
