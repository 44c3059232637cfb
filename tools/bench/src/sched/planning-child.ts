import { measurePlanning } from './measure-planning.js';

/** What a process measures that does nothing else. */
export interface PlanningJob {
  /** The name of a backend; default the best there is. */
  readonly backend?: string;
}

const { backend } = JSON.parse(process.argv[2]) as PlanningJob;
console.log(JSON.stringify(await measurePlanning(backend)));
process.exit(0);
