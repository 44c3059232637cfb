import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { build, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchOptions, pagesAreTested } from './chromium.js';

const configFile = fileURLToPath(new URL('../../tools/playground/vite.config.mjs', import.meta.url));
const scratch = fileURLToPath(new URL('../out/', import.meta.url));
mkdirSync(scratch, { recursive: true });
const folder = mkdtempSync(join(scratch, 'playground-'));

const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

describe.runIf(pagesAreTested)('the playground', () => {
  const held: { page?: Page; url: string } = { url: '' };
  beforeAll(async () => {
    await build({ configFile, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
    const server = await preview({
      configFile,
      logLevel: 'error',
      build: { outDir: folder },
      preview: { port: 0, host: '127.0.0.1' },
    });
    closing.push(() => server.close());
    held.url = server.resolvedUrls!.local[0]!;
    const browser = await chromium.launch(launchOptions);
    closing.push(() => browser.close());
    held.page = await browser.newPage();
  }, 120_000);

  const open = async (name: string): Promise<Page> => {
    const page = held.page!;
    await page.goto('about:blank');
    await page.goto(`${held.url}#${name}`);
    return page;
  };
  /** Writes a program in place of the example, and runs it. */
  const run = async (program: string): Promise<Page> => {
    const page = await open('life');
    await page.waitForFunction(() => Number(document.getElementById('canvas')!.dataset.pictures) > 0);
    await page.locator('#editor .cm-content').fill(program);
    await page.click('#run');
    return page;
  };
  const lines = (page: Page): Promise<readonly string[]> => page.locator('#messages > div').allTextContents();
  const said = async (page: Page, text: string): Promise<readonly string[]> => {
    await page.locator('#messages > div').filter({ hasText: text }).first().waitFor();
    return lines(page);
  };
  /** The picture as numbers. */
  const pixels = (page: Page): Promise<readonly number[]> =>
    page.evaluate(async () => {
      const bitmap = await createImageBitmap(document.getElementById('canvas') as HTMLCanvasElement);
      const context = new OffscreenCanvas(64, 64).getContext('2d')!;
      context.drawImage(bitmap, 0, 0, 64, 64);
      return [...context.getImageData(0, 0, 64, 64).data];
    });

  it.each(['gray-scott', 'snow', 'life', 'cloth'])('%s runs, and its picture moves', async (name) => {
    const page = await open(name);
    const after = async (pictures: number): Promise<readonly number[]> => {
      await page.waitForFunction((n) => Number(document.getElementById('canvas')!.dataset.pictures) >= n, pictures);
      return pixels(page);
    };
    const first = await after(2);
    const later = await after(12);
    expect(new Set(first).size).toBeGreaterThan(2);
    expect(later).not.toEqual(first);
    expect(await lines(page)).toEqual([]);
    for (const [tab, word] of [
      ['WebAssembly', '(module'],
      ['C++', 'static'],
      ['IR', 'module @kernels'],
    ] as const) {
      await page.locator('#tabs button', { hasText: tab }).click();
      expect(await page.locator('#text .cm-content').textContent()).toContain(word);
    }
  });

  it('marks an error of a kernel where it is in the text, types and all', async () => {
    const page = await run(`import { dense, field, i, kernel, layout, program, range, type Grid1 } from 'filigree';

interface Unused {
  a: number;
}
const x = field('x', 'f64');
const fill = kernel([x], (x: Grid1) => {
  for (const i of range(8) as Iterable<number>) x[i] = (i as number) * missing;
});
await program({ layout: layout(dense(i, 8).place(x)), kernels: { fill } });
`);
    expect(await said(page, 'lang/unbound')).toEqual([expect.stringMatching(/^Line 8: /)]);
    expect(await page.locator('#editor .cm-lintRange-error').textContent()).toBe('missing');
  });

  it.each([
    ['a word that is misspelt', 'const a: number = 1;\n\nnothing(a);\n', 3, 'nothing is not defined'],
    ['a text that cannot be read', 'const a = 1;\nconst b = (;\n', 2, 'Unexpected token'],
    [
      'a launch',
      `import { dense, field, i, kernel, layout, program } from 'filigree';
const x = field('x', 'f64');
const put = kernel([x, 'i32'], (x, at: number) => {
  x[at] = 1;
});
const sim = await program({ layout: layout(dense(i, 8).place(x)), kernels: { put }, debug: true });
sim.run.put(9);
`,
      4,
      'launch/out-of-bounds',
    ],
  ])('says at which line %s is wrong', async (_, program, line, message) => {
    const page = await run(program);
    expect(await said(page, message)).toEqual([expect.stringContaining(`Line ${line}: `)]);
    expect(await page.textContent('#status')).toBe('stopped');
  });

  it('prints, and stops a kernel that never ends by itself or by the button', async () => {
    const endless = `import { dense, field, i, kernel, layout, program, range } from 'filigree';
const x = field('x', 'f64');
const fill = kernel([x], (x) => {
  for (const i of range(8)) {
    let a = 1.0;
    while (a > 0) a = x[i] + 1;
    x[i] = a;
  }
});
const sim = await program({ layout: layout(dense(i, 8).place(x)), kernels: { fill } });
console.log('begins', 1);
sim.run.fill();
`;
    const page = await run(endless);
    expect(await said(page, 'begins')).toEqual(['begins 1']);
    await page.click('#stop');
    expect(await page.textContent('#status')).toBe('stopped');
    await page.click('#run');
    expect(await said(page, 'did not answer')).toEqual(['begins 1', expect.stringContaining('was ended')]);
    /* The page itself was never busy, and runs the next. */
    await open('life');
    await page.waitForFunction(() => Number(document.getElementById('canvas')!.dataset.pictures) > 3);
    expect(await lines(page)).toEqual([]);
  });
});
