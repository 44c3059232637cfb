export * from './sparsity.js';
export * from './bar-chart.js';
