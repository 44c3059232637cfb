import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { coreDialects, orThrow, parseModule, pipeline, printModule } from '@filigree/ir';
import { canonicalize, dce } from '@filigree/opt';
import { instantiate } from '@filigree/runtime';
import { cx, squares } from '../../ir/tests/complex-dialect.js';

const dialects = [...coreDialects, cx];
const extensions = [{ name: 'complex', dialects: [cx] }];
const looped = orThrow(parseModule(squares));
/* No more squares than the one before the loop. */
const once = orThrow(parseModule(squares.replace('scf.for %zero, %n', 'scf.for %zero, %zero')));

for (const backend of [cpp({ extensions }), wasm({ extensions })]) {
  const { usable } = await backend.probe();
  describe.skipIf(!usable && !process.env.CI)(`a type of one’s own on ${backend.name}`, () => {
    it('is lowered by the folds of its ops, and runs', async () => {
      const plain = orThrow(pipeline([canonicalize({ dialects }), dce({ dialects })]).run(once));
      expect(printModule(plain)).not.toContain('cx.');
      const instance = orThrow(await instantiate(plain, backend)());
      instance.commands([{ kernel: 'square', args: [2, 1, 0] }]).run();
      expect([...(instance.buffers.y as Float64Array)]).toEqual([3, 4]);
      instance.dispose();
    });

    it('is refused by name where it is left', async () => {
      const made = await instantiate(looped, backend)();
      expect(E.isLeft(made) && made.left.map((d) => d.code)).toContain('backend/own-type');
      expect(E.isLeft(made) && made.left[0].message).toBe('values of type !cx.complex<f64> are still there');
      expect(E.isLeft(made) && made.left[0].remedy).toContain("the pass of 'cx'");
    });
  });
}
