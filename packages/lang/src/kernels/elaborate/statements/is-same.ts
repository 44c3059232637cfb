import { eachInstruction, type Block, type Instruction, type Local, type Place } from '../../code/code.js';
import type { Context } from '../context/context.js';
import { sharedBy } from '../terms/access.js';

/** What instructions change. */
interface Changes {
  readonly locals: ReadonlySet<Local>;
  /** Names of fields, and of buffers of arrays. */
  readonly elements: ReadonlySet<string>;
  /** Whether they make cells active or inactive, or do what is not looked into: then no element is known to stay. */
  readonly structure: boolean;
}

const changesOf = (block: Block): Changes => {
  const [locals, elements] = [new Set<Local>(), new Set<string>()];
  let structure = false;
  eachInstruction(block, (i) => {
    if (i.do === 'write') locals.add(i.local);
    else if (i.do === 'store' || i.do === 'atomic') elements.add(memoryOf(i.place));
    else if (i.do === 'structure' || i.do === 'given') structure = true;
  });
  return { locals, elements, structure };
};

const memoryOf = (place: Place): string => (place.of === 'field' ? place.field.name : place.buffer);

/** Whether code without effects gives the same whenever it runs among others: a test of an index stands around what reads an element of an array. */
export const isSame = (cx: Context, code: Block, others: Block): boolean => {
  const changes = changesOf(others);
  const own = new Set(code.flatMap((i) => (i.do === 'declare' ? i.locals : [])));
  const isQuiet = (i: Instruction): boolean => {
    switch (i.do) {
      case 'compute':
      case 'declare':
      case 'bounds':
      case 'assume':
        return true;
      case 'read':
        return !changes.locals.has(i.local);
      case 'write':
        return own.has(i.local);
      case 'load':
        /* An element that shares an exponent changes with the others. */
        return !changes.structure && !changes.elements.has(memoryOf(i.place)) && sharedBy(cx, i.place) === undefined;
      case 'if':
        return [...i.then, ...i.otherwise].every(isQuiet);
      default:
        return false;
    }
  };
  return code.every(isQuiet);
};
