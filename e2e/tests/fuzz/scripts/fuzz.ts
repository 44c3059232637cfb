import { DiagnosticError } from '@filigree/ir';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { array, kernel, program, range } from 'filigree';
import { nameOf } from '../backends.js';
import type { Findings, Fuzz } from '../fuzz.js';
import { shrink, without } from '../shrink.js';
import { randomScript, textOfScript, type Script, type Statement } from './statements.js';

/**
 * Random kernels in the words of JavaScript, objects and texts of the surroundings among them, held against what JavaScript makes of the same text. Every `every`th
 * runs in debug mode too, and on all backends.
 */
export const fuzzScripts = async ({ seed, count, first = 0, backends, every, most, say }: Fuzz): Promise<Findings> => {
  const faults: string[] = [];
  const refused = new Map<string, number>();
  let tried = 0;
  for (let n = first; n < first + count && faults.length < most; n++) {
    const script = randomScript(seed * 1_000_003 + n);
    const slow = n % every === 0;
    for (const backend of slow ? backends : backends.slice(0, 1))
      for (const debug of slow ? [false, true] : [false]) {
        const fails = (s: Script): Promise<string | undefined> => faultOf(s, backend, debug);
        const what = await fails(script);
        if (what === undefined) continue;
        if (what.startsWith('refused: ')) {
          const code = what.slice('refused: '.length);
          refused.set(code, (refused.get(code) ?? 0) + 1);
          continue;
        }
        const least = await shrink(script, smaller, async (s) => (await fails(s)) === what, 300);
        faults.push(`/* ${what}, ${nameOf(backend)}${debug ? ', debug' : ''} */\n${textOfScript(least)}`);
        say(faults.at(-1)!);
      }
    tried++;
    if (tried % 100 === 0) say(`${tried} of ${count} scripts, ${faults.length} faults`);
  }
  return { tried, faults, refused };
};

const objects = [
  { id: 0, v: 1.5, w: -2, name: 'a', row: [1, 2] },
  { id: 1, v: -3, w: 4.5, name: 'bc', row: [0.5, -1] },
  { id: 2, v: 6, w: 0.25, name: 'a', row: [3, 0] },
  { id: 3, v: 0, w: 1, name: 'def', row: [-2, 8] },
].map((o) => ({ ...o, next: o as object }));
objects.forEach((o, n) => (o.next = objects[(3 * n + 1) % 4]));

/** Kernels of arrays alone want a layout all the same. */
const place = layout(dense(i, 4).place(field('unused', 'f32', { axes: i })));

type Run = (a: Float64Array, k: Int32Array) => void;

/** What is wrong with what a backend makes of a script; of one that is no program, as can come of leaving parts out, nothing. */
const faultOf = async (
  script: Script,
  backend: Fuzz['backends'][number],
  debug: boolean,
): Promise<string | undefined> => {
  let fn: Run;
  const [a, k] = inputs();
  try {
    fn = new Function('range', 'objects', `return ${textOfScript(script)}`)(range, objects) as Run;
    fn(a, k);
  } catch {
    return undefined;
  }
  try {
    const kernels = {
      script: kernel([array('f64', 16), array('i32', 16)], { float: 'f64', scope: { objects, range } }, fn),
    };
    const sim = await program({ layout: place, kernels, backend, threads: 1, debug });
    const [b, l] = inputs();
    sim.run.script(b, l);
    sim.dispose();
    const wrong = a.findIndex(
      (x, n) => !Object.is(x, b[n]) && !(Math.abs(x - b[n]) <= 1e-9 * Math.max(1, Math.abs(x))),
    );
    return wrong < 0 ? undefined : 'another number';
  } catch (e) {
    const code = e instanceof DiagnosticError ? e.diagnostics[0].code : undefined;
    return code?.startsWith('lang/') ? `refused: ${code}` : (code ?? (e as Error).message);
  }
};

const inputs = (): readonly [Float64Array, Int32Array] => [
  Float64Array.from({ length: 16 }, (_, n) => (((n * 37) % 64) - 32) / 8),
  Int32Array.from({ length: 16 }, (_, n) => ((n * 29) % 40) - 20),
];

/** A script without one of its statements, or of what it leaves. */
function* smaller({ statements, result }: Script): Generator<Script> {
  for (const fewer of fewerOf(statements)) yield { statements: fewer, result };
  for (const fewer of without(result)) yield { statements, result: fewer };
}

function* fewerOf(statements: readonly Statement[]): Generator<readonly Statement[]> {
  yield* without(statements);
  for (const [n, { head, body }] of statements.entries()) {
    if (!body) continue;
    yield statements.toSpliced(n, 1, ...body);
    for (const fewer of fewerOf(body)) yield statements.toSpliced(n, 1, { head, body: fewer });
  }
}
