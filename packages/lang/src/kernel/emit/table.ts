import { constBuffer, type Buffer } from '@filigree/ir';
import type { TableUse } from '../elaborate/session.js';

/** The constant buffer that holds an array of the surroundings. */
export const tableBuffer = ({ buffer, type, values }: TableUse): Buffer => constBuffer(buffer, type, values);
