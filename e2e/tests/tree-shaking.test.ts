import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { loadedPage } from './loaded-page.js';

/** A minified bundle for pages that imports these names. */
const bundled = async (names: string, from: string): Promise<Uint8Array> => {
  const result = await build({
    stdin: { contents: `export { ${names} } from '${from}';`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  return result.outputFiles[0].contents;
};

/* Sources are not bundled for others. */
describe.runIf(process.env.FILIGREE_BUILT)('a bundle holds what it uses', () => {
  it.each([
    ['fail', '@filigree/ir', 8_000],
    ['printModule', '@filigree/ir', 12_000],
    ['unroll', '@filigree/opt', 90_000],
    ['readMatrixMarket', '@filigree/sparse/formats', 60_000],
  ])('%s of %s is less than %i bytes', async (name, from, limit) => {
    expect((await bundled(name, from)).length).toBeLessThan(limit);
  });

  /* What is imported while the page runs is counted: everything that was loaded until the first kernel has run. */
  it('a page with a kernel over fields loads less than 258 kB gzipped, the compiler included', async () => {
    const { logged, loaded, later } = await loadedPage(`
      import { active, dense, field, ij, kernel, layout, program } from 'filigree';
      const u = field('u', 'f32');
      const grow = kernel([u], (u) => { for (const [i, j] of active(u)) u[i][j] += 0.5; });
      const sim = await program({ layout: layout(dense(ij, [64, 64]).place(u)), kernels: { grow } });
      sim.run.grow();
      console.log(sim.fields.u.get([3, 4]));`);
    expect(logged).toBe('0.5');
    expect(loaded).toBeLessThan(257_400);
    /* The parser, derivatives, bits, queues, cells that are allocated. */
    expect(later).toBeGreaterThan(80_000);
  });

  it('a page with stencils, particles, sums and loops of its own loads less than 260 kB gzipped, its own code included', async () => {
    const { logged, loaded } = await loadedPage(`
      import { active, dense, fields, i, ij, kernel, layout, ndrange, program, range, vec } from 'filigree';
      const n = 64;
      const { u, v, un, vn } = fields('f32', ij, ['u', 'v', 'un', 'vn']);
      const { x, w } = fields('f32', i, { x: 2, w: 2 });
      const next = (k) => (k + 1) % n;
      const laplacian = (u, i, j) => u[next(i + n - 2)][j] + u[next(i)][j] + u[i][next(j + n - 2)] + u[i][next(j)] - 4 * u[i][j];
      const react = kernel([u, v, un, vn, 'f32'], (u, v, un, vn, feed) => {
        for (const [i, j] of ndrange(n, n)) {
          const both = u[i][j] * v[i][j] * v[i][j];
          un[i][j] = u[i][j] + 0.16 * laplacian(u, i, j) - both + feed * (1 - u[i][j]);
          vn[i][j] = v[i][j] + 0.08 * laplacian(v, i, j) + both - (feed + 0.06) * v[i][j];
        }
      });
      const move = kernel([x, w, 'f32'], (x, w, dt) => {
        for (const p of active(x)) {
          let velocity = w[p].add(vec(0, -10).mul(dt));
          if (x[p].y + velocity.y * dt < 0) velocity = vec(velocity.x, -0.5 * velocity.y);
          x[p] = x[p].add(velocity.mul(dt));
          w[p] = velocity;
        }
      });
      const energy = kernel([w], (w) => {
        let sum = 0;
        for (const p of active(w)) sum += 0.5 * w[p].dot(w[p]) + Math.sqrt(Math.abs(w[p].x));
        return sum;
      });
      const escape = kernel([un], (un) => {
        for (const [i, j] of ndrange(n, n)) {
          let [a, b, steps] = [0, 0, 0];
          while (a * a + b * b < 4 && steps < 50) {
            [a, b] = [a * a - b * b + i / n - 1.5, 2 * a * b + j / n];
            steps++;
          }
          un[i][j] = steps;
        }
      });
      const sim = await program({
        layout: layout(dense(ij, n).place(u, v, un, vn), dense(i, 1000).place(x, w)),
        kernels: { react, move, energy, escape },
        fields: { u, v, vn, un },
      });
      sim.fields.v.set([3, 4], 1);
      sim.run.react(0.03);
      sim.run.move(1);
      sim.run.escape();
      console.log(sim.fields.vn.get([3, 5]).toFixed(2), sim.run.energy(), sim.fields.un.get([20, 20]));`);
    expect(logged).toBe('0.08 12500 19');
    expect(loaded).toBeLessThan(259_700);
  });

  it('a page has the words that it imports, also for kernels that no build has seen', async () => {
    const { logged } = await loadedPage(`
      import { dense, field, i, kernel, layout, mat, program, range, svd2 } from 'filigree';
      const y = field('y', 'f64');
      const body = '(y) => { const [, s] = svd2(mat([3, 0], [0, 2])); for (const p of range(2)) y[p] += s[p]; }';
      const unseen = kernel([y], new Function('mat', 'range', 'svd2', 'return ' + body)(mat, range, svd2));
      const seen = kernel([y], (y) => { for (const p of range(2)) y[p] += 0.5; });
      const sim = await program({ layout: layout(dense(i, 2).place(y)), kernels: { unseen, seen } });
      sim.run.unseen();
      sim.run.seen();
      console.log(sim.fields.y.get([0]), sim.fields.y.get([1]));`);
    expect(logged).toBe('3.5 2.5');
  });

  it.each([
    [
      'lists of cells and scratchpads',
      'dense(i, 64).pointer().dense(i, 64)',
      'for (const i of active(x)) { cache(x); y[i] = 2 * x[i]; }',
      '',
    ],
    ['masks', 'dense(i, 4096).bitmasked()', 'for (const i of active(x)) y[i] = 2 * x[i];', ''],
    [
      'loops over cells in order',
      'dense(i, 64).pointer().dense(i, 64)',
      'for (const _ of range(1)) for (const i of active(x)) y[i] = 2 * x[i];',
      '',
    ],
    ['tables of cells', 'hash(i, 64).dense(i, 64)', 'for (const i of active(x)) y[i] = 2 * x[i];', ''],
    [
      'words that few kernels use',
      'dense(i, 4096)',
      'for (const i of range(4096)) { switch (i % 4) { case 2: y[i] = 2 * x[i]; break; default: y[i] = -1; } }',
      '',
    ],
    ['checks', 'dense(i, 4096)', 'for (const i of range(4096)) y[i] = 2 * x[i];', 'debug: true,'],
  ])('a page loads %s when a kernel needs them', async (_, branch, body, option) => {
    const { logged } = await loadedPage(`
      import { active, cache, dense, field, hash, i, kernel, layout, program, range } from 'filigree';
      const [x, y] = [field('x', 'f64'), field('y', 'f64')];
      const twice = kernel([x, y], (x, y) => { ${body} });
      const sim = await program({ ${option} layout: layout(${branch}.place(x, y)), kernels: { twice } });
      sim.fields.x.set([70], 21);
      sim.run.twice();
      console.log(sim.fields.y.get([70]));`);
    expect(logged).toBe('42');
  });

  it('a page loads functions on lanes when a kernel has one', async () => {
    const { logged } = await loadedPage(`
      import { dense, field, i, kernel, layout, program, range } from 'filigree';
      const [x, y] = [field('x', 'f32'), field('y', 'f32')];
      const wave = kernel([x, y], (x, y) => { for (const i of range(4096)) y[i] = Math.sin(x[i]) + Math.pow(x[i], 2.5); });
      const sim = await program({ layout: layout(dense(i, 4096).place(x), dense(i, 4096).place(y)), kernels: { wave } });
      sim.fields.x.set([70], 2);
      sim.run.wave();
      console.log(sim.fields.y.get([70]).toFixed(4));`);
    expect(logged).toBe((Math.sin(2) + 2 ** 2.5).toFixed(4));
  });

  it('a page loads what words of several fields need, and the words for what a kernel reports', async () => {
    const { logged } = await loadedPage(`
      import { append, bitStruct, dense, field, fixed, i, int, j, kernel, layout, program, range, stored } from 'filigree';
      const [x, k, many] = [field('x', 'f32'), field('k', 'i32'), field('many', 'i32')];
      const both = kernel([x, k], (x, k) => { for (const i of range(8)) { x[i] += 0.25; k[i] = i; } });
      const grow = kernel([many], (many) => { for (const i of range(9)) append(many[0], i); });
      const sim = await program({
        layout: layout(
          dense(i, 8).place(bitStruct(32, stored(x, fixed(16, 1)), stored(k, int(8)))),
          dense(i, 1).dynamic(j, 8).place(many),
        ),
        kernels: { both, grow },
      });
      sim.run.both();
      try { sim.run.grow(); } catch (e) { console.log(sim.fields.x.get([5]), sim.fields.k.get([5]), e.diagnostics[0].code); }`);
    expect(logged).toBe('0.25 5 launch/list-full');
  });

  it('a page that searches for formats loads the words that its kernels use', async () => {
    const { logged } = await loadedPage(`
      import { dense, field, i, kernel, layout, quantSearch, range } from 'filigree';
      const x = field('x', 'f32');
      const grow = kernel([x], (x) => {
        for (const i of range(64)) { switch (i % 4) { case 2: x[i] += 2; break; default: x[i] += 1; } }
      });
      const { best, fullBytes } = await quantSearch({
        layout: layout(dense(i, 64).place(x)),
        kernels: { grow },
        inputs: (sim) => sim.fields.x.set([3], 1),
        launch: (sim) => sim.run.grow(),
        outputs: [x],
        error: 0.01,
      });
      console.log(best.error <= 0.01 && best.bytes < fullBytes);`);
    expect(logged).toBe('true');
  });

  it.each([
    ['traced programs', 'loadTraced', 10_700],
    ['formulas', 'loadEinsum', 10_900],
  ])('a page with artifacts of %s alone loads less by %s than %i bytes gzipped', async (_, load, limit) => {
    expect(gzipSync(await bundled(load, 'filigree/artifact')).length).toBeLessThan(limit);
  });

  it.each([
    ['arrays', 25_000, ''],
    ['cells that are found', 32_000, '.pointer()'],
  ])(
    'a page with an artifact of fields in %s loads less than %i bytes gzipped and its own',
    async (_, limit, sparse) => {
      const made = await artifactOf(`
      import { active, dense, field, i, j, kernel, layout, range } from 'filigree';
      const x = field('x', 'f64');
      export const sim = {
        layout: layout(dense(i, 64)${sparse}.dense(j, 8).place(x)),
        kernels: {
          grow: kernel([x, 'f64'], (x, by) => { for (const i of range(4)) for (const j of range(8)) x[i][j] = by * (i + j); }),
          sum: kernel([x], (x) => { let s = 0; for (const [i, j] of active(x)) s += x[i][j]; return s; }),
        },
      };`);
      const { logged, loaded } = await loadedPage(`
      import { loadArtifact } from 'filigree/artifact';
      const sim = await loadArtifact(Uint8Array.from(atob('${made.toString('base64')}'), (c) => c.charCodeAt(0)));
      sim.run.grow(0.5);
      sim.fields.x.set([63, 7], 4);
      const all = sim.fields.x.toArray();
      console.log(sim.run.sum(), all[9], sim.fields.x.get([63, 7]), all.length, [...sim.fields.x.entries()].length);`);
      expect(logged).toBe(`84 1 4 512 ${sparse === '' ? 512 : 40}`);
      expect(loaded - gzipSync(made.toString('base64')).length).toBeLessThan(limit);
    },
  );
});

/** What `filigree compile` makes of a module with one program. */
const artifactOf = async (source: string): Promise<Buffer> => {
  const folder = mkdtempSync(join(import.meta.dirname, '.artifact-'));
  try {
    writeFileSync(join(folder, 'made.mjs'), source);
    const cli = fileURLToPath(import.meta.resolve('filigree/package.json')).replace('package.json', 'bin/filigree.js');
    execFileSync(process.execPath, [cli, 'compile', 'made.mjs', '--backend', 'wasm', '--artifact', '.'], {
      cwd: folder,
    });
    return readFileSync(join(folder, 'sim.filigree'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
