import { DiagnosticError, type Diagnostics } from '@filigree/ir';

/** Why a plan has no code, as a warning: its launches run one by one. */
export const withoutCode = (cause: unknown): Diagnostics =>
  cause instanceof DiagnosticError
    ? cause.diagnostics.map((d) => ({ ...d, severity: 'warning' as const }))
    : [
        {
          severity: 'warning',
          code: 'queue/code',
          message: `the code of a plan could not be made: ${cause instanceof Error ? cause.message : String(cause)}`,
          remedy: 'nothing: its launches run one by one; to have them run together, see that the compiler works',
        },
      ];
