import { conformance, randomPrograms } from '@filigree/conformance';
import { mapKernels, printModule, type Op, type Region } from '@filigree/ir';
import { describe, expect, it } from 'vitest';
import { interpreterBackend } from './interpreter-backend.js';

describe('random kernels', () => {
  it('are the same for a seed', () => {
    const [first, again, other] = [randomPrograms(5, 3), randomPrograms(5, 3), randomPrograms(5, 4)].map((programs) =>
      programs.map((p) => printModule(p.module)).join('\n'),
    );
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('that fail are shown with the least that fails', async () => {
    const swapped = (r: Region): Region => ({
      ...r,
      ops: r.ops.map((op: Op) => ({
        ...op,
        regions: op.regions.map(swapped),
        name: op.name === 'arith.add' ? 'arith.sub' : op.name,
      })),
    });
    const backend = interpreterBackend((m) => mapKernels(m, (k) => ({ ...k, body: swapped(k.body) })));
    const messages: string[] = [];
    for (const { run } of conformance(backend, { threads: [1], programs: randomPrograms(6) }))
      await run().catch((e: Error) => messages.push(e.message));
    expect(messages.length).toBeGreaterThan(2);
    for (const text of messages) {
      expect(text).toContain('arith.add');
      expect(text.match(/arith\.(?!constant)\w+|scf\.(for|if|while)/g)!.length).toBeLessThan(16);
    }
    /* Each is made smaller as long as it fails, on the interpreter: half a minute of a core. */
  }, 300_000);
});
