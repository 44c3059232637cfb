import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compileProblem } from '@filigree/e2e';
import { peakRssMB } from '@filigree/runtime';
import type { Elements } from '@filigree/specialize';
import { executedOperations } from './executed-operations.js';
import { gridOfFaces, GROWTH_CASES } from './growth-cases.js';

/** What a child process is to measure. */
export interface GrowthJob {
  readonly name: string;
  readonly faces: number;
  readonly dtype: 'f32' | 'f64';
}

/** What it found. */
export interface GrowthResult {
  readonly faces: number;
  /** From the plain program to loaded kernels. */
  readonly seconds: number;
  /** Of it in this process, all its threads together: what other jobs on the machine do not lengthen. */
  readonly processorSeconds: number;
  readonly compilerSeconds: number;
  /** The most that was resident while it compiled, less what was before. */
  readonly addedMB: number;
  /** Operations on symbols that the program executes as plain loops; estimated by two small meshes, since they grow with faces. */
  readonly operations: number;
  /** What elements read, and terms of sums over them. */
  readonly leafEntries: number;
  readonly nodes: number;
  readonly kernels: number;
  readonly maxRelError: number;
}

/** What is resident without the garbage of what was before, in MB, from which the peak is counted anew where the system lets it be. */
const residentFromHere = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  try {
    writeFileSync('/proc/self/clear_refs', '5');
    return process.memoryUsage.rss() / 2 ** 20;
  } catch {
    return peakRssMB();
  }
};

const termsOf = ({ terms, heads }: Elements['sums']): number => terms.length + (heads?.terms.length ?? 0);

/** By faces alone, whatever is made of them: of what is written with `elements` as of the same loop. */
const operationsOf = (name: string, faces: number): number => {
  const { of } = GROWTH_CASES[name.replace('-elements', '')];
  const [small, large] = [200, 400].map((n) => {
    const mesh = gridOfFaces(n);
    return { faces: mesh.faces.length / 3, operations: executedOperations(of(mesh).program) };
  });
  const each = (large.operations - small.operations) / (large.faces - small.faces);
  return Math.round(small.operations + each * (faces - small.faces));
};

const job = JSON.parse(process.argv[2]) as GrowthJob;
try {
  const mesh = gridOfFaces(job.faces);
  const problem = GROWTH_CASES[job.name].of(mesh);
  let leafEntries = 0;
  const startMB = residentFromHere();
  const [before, start] = [process.cpuUsage(), performance.now()];
  const compiled = await compileProblem(problem, {
    backend: undefined,
    dtype: job.dtype,
    threads: 1,
    ablate: [],
    cache: false,
    inspect: ({ elements }) => {
      leafEntries = elements.reduce((n, e) => n + e.count * e.columns.length + termsOf(e.sums), 0);
    },
  });
  const seconds = (performance.now() - start) / 1e3;
  const { user, system } = process.cpuUsage(before);
  compiled.run();
  const result: GrowthResult = {
    faces: mesh.faces.length / 3,
    seconds,
    processorSeconds: (user + system) / 1e6,
    compilerSeconds: compiled.cost.ms.compile / 1e3,
    addedMB: compiled.cost.peakRssMB - startMB,
    operations: operationsOf(job.name, mesh.faces.length / 3),
    leafEntries,
    nodes: compiled.cost.nodes,
    kernels: compiled.cost.kernels,
    maxRelError: compiled.maxRelError(problem.evaluate(compiled.inputs)),
  };
  console.log(JSON.stringify(result));
} catch (e) {
  console.error(e instanceof Error ? e.message : String(e));
  process.exit(1);
}
process.exit(0);
