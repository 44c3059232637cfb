import { constBuffer, type Buffer, type ScalarType } from '@filigree/ir';
import { eachInstruction, type Block, type Place } from '../code/code.js';
import type { TableUse } from '../elaborate/context/session.js';
import type { Types } from '../types/infer.js';

/** The constant buffers that hold arrays of the surroundings, in the types in which the code reads them. */
export const tableBuffers = (tables: readonly TableUse[], code: Block, types: Types): readonly Buffer[] => {
  const read = new Set<string>();
  eachInstruction(code, (i) => {
    if (i.do === 'load' && i.place.of === 'buffer') read.add(bufferOf(i.place, types.typeOf(i.to)));
  });
  return tables.flatMap(({ buffer, type, values, wide }) => [
    ...(read.has(buffer) ? [constBuffer(buffer, type, values)] : []),
    ...(wide !== undefined && read.has(wide) ? [constBuffer(wide, 'f64', values)] : []),
  ]);
};

/** The buffer from which elements are read as values of a type. */
export const bufferOf = ({ buffer, type, wide }: Place & { of: 'buffer' }, as: ScalarType): string =>
  wide !== undefined && as !== type ? wide : buffer;
