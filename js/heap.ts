// Heap snapshots: one loaded file per isolate. What is said about it comes from the front-end's JSHeapSnapshot; ours is
// the loading, the choice of a page, and naming what was asked wrongly. Answers are JSON texts, so that numbers above 32
// bits stay whole numbers.

import type {JSHeapSnapshot} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';
import * as HeapSnapshotModel from 'frontend/front_end/models/heap_snapshot/heap_snapshot.js';

import {type Diff, changedClasses, handOn} from './heap/compare.js';
import {leaks} from './heap/leaks.js';
import {type LoadParams, load} from './heap/load.js';
import {type Paging, indexesOf, listed, nodesPage, pageOf, providerPage} from './heap/pages.js';
import type {CallContext} from './host/service.js';

type NodeFilter = HeapSnapshotModel.HeapSnapshotModel.NodeFilter;
type Query = HeapSnapshotModel.HeapSnapshotModel.HeapQueryOptions;
type RetainingEdge = HeapSnapshotModel.HeapSnapshotModel.RetainingEdge;
type EdgesQuery = HeapSnapshotModel.HeapSnapshotModel.HeapEdgesQueryOptions;

interface FilterParams {
  filterName?: string;
  objectId?: number;
}

/** Something was asked that this snapshot cannot answer. Rust knows the names and adds what to do. */
export class Question extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** A loaded file. */
class Loaded {
  #classes: {keys: string[], ids: Map<string, number>}|null = null;
  readonly diffs = new Map<number, Diff[]>();

  constructor(readonly snapshot: JSHeapSnapshot) {}

  /** Class keys in the order of their ids, which start with 1. Made when somebody asks for classes: it takes a while. */
  get classes(): {keys: string[], ids: Map<string, number>} {
    if (!this.#classes) {
      const all = this.snapshot.aggregatesWithFilter(new HeapSnapshotModel.HeapSnapshotModel.NodeFilter());
      const keys = Object.keys(all);
      this.#classes = {keys, ids: new Map(keys.map((key, index) => [key, index + 1]))};
    }
    return this.#classes;
  }

  nodeIndex(id: number): number {
    const index = this.snapshot.nodeIndexForId(id);
    if (index === undefined) {
      throw new Question('UnknownNode', `Node with ID ${id} not found`);
    }
    return index;
  }

  filter({filterName, objectId}: FilterParams): NodeFilter {
    const filter = new HeapSnapshotModel.HeapSnapshotModel.NodeFilter();
    if (filterName === 'attributedToSpecificNativeContext') {
      if (objectId === undefined) {
        throw new Question('ObjectIdMissing', `objectId is required with the filter ${filterName}`);
      }
      filter.filterName = `nativeContext_${this.nodeIndex(objectId)}`;
    } else if (filterName) {
      filter.filterName = filterName;
    }
    return filter;
  }
}

let current: Loaded|null = null;

function loaded(): Loaded {
  if (!current) {
    throw new Error('no heap snapshot is loaded in this isolate');
  }
  return current;
}

function pattern(text: string|undefined, parameter: string): void {
  try {
    new RegExp(text ?? '', 'i');
  } catch (error) {
    throw new Question('BadPattern', `${parameter} is not a regular expression: ${(error as Error).message}`);
  }
}

/** For tests: the front-end's own instance. */
export function take(snapshot: JSHeapSnapshot|null): void {
  current = snapshot ? new Loaded(snapshot) : null;
}

