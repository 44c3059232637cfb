/**
 * Runs conformance programs that share memory under the sanitizers, in a process that was started with `sanitizerFirst`, and prints the names of those that
 * passed; what goes wrong in one ends it. Then it makes mistakes in the text of some, each after a line with its name on stderr, and goes on behind them.
 */
import { conformance, conformancePrograms, type Program } from '@filigree/conformance';
import { cudaSanitized, hipSanitized64, inSingles, metalSanitized } from '../src/index.js';
import { changed } from './changed.js';
import { mistakes } from './mistakes.js';

/* Those that it starts are not to be looked at. */
delete process.env['LD_PRELOAD'];

const programs = conformancePrograms();

/* Teams and threads in step, scratch, atomics, and what fields are lowered to. */
const chosen = (all: readonly Program[], names: RegExp): readonly Program[] => all.filter((p) => names.test(p.name));
const SHARED = /team|in step|takes|sums and extremes|scratch|atomic|histogram|reduction/;
const LOWERED = /, lowered for/;

const together = 16;
const inStep = /team|in step|takes|sums and/;
const cases = [
  ...conformance(cudaSanitized({ seed: 20271 }), { programs: chosen(programs, SHARED), together }),
  ...conformance(cudaSanitized('backward'), { programs: chosen(programs, LOWERED), together }),
  ...conformance(hipSanitized64({ seed: 20272 }), { programs: chosen(programs, inStep), together }),
  ...conformance(metalSanitized({ seed: 20273 }), { programs: chosen(programs, inStep).map(inSingles), together }),
];
const passed: string[] = [];
for (const c of cases) if ((await c.run()).status === 'passed') passed.push(c.name);
console.log(JSON.stringify(passed));

for (const [name, { program, change }] of Object.entries(mistakes)) {
  console.error(`mistake ${name}`);
  const compile = { fastMath: false, flags: ['-fsanitize-recover=address'] };
  const one = programs.filter((p) => p.name === program);
  for (const c of conformance(changed(cudaSanitized(), change), { programs: one, compile }))
    await c.run().catch(() => undefined);
}
