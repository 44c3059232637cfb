import {
  type Dialect,
  type Effect,
  type Scalar,
  type Type,
  byteSize,
  defineBound,
  dialect,
  firstProblem,
  hasOperands,
  isVector,
  operandIs,
  scalarOf,
} from '@filigree/ir';

/* Who is in step now is as a place in memory: what depends on it is neither shared, moved nor left out. */
const inStep: readonly Effect[] = [{ kind: 'atomic', buffer: 'threads in step' }];

const notHere = 'the set is not that of the lanes that are here';

const isMask = (t: Type): boolean => t === 'u64';

/* Registers that threads hand each other are of 32 bits or two of these. */
const isHanded = (t: Type): boolean => !isVector(t) && byteSize(scalarOf(t)) >= 4;

/**
 * What threads that go in step, the lanes of a warp, tell each other within a parallel loop. A set of them is a `u64`, a bit for each lane. Which iterations
 * are in step, and who of them has come, is open: a kernel is right only where that does not matter. In the interpreter, which runs one iteration after
 * the other, each is alone, as lane 0; `explore` of the conformance suite runs lanes in step, with any of them late.
 */
export const gpuDialect: Dialect = dialect('gpu', [
  defineBound(
    {
      name: 'gpu.lane',
      summary: 'the number of this thread among those that go in step, from 0 to below 64',
      verify: (op) => firstProblem(hasOperands(op, 0)),
      resultTypes: () => ['i32'],
      effects: () => inStep,
    },
    () => () => 0,
  ),
  defineBound(
    {
      name: 'gpu.here',
      summary:
        'the set of lanes that are here in step now; those on other ways, and any that are late, are not among them',
      verify: (op) => firstProblem(hasOperands(op, 0)),
      resultTypes: () => ['u64'],
      effects: () => inStep,
    },
    () => () => 1n,
  ),
  defineBound(
    {
      name: 'gpu.ballot',
      summary:
        'the lanes of a set for which the first operand holds; all of the set, which `gpu.here` or a ballot told, come',
      verify: (op) =>
        firstProblem(
          hasOperands(op, 2) ??
            operandIs(op, 0, 'i1', (t) => t === 'i1') ??
            operandIs(op, 1, 'a set of lanes (u64)', isMask),
        ),
      resultTypes: () => ['u64'],
      effects: () => inStep,
      traits: { mayTrap: true },
    },
    (op, machine) => (holds, set) => {
      if (set !== 1n) machine.trap(op, notHere);
      return holds === true ? 1n : 0n;
    },
  ),
  defineBound(
    {
      name: 'gpu.shuffle',
      summary:
        'the value that another lane has here, its number given last; all lanes of the set come, as to a ballot, and both are among them',
      verify: (op) =>
        firstProblem(
          hasOperands(op, 3) ??
            operandIs(op, 0, 'a number of 32 or 64 bits', isHanded) ??
            operandIs(op, 1, 'a set of lanes (u64)', isMask) ??
            operandIs(op, 2, 'i32', (t) => t === 'i32'),
        ),
      resultTypes: ([value]) => [value!.type],
      effects: () => inStep,
      traits: { mayTrap: true },
    },
    (op, machine) => (value, set, lane) => {
      if (set !== 1n) machine.trap(op, notHere);
      if (lane !== 0) machine.trap(op, `lane ${String(lane)} is not in the set`);
      return value as Scalar;
    },
  ),
  defineBound(
    {
      name: 'gpu.count',
      summary: 'how many lanes are in a set',
      verify: (op) => firstProblem(hasOperands(op, 1) ?? operandIs(op, 0, 'a set of lanes (u64)', isMask)),
      resultTypes: () => ['i32'],
    },
    () => (set) => lanesIn(set as bigint).length,
  ),
  defineBound(
    {
      name: 'gpu.first',
      summary: 'the first lane of a set, which is not empty',
      verify: (op) => firstProblem(hasOperands(op, 1) ?? operandIs(op, 0, 'a set of lanes (u64)', isMask)),
      resultTypes: () => ['i32'],
      traits: { mayTrap: true },
    },
    (op, machine) => (set) => lanesIn(set as bigint)[0] ?? machine.trap(op, 'the set is empty'),
  ),
]);

/** The numbers of the lanes in a set, in order. */
export const lanesIn = (set: bigint): readonly number[] =>
  Array.from({ length: 64 }, (_, lane) => lane).filter((lane) => ((set >> BigInt(lane)) & 1n) === 1n);
