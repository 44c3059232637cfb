import { type Extension, type Module, bufferMap } from '@filigree/ir';
import type { MemoryLayout } from '../memory/layout.js';
import { writeKernel } from './kernel.js';
import { workerGlobal } from './memory-ops.js';
import type { ModuleContext } from './module-context.js';
import { runtimeText } from './runtime-text.js';

/** How a module is written. */
export interface ModuleOptions {
  readonly shared: boolean;
  readonly fused: boolean;
  readonly extensions: readonly Extension[];
}

/**
 * A module as WebAssembly text. Its memory is imported as `filigree.memory` (shared between threads where `shared` says
 * so) and holds every buffer at a fixed address, as the layout says. Error: `wasm/op`.
 */
export const writeModule = (
  module: Module,
  layout: MemoryLayout,
  { shared, fused, extensions }: ModuleOptions,
): string => {
  const context: ModuleContext = {
    imports: new Map<string, number>(),
    helpers: new Map<string, string>(),
    shared,
    fused,
    extensions,
  };
  const buffers = bufferMap(module.buffers);
  const bodies: string[] = [];
  const loops: { name: string; text: string }[] = [];
  for (const kernel of module.kernels) {
    const text = writeKernel(kernel, buffers, layout, context, loops.length);
    bodies.push(...text.loops.map((l) => l.text), text.body);
    loops.push(...text.loops);
  }
  const forks = loops.length > 0;
  const place = (name: string): string => `${layout.offsetOf.get(name) ?? `$scratch + ${layout.scratchOf.get(name)}`}`;
  return [
    `;; Module ${printable(module.name)}: one memory, ${module.kernels.length} kernels. Buffers and their addresses:`,
    ...module.buffers.map((b) => `;;   ${printable(b.name)} : ${b.type}[${b.length}] ${b.role} at ${place(b.name)}`),
    '(module',
    `  (import "filigree" "memory" (memory ${layout.pages} ${layout.most}${shared ? ' shared' : ''}))`,
    ...[...context.imports].map(
      ([name, arity]) => `  (import "math" "${name}" (func $${name} (param${' f64'.repeat(arity)}) (result f64)))`,
    ),
    `  (global (export "pages") i32 (i32.const ${layout.pages}))`,
    ...(layout.at === undefined ? [] : [`  (global (export "at") i32 (i32.const ${layout.at}))`]),
    ...(layout.scratchBytes > 0
      ? ['  ;; The scratch region of this thread.', `  (global $scratch (mut i32) (i32.const ${layout.scratch}))`]
      : []),
    ...(forks
      ? [
          '  (type $range (func (param i64 i64)))',
          `  (table funcref (elem ${loops.map((l) => l.name).join(' ')}))`,
          runtimeText(layout, context.helpers.has(workerGlobal)),
        ]
      : []),
    ...context.helpers.values(),
    ...bodies,
    ')',
    '',
  ].join('\n');
};

/* Names go into comments: nothing in them may end the line. */
const printable = (name: string): string => name.replace(/[^\x20-\x7e]/g, '?');
