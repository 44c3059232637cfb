export { i, ij, ijk, ijkl, j, k, l, type Axes, type Axis } from './layout/axes.js';
export {
  componentsOf,
  field,
  isField,
  matrixField,
  vectorField,
  type AnyField,
  type FieldDecl,
  type FieldOptions,
  type MatrixField,
  type VectorField,
} from './layout/field-decl.js';
export { fields, type ElementShape } from './layout/fields.js';
export { Branch, dense, dynamic, hash, type NodeSpec, type PoolOptions } from './layout/branch.js';
export {
  axesAbove,
  axesOf,
  isSparse,
  layout,
  layoutText,
  nodeText,
  pathTo,
  type Layout,
  type PlacedField,
  type SNode,
} from './layout/layout.js';
export { layoutOf, layoutTree } from './layout/tree.js';
export { FieldStore, type Coordinates, type Trouble } from './meaning/field-store.js';
export { fieldDialects } from './access/dialects.js';
export { fieldDialect, structureName, valueName } from './access/field-dialect.js';
export {
  STATUS,
  STATUS_WORDS,
  HANDS,
  LINE,
  LOT,
  RESERVED_CELLS,
  arenaName,
  elementsBelow,
  memoryFor,
  poolsAround,
  storageOf,
  type List,
  type NodeStorage,
  type Pool,
  type Storage,
  type StorageOptions,
} from './storage/storage.js';
export { hashOf } from './storage/hash-of.js';
export { closeLots, givenOf, type Given } from './storage/turns.js';
export { snodeDialect } from './access/snode-dialect.js';
export { sitesOf, type Site } from './access/sites.js';
export { buildCell, buildCellPath, buildContainer } from './access/build.js';
export type { CellPath, PathOptions } from './access/path.js';
export { lowerAccess, type AccessOptions } from './access/lower-access.js';
export { lowerSNodes } from './access/lower-snodes.js';
export { simplifyAccess, type SimplifyOptions } from './access/simplify-access.js';
export { lowerFields, lowerFieldsSpec, type LowerFieldsOptions } from './lower-fields.js';
export { fieldPasses } from './field-passes.js';
export { flattenBranches } from './loops/flatten.js';
export { lowerLoops } from './loops/lower-loops.js';
export { bytesAt, clearBytes, type Memory } from './storage/bytes.js';
export { initializeArena, initializeCell } from './storage/initialize.js';
