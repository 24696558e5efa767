// The results of the front-end's initialisation passes, computed natively (crates/heapsnapshot/src/passes) while V8 was
// reading the strings. They are put where the passes would have left them, by standing in for the passes while
// `initialize` runs; a test holds each to the front-end's own result (`LoadOptions::reference`).

import type {JSHeapSnapshot} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';
import type * as HeapSnapshotModel from 'frontend/front_end/models/heap_snapshot/heap_snapshot.js';

type Statistics = HeapSnapshotModel.HeapSnapshotModel.Statistics;
type NativeContextSizes = HeapSnapshotModel.HeapSnapshotModel.NativeContextSizes;
type RetainedByContextSummary = HeapSnapshotModel.HeapSnapshotModel.RetainedByContextSummary;

/** What is no table. */
export interface Sums {
  /** Strings to add: a number stands for "Detached " and that string. */
  addedStrings: Array<number|string>;
  statistics: {native: number, typedArrays: number, code: number, strings: number, arrays: number, system: number};
  nativeContexts: {owned: Array<[ordinal: number, size: number]>, shared: number, unowned: number};
  retainedByContext: RetainedByContextSummary;
}

/** In the order in which Rust sends them, see `src/devtools/heap/mod.rs`. */
export class Prepared {
  readonly firstEdge: Uint32Array;
  readonly classes: Uint32Array;
  readonly flags: Uint8Array;
  readonly distances: Int32Array;
  readonly attribution: Int32Array;
  readonly secondPass: object;

  constructor(table: () => ArrayBuffer, readonly sums: Sums) {
    this.firstEdge = new Uint32Array(table());
    this.classes = new Uint32Array(table());
    this.flags = new Uint8Array(table());
    this.distances = new Int32Array(table());
    this.attribution = new Int32Array(table());
    this.secondPass = {
      firstRetainerIndex: new Uint32Array(table()),
      retainingNodes: new Uint32Array(table()),
      retainingEdges: new Uint32Array(table()),
      dominatorsTree: new Uint32Array(table()),
      retainedSizes: new Float64Array(table()),
      firstDominatedNodeIndex: new Uint32Array(table()),
      dominatedNodes: new Uint32Array(table()),
    };
  }

  /** Runs `initialize` with these results. */
  async initialize(snapshot: JSHeapSnapshot): Promise<void> {
    const {addedStrings, statistics, nativeContexts, retainedByContext} = this.sums;
    // The methods and fields are private in TypeScript only.
    const inside = snapshot as unknown as Record<string, unknown>;
    const nothing = (): void => {};
    const passes: Record<string, () => unknown> = {
      buildEdgeIndexes: () => inside.firstEdgeIndexes = this.firstEdge,
      startInitStep1InSecondThread: () => Promise.resolve(this.secondPass),
      initDetachednessAndClassIndex: () => inside.detachednessAndClassIndexArray = this.classes,
      propagateDOMState: nothing,
      calculateFlags: () => inside.flags = this.flags,
      startInitStep2InSecondThread: nothing,
      calculateShallowSizes: nothing,
      startInitStep3InSecondThread: nothing,
      calculateDistances: () => inside.nodeDistances = this.distances,
      calculateObjectNames: () => {
        for (const added of addedStrings) {
          snapshot.strings.push(typeof added === 'string' ? added : 'Detached ' + snapshot.strings[added]);
        }
      },
      calculateNativeContextAttribution: () => inside.nodeNativeContextAttribution = this.attribution,
      calculateNativeContextSizes: nothing,
      calculateStatistics: nothing,
    };
    Object.assign(inside, passes);
    // Nobody is at the other end: the first step has the results of all.
    await snapshot.initialize(null as never);
    for (const name of Object.keys(passes)) {
      delete inside[name];
    }
    const answers: Partial<JSHeapSnapshot> = {
      getStatistics: () => statisticsOf(snapshot, statistics),
      getNativeContextSizes: () => contextSizesOf(snapshot, nativeContexts),
      getRetainedByContextSummary: () => retainedByContext,
    };
    Object.assign(snapshot, answers);
  }
}

function statisticsOf(
    snapshot: JSHeapSnapshot, {native, typedArrays, code, strings, arrays, system}: Sums['statistics']): Statistics {
  const total = snapshot.totalSize;
  const allNative = (snapshot.profile.snapshot.extra_native_bytes ?? 0) + native;
  return {
    total,
    native: {total: allNative, typedArrays},
    v8heap: {total: total - allNative, code, jsArrays: arrays, strings, system},
  };
}

function contextSizesOf(
    snapshot: JSHeapSnapshot, {owned, shared, unowned}: Sums['nativeContexts']): NativeContextSizes {
  const nativeContexts = owned.map(([ordinal, attributedSize]) => {
    const node = snapshot.createNode(ordinal * snapshot.nodeFieldCount);
    return {
      nodeId: node.id(),
      nodeIndex: node.nodeIndex,
      nodeName: node.name(),
      attributedSize,
      retainedSize: node.retainedSize(),
      selfSize: node.selfSize(),
    };
  });
  return {nativeContexts, sharedSize: shared, noAttributionSize: unowned};
}
