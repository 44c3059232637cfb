export * from './diagnostics/diagnostic.js';
export * from './pass/pass.js';
export * from './kernel/type.js';
export * from './kernel/op.js';
export * from './kernel/dialect.js';
export * from './scalar/scalar-op.js';
