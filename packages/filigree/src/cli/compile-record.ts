import type { Sources } from '@filigree/backend';
import { printGraph, type LayoutTree, type Module, type PassBegin, type PassEnd, type Watch } from '@filigree/ir';
import type { Placement } from '@filigree/specialize';
import { PassTimes } from './pass-times.js';

/** A program as it was compiled while someone looked on. */
export interface RecordedProgram {
  /** What whoever compiled it calls it. */
  readonly name?: string;
  /** As it was made legal for the backend. */
  readonly module: Module;
  readonly sources: Sources;
  /** Of a traced program: the groups of its kernels. */
  readonly groups: readonly RecordedGroup[];
  /** Of a program of fields: where they lie. */
  readonly layout: LayoutTree | undefined;
  /** Milliseconds of each pass, without those inside of it, the longest first. */
  readonly passes: readonly (readonly [name: string, ms: number])[];
}

/** Instances of one template, which a kernel runs in a loop. */
export interface RecordedGroup {
  readonly kernel: number;
  readonly members: number;
  /** What it reads, a buffer for each variable of the template, and in the end constants of each member. */
  readonly reads: readonly string[];
  readonly template: string;
  readonly operations: number;
}

/** Remembers what is compiled: small descriptions, and of programs of equal sources one. */
export class CompileRecord implements Watch {
  private readonly found = new Map<string, RecordedProgram>();
  private times = new PassTimes();
  private groups: readonly RecordedGroup[] = [];
  private layout: LayoutTree | undefined;

  readonly before = (event: PassBegin): void => {
    const { input } = event;
    if (isModule(input) && input.layout) ({ layout: this.layout } = input);
    this.times.before(event);
  };

  readonly after = (event: PassEnd): void => {
    this.times.after(event);
    const { input, output } = event;
    if (isPlacement(output)) this.groups = output.launches.flatMap(groupsOf);
    if (!isSources(output) || !isModule(input)) return;
    const passes = this.times.rows().map(({ name, ms }) => [name, ms] as const);
    const { groups, layout } = this;
    const key = textOf(output);
    if (!this.found.has(key)) this.found.set(key, { module: input, sources: output, groups, layout, passes });
    [this.times, this.groups, this.layout] = [new PassTimes(), [], undefined];
  };

  /** Says what the program of these sources is called. */
  name(name: string, sources: Sources): void {
    const program = this.found.get(textOf(sources));
    if (program) this.found.set(textOf(sources), { ...program, name });
  }

  /** What was compiled, in the order in which it was. */
  get programs(): readonly RecordedProgram[] {
    return [...this.found.values()];
  }
}

const textOf = ({ files }: Sources): string => JSON.stringify(files.map(({ contents }) => String(contents)));

const groupsOf = ({ groups }: Placement['launches'][number], kernel: number): readonly RecordedGroup[] =>
  groups.flatMap(({ size, template, columnBuffers, constantCount, segments }) =>
    [...(template ? [{ template, columnBuffers, constantCount, terms: size }] : []), ...segments].map((part) => {
      const { graph } = part.template;
      const constants = part.constantCount > 0 ? [`${part.constantCount} constants`] : [];
      return {
        kernel,
        members: part.terms,
        reads: [...part.columnBuffers, ...constants],
        template: printGraph(graph, { variable: (k) => `${part.columnBuffers[k] ?? 'constant'}.${k}` }),
        operations: graph.length,
      };
    }),
  );

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isModule = (value: unknown): value is Module => isObject(value) && 'kernels' in value && 'buffers' in value;

const isSources = (value: unknown): value is Sources => isObject(value) && 'files' in value && 'backend' in value;

const isPlacement = (value: unknown): value is Placement => isObject(value) && 'launches' in value && 'inputs' in value;
