import { compileProblem } from '@filigree/e2e';
import { peakRssMB } from '@filigree/runtime';
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
  /** The most that was resident, less what was before. */
  readonly addedMB: number;
  readonly nodes: number;
  readonly kernels: number;
  readonly maxRelError: number;
}

const job = JSON.parse(process.argv[2]) as GrowthJob;
try {
  const mesh = gridOfFaces(job.faces);
  const problem = GROWTH_CASES[job.name].of(mesh);
  const [before, startMB, start] = [process.cpuUsage(), peakRssMB(), performance.now()];
  const compiled = await compileProblem(problem, {
    backend: undefined,
    dtype: job.dtype,
    threads: 1,
    ablate: [],
    cache: false,
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
