// The three-snapshot method, as DevTools' "Objects allocated between" does it: of the last snapshot, the objects whose ids
// were given out between the first and the second.

import type {JSHeapSnapshot} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';
import * as HeapSnapshotModel from 'frontend/front_end/models/heap_snapshot/heap_snapshot.js';

export interface LeakParams {
  /** The first snapshot's largest id of a JavaScript object. */
  after: number;
  /** The second's. */
  upTo: number;
  /** Most classes that are told in detail. */
  most: number;
  /** Also V8's own groups, whose names stand in parentheses. */
  internal: boolean;
}

interface Step {
  edgeType: string;
  edgeName: string;
  nodeId: number;
  nodeName: string;
}

/** The way to a root that goes along the shortest distances; the front-end sorts retainers by them. */
function shortestPath(snapshot: JSHeapSnapshot, nodeIndex: number): Step[] {
  const MAX_DEPTH = 200, MAX_NODES = 5000, FEW = 3;
  let {paths} = snapshot.getRetainingPaths(nodeIndex, MAX_DEPTH, MAX_NODES, FEW);
  const steps: Step[] = [];
  while (paths.length) {
    const [{edgeType, edgeName, nodeId, nodeName, children}] = paths;
    steps.push({edgeType, edgeName, nodeId, nodeName});
    paths = children;
  }
  return steps;
}

/** Classes of what is left, by retained size, each with the largest object and its way to a root. */
export function leaks(snapshot: JSHeapSnapshot, {after, upTo, most, internal}: LeakParams): object {
  const filter = new HeapSnapshotModel.HeapSnapshotModel.NodeFilter(after, upTo);
  const all = Object.values(snapshot.aggregatesWithFilter(filter));
  const isInternal = (name: string): boolean => name.startsWith('(') && name !== '(string)';
  const shown = all.filter(({name}) => internal || !isInternal(name)).sort((a, b) => b.maxRet - a.maxRet);
  const node = snapshot.createNode(0);
  const classes = shown.slice(0, most).map(({name, count, self, maxRet, idxs}) => {
    const size = (index: number): number => snapshot.retainedSizes[index / snapshot.nodeFieldCount];
    const largest = idxs.reduce((best, index) => size(index) > size(best) ? index : best);
    node.nodeIndex = largest;
    const example = {nodeId: node.id(), nodeName: node.name(), retainedSize: node.retainedSize()};
    return {
      className: name,
      count,
      selfSize: self,
      retainedSize: maxRet,
      example: {...example, path: shortestPath(snapshot, largest)},
    };
  });
  return {classes, classCount: shown.length, hidden: all.length - shown.length};
}
