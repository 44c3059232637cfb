import { active, kernel, range } from '@filigree/lang/kernels';
import { bitStruct, dense, fields, i, layout, stored } from '@filigree/sparse/fields';
import { int, program } from 'filigree';
import { measure } from '../measure.js';
import { printedByPython } from '../python-script.js';
import { ms, type BenchmarkPage } from '../table.js';

/** What a program took for a run, and how many elements were wrong after it. */
interface Run {
  readonly ms: number;
  readonly wrong: number;
}

/** Words of 10 + 12 + 10 bits stored, by us and by Taichi where the interpreter finds it: all fields of a word at once, and one after the other. */
export const besideTaichi = async (
  words: number,
  threads: number,
  rounds: number,
  python: string,
): Promise<BenchmarkPage['sections'][number]> => {
  process.stderr.write('words of three integers\n');
  const [fused, single] = await ours(words, threads, rounds);
  const printed = printedByPython<{ readonly version: string; readonly fused: Run; readonly single: Run }>(
    python,
    'quant_store.py',
    [words, threads],
  );
  const row = (name: string, run: Run): string[] => [
    name,
    ms(run.ms),
    (run.ms / fused.ms).toFixed(2),
    String(run.wrong),
  ];
  const peers =
    'why' in printed
      ? [['Taichi', printed.why, '', '']]
      : [
          row(`Taichi ${printed.found.version}, fused`, printed.found.fused),
          row(`Taichi ${printed.found.version}, each by itself`, printed.found.single),
        ];
  return {
    title: 'Beside Taichi',
    notes: [
      `${words} words of three integers, of 10, 12 and 10 bits, are stored on ${threads} thread${threads === 1 ? '' : 's'}. Taichi runs in a process of its own, afterwards; medians.`,
    ],
    table: {
      head: ['program', 'ms a run', '÷ fused', 'elements wrong'],
      rows: [row('fused', fused), row('each by itself', single), ...peers],
    },
  };
};

const ours = async (words: number, threads: number, rounds: number): Promise<readonly Run[]> => {
  const { low, middle, top } = fields('i32', i, ['low', 'middle', 'top']);
  const all = [low, middle, top] as const;
  const kernels = {
    store: kernel(all, { scope: { range, words } }, (low, middle, top) => {
      for (const p of range(words)) {
        low[p] = p & 511;
        middle[p] = 2047 - (p & 2047);
        top[p] = (p & 255) - 256;
      }
    }),
    wrong: kernel(all, { scope: { active } }, (low, middle, top) => {
      let wrong = 0;
      for (const p of active(low))
        if (low[p] !== (p & 511) || middle[p] !== 2047 - (p & 2047) || top[p] !== (p & 255) - 256) wrong += 1;
      return wrong;
    }),
  };
  const word = bitStruct(32, stored(low, int(10)), stored(middle, int(12)), stored(top, int(10)));
  const sims = await Promise.all(
    [[], ['fuse-stores', 'own-words']].map((ablate) =>
      program({ layout: layout(dense(i, words).place(word)), kernels, fields: {}, backend: 'cpp', threads, ablate }),
    ),
  );
  try {
    const timings = measure(
      sims.map((sim, n) => ({
        name: String(n),
        run: () => void sim.run.store(),
        check: () => Number(sim.run.wrong()),
      })),
      { rounds, tolerance: 0 },
    );
    return timings.map((t) => ({ ms: t.median, wrong: t.maxRelError }));
  } finally {
    for (const sim of sims) sim.dispose();
  }
};
