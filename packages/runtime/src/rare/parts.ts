/**
 * What only some programs need when they run: cells that are found, made and given back, where fields are more than strided arrays; and what is
 * said of what kernels report.
 */
export { emptyPool, putIntoTable, settle, settleAll } from '@filigree/sparse/cells';
export { cellElements } from '../fields/elements/cell-elements.js';
export { statusDiagnostic } from '../program/status-diagnostic.js';
