import type { HostedField } from '@filigree/backend-wasm/host';
import { DiagnosticError, type Module } from '@filigree/ir';
import type { Fields, HostFieldOf } from '@filigree/runtime';
import { arenaName, type AnyField } from '@filigree/sparse/fields';
import type { FieldProgram } from '../api/program.js';

type Made = Pick<FieldProgram, 'field' | 'fields' | 'instance' | 'storage'>;

/** The module of a program, its buffers with what they hold now: cells begin with what their fields are where nothing was stored. */
export const memoryOf = ({ instance }: Made): Module => ({
  ...instance.module,
  buffers: instance.module.buffers.map((b) => {
    const data = b.role === 'const' ? b.data : instance.buffers[b.name];
    return data === undefined ? b : { ...b, data };
  }),
});

/** Where the fields lie whose values stand one behind the other; the others are for the kernels alone. */
export const hostedFields = (
  { field, storage }: Made,
  fields: Fields = Object.fromEntries([...storage.layout.fields.values()].map(({ field: f }) => [f.name, f])),
): Readonly<Record<string, HostedField>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, f]) => {
      const view = viewOf(field(f));
      if (!view?.contiguous) return [];
      const { type } = f as AnyField;
      return [
        [name, { buffer: arenaName(storage.memory, type), type, at: view.offset, length: view.data.length }] as const,
      ];
    }),
  );

const viewOf = (field: HostFieldOf<AnyField>) => {
  try {
    return field.view();
  } catch (e) {
    if (e instanceof DiagnosticError && e.diagnostics[0].code === 'field/not-dense') return undefined;
    throw e;
  }
};