const answers = {
  summary() {
    const {snapshot} = loaded();
    return {
      stats: snapshot.getStatistics(),
      staticData: snapshot.updateStaticData(),
      nativeContextSizes: snapshot.getNativeContextSizes(),
      retainedByContextSummary: snapshot.getRetainedByContextSummary(),
    };
  },

  /** Classes by retained size. */
  classes(params: FilterParams&Paging) {
    const {snapshot, classes: {ids}} = loaded();
    const filter = loaded().filter(params);
    let objectCount = 0, totalSelfSize = 0;
    const classes = [];
    for (const [key, aggregate] of Object.entries(snapshot.aggregatesWithFilter(filter))) {
      objectCount += aggregate.count;
      totalSelfSize += aggregate.self;
      const {name, count, self, maxRet} = aggregate;
      classes.push({id: ids.get(key) ?? 0, className: name, count, selfSize: self, retainedSize: maxRet});
    }
    classes.sort((a, b) => b.retainedSize - a.retainedSize);
    return {objectCount, totalSelfSize, ...listed(classes, params)};
  },

  classNodes(params: {id: number}&FilterParams&Paging) {
    const {snapshot, classes: {keys}} = loaded();
    const nodeFilter = loaded().filter(params);
    const key = keys[params.id - 1];
    if (!key) {
      throw new Question('UnknownClass', `Class with ID ${params.id} not found in heap snapshot`);
    }
    const aggregate = snapshot.aggregatesWithFilter(nodeFilter)[key];
    if (!aggregate) {
      const name = snapshot.aggregatesWithFilter(new HeapSnapshotModel.HeapSnapshotModel.NodeFilter())[key]?.name;
      throw new Question(
          'EmptyClass', `Class with ID ${params.id} (${name}) has no objects under the filter ${params.filterName}`);
    }
    return nodesPage(snapshot, aggregate.idxs, params);
  },

  retainers({nodeId, ...paging}: {nodeId: number}&Paging) {
    return providerPage(loaded().snapshot.createRetainingEdgesProvider(loaded().nodeIndex(nodeId)), paging);
  },

  edges({nodeId, options, ...paging}: {nodeId: number, options: EdgesQuery}&Paging) {
    return providerPage(loaded().snapshot.createEdgesProvider(loaded().nodeIndex(nodeId), options), paging);
  },

  retainingPaths({nodeId, maxDepth, maxNodes, maxSiblings}:
                     {nodeId: number, maxDepth?: number, maxNodes?: number, maxSiblings?: number}) {
    const index = loaded().nodeIndex(nodeId);
    const {paths, limitsReached} = loaded().snapshot.getRetainingPaths(index, maxDepth, maxNodes, maxSiblings);
    return {edges: flattened(paths), limitsReached};
  },

  dominators({nodeId}: {nodeId: number}) {
    return loaded().snapshot.getDominatorsOf(loaded().nodeIndex(nodeId));
  },

  objectDetails({nodeId}: {nodeId: number}) {
    return loaded().snapshot.getObjectInfo(loaded().nodeIndex(nodeId));
  },

  duplicateStrings(paging: Paging) {
    return listed(loaded().snapshot.getDuplicateStrings(), paging);
  },

  query({options, ...paging}: {options: Query}&Paging) {
    pattern(options.className, 'className');
    pattern(options.propertyName, 'propertyName');
    const {snapshot} = loaded();
    return nodesPage(snapshot, indexesOf(snapshot.queryObjects(options)), paging);
  },

  /** Contexts of all scopes with variables that nobody can read any more, the heaviest first. */
  contexts({min, max, scopeInfoNodeId, ...paging}:
               {min?: number, max?: number, scopeInfoNodeId?: number}&Paging) {
    const {scopes, scriptsWithoutScopes} = loaded().snapshot.analyzeContexts();
    const found = scopes.filter(scope => scopeInfoNodeId === undefined || scope.scopeInfoNodeId === scopeInfoNodeId)
                      .flatMap(scope => scope.contexts.map(context => ({scope, context})))
                      .filter(({context}) => context.deadFieldsRetainedSizeSum >= (min ?? 0) &&
                                  context.deadFieldsRetainedSizeSum <= (max ?? Infinity))
                      .sort((a, b) => b.context.deadFieldsRetainedSizeSum - a.context.deadFieldsRetainedSizeSum);
    return {...listed(found, {pageIdx: 0, ...paging}), scriptsWithoutScopes};
  },

  interfaces() {
    return loaded().snapshot.interfaceDefinitions();
  },

  /** Hands the objects on to a comparison in another isolate. */
  handOn({interfaces}: {interfaces: string}, call: CallContext) {
    handOn(loaded().snapshot.aggregatesForDiff(interfaces), call);
  },

  /** Whether the comparison with this base is still known. */
  knowsDiff({base}: {base: number}) {
    return loaded().diffs.has(base);
  },

  /** Compares with the base whose objects come as input, or with itself. */
  diff({base, self}: {base: number, self: boolean}, call: CallContext) {
    const {snapshot, diffs} = loaded();
    const aggregates = self ? snapshot.aggregatesForDiff(snapshot.interfaceDefinitions()) : null;
    diffs.set(base, changedClasses(snapshot, base, aggregates, call));
  },

  /** Changed classes of a comparison, or one of them in detail. */
  changes({base, classIndex, ...paging}: {base: number, classIndex?: number}&Paging) {
    const all = loaded().diffs.get(base) ?? [];
    const row = (diff: Diff, index: number): object => {
      const {name: className, addedCount, removedCount, countDelta, addedSize, removedSize, sizeDelta} = diff;
      return {index, className, addedCount, removedCount, countDelta, addedSize, removedSize, sizeDelta};
    };
    if (classIndex !== undefined) {
      const diff = all[classIndex];
      if (!diff) {
        throw new Question('UnknownIndex', `Invalid classIndex: ${classIndex}. Total classes with changes: ${all.length}`);
      }
      const {addedIds, addedSelfSizes, deletedIds, deletedSelfSizes} = diff;
      return {detail: {...row(diff, classIndex), addedIds, addedSelfSizes, deletedIds, deletedSelfSizes}};
    }
    const totals = {addedCount: 0, removedCount: 0, countDelta: 0, addedSize: 0, removedSize: 0, sizeDelta: 0};
    for (const diff of all) {
      for (const key of Object.keys(totals) as Array<keyof typeof totals>) {
        totals[key] += diff[key];
      }
    }
    const page = pageOf(all.length, paging);
    const items = all.slice(page.startIndex, page.endIndex).map((diff, at) => row(diff, page.startIndex + at));
    return {totals, page, items};
  },

  /** Checksums of what is initialised natively, by name, for the test that compares it with the front-end's own. */
  tables() {
    const {snapshot} = loaded();
    const {firstEdgeIndexes, detachednessAndClassIndexArray, flags, nodeDistances, nodeNativeContextAttribution} =
        snapshot as unknown as Record<string, Uint8Array>;
    const {firstRetainerIndex, retainingNodes, retainingEdges, dominatorsTree, retainedSizes} = snapshot;
    const {firstDominatedNodeIndex, dominatedNodes, strings} = snapshot;
    const tables = {
      nodes: snapshot.nodes.asUint32ArrayOrFail(),
      strings: new TextEncoder().encode(JSON.stringify(strings)),
      firstEdgeIndexes, detachednessAndClassIndexArray, flags, nodeDistances, nodeNativeContextAttribution,
      firstRetainerIndex, retainingNodes, retainingEdges, dominatorsTree, retainedSizes, firstDominatedNodeIndex,
      dominatedNodes,
    };
    // FNV-1a, https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
    const checksum = (table: ArrayBufferView): number =>
        new Uint8Array(table.buffer, table.byteOffset, table.byteLength)
            .reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
    return Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, checksum(table)]));
  },

  leaks(params: Parameters<typeof leaks>[1]) {
    return leaks(loaded().snapshot, params);
  },
};

/** A forest as a list with depths: deep JSON is trouble for whoever reads it. */
function flattened(paths: RetainingEdge[]): object[] {
  const edges: object[] = [];
  const open = [paths.values()];
  while (open.length) {
    const {done, value} = open[open.length - 1].next();
    if (done) {
      open.pop();
      continue;
    }
    const {children, ...edge} = value;
    edges.push({depth: open.length - 1, ...edge});
    open.push(children.values());
  }
  return edges;
}

async function open(params: LoadParams, call: CallContext): Promise<void> {
  current = null;
  current = new Loaded(await load(params, call));
}

type Service = Record<string, (params: any, call: CallContext) => unknown>;

/** `heap.load` and every answer above as a JSON text. */
export const heap: Service = {
  load: open,
  ...Object.fromEntries(Object.entries(answers as Service).map(
      ([name, answer]) => [name, (params: unknown, call: CallContext) => JSON.stringify(answer(params, call) ?? null)])),
};
