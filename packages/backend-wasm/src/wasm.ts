import {
  type Extension,
  type Module,
  type ScalarType,
  attempt,
  pass,
  checkOptions,
  option,
  type OptionSpec,
} from '@filigree/ir';
import { hasBearing, isStill, type LoadingBackend, type MemoryOptions, type Sources } from '@filigree/backend';
import { assembler } from './compile/assemble.js';
import { compileSources, sourceFile } from './compile/compile.js';
import { writeModule } from './emit/module.js';
import { ownMemoryLayout } from './memory/own-memory.js';
import { legalizeForWasm } from './legalize.js';
import { loadArtifact, loadArtifactNow } from './load/load.js';
import { bankOf } from './node/bank.js';
import { isNode } from './node/builtin.js';
import { SPACE, isShared, sharedMemory, sharedMemoryAllowed, webMemoryOf } from './load/memory.js';
import { type PlaceData, layoutIn, ownLayout, placeData } from './memory/layout.js';

/** How the WebAssembly backend writes modules. */
export interface WasmOptions {
  /**
   * Whether buffers live in shared memory, which threads and `runAsync` off the main thread need. Default: where the
   * platform allows it, that is in Node and on cross-origin isolated pages.
   */
  readonly shared?: boolean;
  /** Whether loops marked `simd` become loops over vectors; default true. */
  readonly simd?: boolean;
  /**
   * Whether a product and a sum that may be contracted are one instruction, `relaxed_madd`, which rounds once where the processor does.
   * Default: on pages whose engine has it; in Node not, where what is written is for other machines as well.
   */
  readonly fused?: boolean;
  /** Those whose ops modules may have, beside the core ones, and how they are written. */
  readonly extensions?: readonly Extension[];
  /** Whether `legalize` verifies modules first; false for those that are known to be well-formed. Default true. */
  readonly verify?: boolean;
}

/**
 * The WebAssembly backend: needs no toolchain, works in Node and in browsers. `emit` writes readable WebAssembly text,
 * `compile` assembles it, `load` instantiates it; all buffers are views into its one memory.
 */
export const wasm = (options?: WasmOptions): LoadingBackend => {
  const {
    shared = sharedMemoryAllowed(),
    simd = true,
    fused = !isNode() && fusesProducts(),
    extensions = [],
    verify = true,
  } = checkOptions('wasm', options, wasmSpec);
  const writing = { shared, fused, extensions };
  const backend: LoadingBackend = {
    name: 'wasm',
    capabilities: {
      types: scalars,
      threads: shared,
      background: shared,
      atomics: scalars,
      vectorBytes: 16,
      laneFunctions: simd,
    },
    legalize: legalizeForWasm({ extensions, verify, simd }),
    emit: pass('wasm-emit', (module: Module) => sourcesOf(writeModule(module, ownMemoryLayout(module), writing))),
    probe: async () => probe(),
    compile: compileSources,
    sharing: {
      space: SPACE,
      open: (memoryOptions) =>
        attempt(async () => sharedMemory(shared, checkOptions('open', memoryOptions, memorySpec))),
      own: ownLayout,
      inPlace: {
        of: (placement) => ({ ...placeData(placement), shared: isShared(webMemoryOf(placement.memory)) }),
        emit: (place) =>
          pass('wasm-emit', (module: Module) => {
            const { shared: isShared, ...data } = place as unknown as PlaceData & { readonly shared: boolean };
            return sourcesOf(writeModule(module, layoutIn(module, data), { ...writing, shared: isShared }));
          }),
      },
    },
    load: (artifact, module, loadOptions) => loadArtifact(artifact, module, loadOptions, shared),
    loadNow: (artifact, module, loadOptions) => loadArtifactNow(artifact, module, loadOptions, shared),
  };
  /* What extensions do is code, which no key can hold and no thread can give another. */
  if (extensions.some(hasBearing) || !isNode()) return backend;
  const serves = isStill(backend);
  const data = { shared, simd, fused, verify };
  return {
    ...backend,
    bank: bankOf(serves, JSON.stringify(data)),
    origin: { from: '@filigree/backend-wasm', near: import.meta.url, make: 'wasm', options: data, serves },
  };
};

const memorySpec: OptionSpec<MemoryOptions> = { bytes: option.number(0) };

const sourcesOf = (contents: string): Sources => ({
  backend: 'wasm',
  files: [{ name: sourceFile, language: 'wat', contents }],
});

const wasmSpec: OptionSpec<WasmOptions> = {
  shared: option.truth,
  simd: option.truth,
  fused: option.truth,
  extensions: option.array('a list of extensions'),
  verify: option.truth,
};

const scalars: readonly ScalarType[] = ['i1', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64'];

const probe = () => {
  if (typeof WebAssembly === 'undefined')
    return { name: 'wasm', usable: false, reason: 'this JavaScript engine has no WebAssembly', toolchain: '' };
  return WebAssembly.validate(vectorProbe)
    ? { name: 'wasm', usable: true, reason: '', toolchain: assembler }
    : {
        name: 'wasm',
        usable: false,
        reason: 'this WebAssembly engine has no 128-bit vectors; use a newer one',
        toolchain: '',
      };
};

const fusesProducts = (): boolean => typeof WebAssembly !== 'undefined' && WebAssembly.validate(fusedProbe);

/** A module with one function, `f32x4.relaxed_madd` of its parameters. */
const fusedProbe = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 8, 1, 0x60, 3, 0x7b, 0x7b, 0x7b, 1, 0x7b, 3, 2, 1, 0, 10, 13, 1, 11, 0, 0x20, 0,
  0x20, 1, 0x20, 2, 0xfd, 0x85, 2, 0x0b,
]);

/** A module with one function that makes a v128 and drops it. */
const vectorProbe = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 0x41, 0, 0xfd, 0x0f, 0x1a, 0x0b,
]);
