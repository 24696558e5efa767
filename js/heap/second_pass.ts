// The other end of the front-end's "second worker": it takes the same three messages and answers with the same tables
// (retainers, dominators, retained sizes), computed by native code on a thread of its own while this one goes on with
// names and distances. `inJavaScript` is the front-end's own implementation, for comparison and for the start-up snapshot.

import type * as Api from 'frontend/front_end/core/platform/api/api.js';
import {SecondaryInitManager} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';

import {native} from '../host/native.js';

type Port = Api.HostRuntime.WorkerMessagePort;
type Listener = (event: {data: unknown}) => void;

/** What the front-end sends in its three messages. */
interface Arguments {
  edgeToNodeOrdinals: Uint32Array;
  firstEdgeIndexes: Uint32Array;
  nodeCount: number;
  edgeFieldsCount: number;
  nodeFieldCount: number;
  rootNodeOrdinal: number;
  essentialEdgesBuffer: ArrayBuffer;
  nodeSelfSizes: Uint32Array;
}

/** The part of a MessagePort that both sides use. */
class LocalPort {
  #listeners: Listener[] = [];

  constructor(readonly onPost: (message: any) => void) {}

  addEventListener(_type: string, listener: Listener): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners = this.#listeners.filter(other => other !== listener);
  }

  start(): void {}

  postMessage(message: unknown): void {
    this.onPost(message);
  }

  deliver(data: unknown): void {
    for (const listener of this.#listeners) {
      listener({data});
    }
  }
}

async function run(args: Arguments): Promise<unknown> {
  const tables = [
    args.edgeToNodeOrdinals,
    args.firstEdgeIndexes,
    new Uint8Array(args.essentialEdgesBuffer),
    args.nodeSelfSizes,
  ];
  const numbers = [args.edgeFieldsCount, args.nodeFieldCount, args.rootNodeOrdinal];
  const [first, nodes, edges, dominators, sizes, firstDominated, dominated] =
      await native('heap.graph', numbers, tables);
  return {
    firstRetainerIndex: new Uint32Array(first),
    retainingNodes: new Uint32Array(nodes),
    retainingEdges: new Uint32Array(edges),
    dominatorsTree: new Uint32Array(dominators),
    retainedSizes: new Float64Array(sizes),
    firstDominatedNodeIndex: new Uint32Array(firstDominated),
    dominatedNodes: new Uint32Array(dominated),
  };
}

/** For `JSHeapSnapshot.initialize`. */
export function natively(): Port {
  const collected: Partial<Arguments> = {};
  const port = new LocalPort(({step, args}: {step: number, args: Partial<Arguments>}) => {
    Object.assign(collected, args);
    if (step === 3) {
      run(collected as Arguments)
          .then(
              resultsFromSecondWorker => port.deliver({resultsFromSecondWorker}),
              error => port.deliver({error: String(error)}));
    }
  });
  return port as unknown as Port;
}

/** The same with the front-end's own code, in this isolate, when the first pass is done. */
export function inJavaScript(): Port {
  const far: LocalPort = new LocalPort(message => near.deliver(message));
  const near: LocalPort = new LocalPort(message => void Promise.resolve().then(() => far.deliver(message)));
  new SecondaryInitManager(far as unknown as Port);
  return near as unknown as Port;
}
