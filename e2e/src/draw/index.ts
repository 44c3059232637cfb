export * from './sparsity.js';
export * from './bar-chart.js';
export * from './image.js';
export * from './canvas.js';
export * from './spheres.js';
export * from './film.js';
