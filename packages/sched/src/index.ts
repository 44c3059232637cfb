export { graphOf, joined, nodeOf, type Graph, type Launch, type Node, type Part } from './graph/graph.js';
export { edgesOf } from './graph/edges.js';
export { noOwners, ownersAfter, type Activated, type Owners } from './graph/owners.js';
export { graphPassNames, planSpec, type GraphPass, type PlanOptions } from './options.js';
export { plan, GRAPH_PASSES, type Plan } from './plan.js';
export { kernelOf, type NodeArgument, type NodeKernel } from './code/kernel-of.js';
export { drawGraph } from './draw-graph.js';
export { drawTimeline, type Span } from './draw-timeline.js';
