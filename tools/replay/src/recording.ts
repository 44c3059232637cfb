import type { Backend, Sources } from '@filigree/backend';
import { wasm } from '@filigree/backend-wasm';
import { pass, type Module, orThrow } from '@filigree/ir';

/** Takes each program's sources as they are emitted, tables of constants included. */
export type Record = (sources: Sources) => void;

/**
 * A backend that emits as `written` does and hands the sources to `record`, but runs as WebAssembly: what is emitted can
 * then be compared on any machine, whichever compilers it has.
 */
export const recording = (written: Backend, record: Record): Backend => {
  const runs = wasm();
  /* What is written must not depend on the vectors of this machine. */
  const { ahead: _ahead, sharing: _sharing, forVectors: _forVectors, ...described } = written;
  const { vectors: _vectors, ...capabilities } = written.capabilities;
  return {
    ...described,
    capabilities,
    legalize: pass('record', (module: Module) => {
      const legal = orThrow(written.legalize.run(module));
      record(withTables(orThrow(written.emit.run(legal)), legal));
      return orThrow(runs.legalize.run(module));
    }),
    emit: runs.emit,
    probe: async () => ({ name: written.name, usable: true, reason: '', toolchain: '' }),
    compile: runs.compile!,
    sharing: runs.sharing!,
    load: runs.load!,
  };
};

/* Backends that copy tables from the module when it is loaded do not list them among their files. */
const withTables = (sources: Sources, module: Module): Sources => {
  if (sources.files.some((f) => f.language === 'binary')) return sources;
  const tables = module.buffers.flatMap((b) =>
    b.data ? [new Uint8Array(b.data.buffer, b.data.byteOffset, b.data.byteLength)] : [],
  );
  const contents = Uint8Array.from(tables.flatMap((t) => [...t]));
  return { ...sources, files: [...sources.files, { name: 'tables.bin', language: 'binary', contents }] };
};
