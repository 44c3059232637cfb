import type { Extension } from '@filigree/ir';

/** What the functions of a module need beside themselves: imported mathematics, helper functions. Collected while they are written. */
export interface ModuleContext {
  /** Names of imported functions of floats, with their arity. */
  readonly imports: Map<string, number>;
  /** Texts of helper functions and globals by name. */
  readonly helpers: Map<string, string>;
  /** Whether threads share the memory. */
  readonly shared: boolean;
  /** Whether a product and a sum may be one instruction. */
  readonly fused: boolean;
  /** Whose ops the module may have. */
  readonly extensions: readonly Extension[];
}
