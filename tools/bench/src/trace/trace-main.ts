import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureBandwidth } from '../bandwidth.js';
import { commandLine, fromHere, misused, runCommand } from '../command.js';
import { keptResults, withoutResume } from '../kept-results.js';
import { describeMachine } from '../machine.js';
import { writeBenchmarkPage } from '../table.js';
import { measureMatrix, nameOf, trace, type MatrixResult } from './matrix-result.js';
import { PAPER } from './paper.js';
import { categoriesSection, limitsSection, piecesHistogram, setSection, type LimitResult } from './pieces-sections.js';
import { instructionCounter, type InstructionCounter } from './instructions.js';
import { instructionSections, speedupPicture } from './instructions-section.js';
import { eachMatrixSection, loneSections, spmvSections } from './spmv-sections.js';
import { STIFFNESS, stiffnessFile } from './stiffness.js';
import { uzpSections } from './uzp-section.js';

const USAGE = `usage: npm run bench:trace -- [MATRIX…] [--matrices FOLDER] [--threads 1] [--backend NAME] [--no-spmv] [--no-instructions] [--no-best] [--resume FILE.jsonl] [--out FILE.md]
MATRIX: names of files in FOLDER without their endings; all of them unless given
FOLDER: default $FILIGREE_DATA/matrices, else ../shared/data/matrices
--resume: matrices whose results stand in this file are not measured again; new ones are added to it`;

const INTRO =
  'The Harwell–Boeing matrices rebuilt as affine pieces (`filigree trace`), with what the paper reports (G. Rodríguez and L.-N. Pouchet, ' +
  '*Polyhedral Modeling of Immutable Sparse Matrices*, IMPACT 2018) beside it. At most 8 loops a piece.';

/** The command `npm run bench:trace`. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: OPTIONS,
    allowPositionals: true,
    allowNegative: true,
  });
  const threads = Number(values.threads ?? 1);
  if (!Number.isInteger(threads) || threads < 1) return misused(USAGE);
  const folder = fromHere(values.matrices ?? join(process.env.FILIGREE_DATA ?? '../shared/data', 'matrices'));
  const files = matricesOf(folder, positionals);
  const settings = {
    spmv: values.spmv ?? true,
    best: values.best ?? true,
    threads,
    ...(values.backend === undefined ? {} : { backend: values.backend }),
  };
  const lone = settings.spmv && (positionals.length === 0 || positionals.includes(STIFFNESS));
  if (files.length === 0 && !lone) {
    console.error(`there are no such matrices in ${folder}`);
    return 1;
  }
  const kept = keptResults<MatrixResult>(values.resume, (r) => r.name);
  const counter = settings.spmv && (values.instructions ?? true) ? await instructionCounter() : undefined;
  if (typeof counter === 'string') console.error(`instructions are not counted: ${counter}`);
  const results: MatrixResult[] = [];
  const failures: string[] = [];
  for (const [k, file] of files.entries()) {
    const name = nameOf(file);
    const known = kept.find(name);
    const measured = known ?? (await measureMatrix(file, settings));
    const found = typeof measured === 'object' ? await withInstructions(file, measured, counter) : measured;
    if (typeof found === 'string') failures.push(`${name}: ${found}`);
    else {
      results.push(found);
      if (found !== known) kept.add(found);
    }
    console.error(`${k + 1} of ${files.length}: ${typeof found === 'string' ? `${name}: ${found}` : lineOf(found)}`);
  }
  const made = lone ? (kept.find(STIFFNESS) ?? (await measureMatrix(stiffnessFile(), settings))) : undefined;
  if (typeof made === 'string') failures.push(`${STIFFNESS}: ${made}`);
  const stiff = typeof made === 'object' ? made : undefined;
  const limits = await limitsOf(files.find((f) => nameOf(f) === 'nos1'));
  results.sort((a, b) => a.name.localeCompare(b.name));

  const out = fromHere(values.out ?? 'docs/benchmarks/trace.md');
  const [histogram, scatter] = ['pieces', 'speedup'].map((what) => out.replace(/(\.md)?$/, `-${what}.svg`));
  const figure5 = speedupPicture(results);
  const pictures = [
    `![How many matrices need how many pieces](${basename(histogram)})`,
    ...(figure5 ? [`![Speed-up and instructions](${basename(scatter)})`] : []),
  ];
  writeBenchmarkPage(out, {
    title: 'Matrices as affine pieces',
    command: commandLine('bench:trace', withoutResume(argv)),
    machine: describeMachine(),
    bandwidth: measureBandwidth(),
    intro: `${INTRO} Of its ${PAPER.matrices} matrices ${results.length} were present and measured.\n\n${pictures.join('\n\n')}`,
    sections: [
      ...(limits.length > 0 ? [limitsSection(limits)] : []),
      setSection(results, failures.length),
      categoriesSection(results),
      ...spmvSections(results),
      ...loneSections(stiff),
      ...instructionSections(results),
      ...uzpSections(results),
      eachMatrixSection(results),
    ],
  });
  writeFileSync(histogram, piecesHistogram(results));
  if (figure5) writeFileSync(scatter, figure5);
  for (const f of failures) console.error(f);
  return failures.length > 0 ? 1 : 0;
};

/** With the instructions of its products, where they are known or can be counted. */
const withInstructions = async (
  file: string,
  result: MatrixResult,
  counter: InstructionCounter | string | undefined,
): Promise<MatrixResult> => {
  const { name, row, instructions } = result;
  if (instructions !== undefined || row.spmv === undefined || typeof counter !== 'object') return result;
  const counted = await counter.count(file, row.spmv.affineMs !== null);
  if (typeof counted === 'object') return { ...result, instructions: counted };
  console.error(`${name}: instructions are not counted: ${counted}`);
  return result;
};

/** Small ones first, so that a run that is cut short has most of them. */
const matricesOf = (folder: string, names: readonly string[]): readonly string[] => {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder)
    .filter((f) => /\.(mtx|rua|rsa)(\.gz)?$/i.test(f) && (names.length === 0 || names.includes(nameOf(f))))
    .map((f) => join(folder, f));
  return files.sort((a, b) => statSync(a).size - statSync(b).size);
};

const limitsOf = async (file: string | undefined): Promise<readonly LimitResult[]> => {
  if (file === undefined) return [];
  const limits: LimitResult[] = [];
  for (const dims of Object.keys(PAPER.nos1).map(Number)) {
    const row = await trace(file, ['--max-dims', String(dims)]);
    const best = await trace(file, ['--max-dims', String(dims), '--order', 'best']);
    if (typeof row === 'object' && typeof best === 'object') limits.push({ dims, row, best });
  }
  return limits;
};

const lineOf = ({ name, row, best }: MatrixResult): string =>
  [
    `${name}: ${row.pieces} pieces`,
    ...(best ? [`${best.pieces} in ${best.order} order`] : []),
    ...(row.spmv ? [`${row.spmv.speedup.toFixed(2)} times as fast as the plain loop`] : []),
  ].join(', ');

const OPTIONS = {
  matrices: { type: 'string' },
  threads: { type: 'string' },
  backend: { type: 'string' },
  spmv: { type: 'boolean' },
  instructions: { type: 'boolean' },
  best: { type: 'boolean' },
  resume: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
