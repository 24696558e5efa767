// A heap of a few objects, put through everything while the start-up snapshot is made, so that the bytecode is in it.

import {
  HeapSnapshotProgress,
  type Profile,
} from 'frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';
import * as Platform from 'frontend/front_end/core/platform/platform.js';

import {heap, take} from '../heap.js';
import type {CallContext} from '../host/service.js';

import {initialised} from './load.js';

const NODE_TYPES = [
  'hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp', 'number', 'native', 'synthetic',
  'concatenated string', 'sliced string', 'symbol', 'bigint', 'object shape',
];
const EDGE_TYPES = ['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak'];

type Edge = [type: string, name: string|number, to: number];

/** Type, name, size, detachedness, edges. */
const NODES: Array<[string, string, number, number, Edge[]]> = [
  ['synthetic', '', 0, 0, [['element', 1, 1], ['shortcut', 'window', 2], ['element', 2, 9]]],
  ['synthetic', '(GC roots)', 0, 0, [['element', 1, 3], ['weak', '2', 6]]],
  ['object', 'Window', 40, 0, [['property', 'list', 4], ['internal', 'map', 5], ['property', 'a', 10], ['property', 'b', 11]]],
  ['hidden', 'system / NativeContext', 60, 0, [['internal', 'global_object', 2], ['internal', 'map', 5]]],
  ['object', 'Array', 16, 0, [['internal', 'elements', 6], ['property', '__proto__', 12], ['internal', 'map', 5]]],
  ['object shape', 'system / Map', 40, 0, [['internal', 'map', 5], ['internal', 'native_context', 3]]],
  ['array', '(object elements)', 24, 0, [['element', 0, 7], ['element', 1, 8], ['hidden', 1, 13]]],
  ['string', 'twice', 24, 0, []],
  ['string', 'twice', 24, 0, []],
  ['native', '<div id="a">', 80, 2, [['element', 1, 14], ['internal', '1', 13]]],
  ['object', 'Object', 24, 0, [['property', 'x', 7], ['property', 'y', 8]]],
  ['object', 'Object', 24, 0, [['property', 'x', 8], ['property', 'y', 7]]],
  ['concatenated string', 'twice', 20, 0, [['internal', 'first', 7], ['internal', 'second', 8]]],
  ['closure', 'leak', 32, 0, [['internal', 'code', 15], ['internal', 'context', 16], ['property', 'p', 4]]],
  ['native', 'V8EventListener', 32, 1, [['internal', '1', 13]]],
  ['code', '(code)', 90, 0, [['internal', 'map', 5]]],
  ['object', 'system / Context', 40, 0, [['context', 'kept', 10], ['internal', 'scope_info', 15]]],
];

function profile(): Profile {
  const strings: string[] = [];
  const text = (value: string): number => {
    const at = strings.indexOf(value);
    return at >= 0 ? at : strings.push(value) - 1;
  };
  const table = (numbers: number[]): Platform.TypedArrayUtilities.BigUint32Array => {
    const result = Platform.TypedArrayUtilities.createFixedBigUint32Array(numbers.length);
    numbers.forEach((number, at) => result.setValue(at, number));
    return result;
  };
  const nodes = NODES.flatMap(([type, name, size, detached, edges], at) =>
      [NODE_TYPES.indexOf(type), text(name), 2 * at + 1, size, edges.length, detached]);
  const edges = NODES.flatMap(node => node[4]).flatMap(([type, name, to]) =>
      [EDGE_TYPES.indexOf(type), typeof name === 'number' ? name : text(name), 6 * to]);
  const header = {
    meta: {
      node_fields: ['type', 'name', 'id', 'self_size', 'edge_count', 'detachedness'],
      node_types: [NODE_TYPES],
      edge_fields: ['type', 'name_or_index', 'to_node'],
      edge_types: [[...EDGE_TYPES]],
      location_fields: ['object_index', 'script_id', 'line', 'column'],
    },
    node_count: NODES.length,
    edge_count: edges.length / 3,
    trace_function_count: 0,
  };
  return {snapshot: header, nodes: table(nodes), edges: table(edges), strings, locations: [12, 3, 4, 5]} as unknown as
      Profile;
}

export async function warmHeap(): Promise<void> {
  // Twice: some functions are only kept after more than one call.
  for (let round = 0; round < 2; round++) {
    take(await initialised(profile(), new HeapSnapshotProgress(), null));
    const none = {} as CallContext;
    const id = 21;
    for (const filterName of [undefined, 'objectsRetainedByDetachedDomNodes', 'objectsRetainedByConsole',
      'objectsRetainedByEventHandlers', 'objectsRetainedByContexts', 'sharedNativeContext', 'noNativeContext']) {
      heap.classes({filterName, pageSize: 5}, none);
    }
    heap.summary({}, none);
    heap.classNodes({id: 1, pageSize: 5}, none);
    heap.retainers({nodeId: id, pageSize: 5}, none);
    heap.edges({nodeId: id, options: {sortBy: 'retainedSize', excludePrimitives: true}}, none);
    heap.retainingPaths({nodeId: id}, none);
    heap.dominators({nodeId: id}, none);
    heap.objectDetails({nodeId: id}, none);
    heap.duplicateStrings({}, none);
    heap.query({options: {className: 'Object', propertyName: 'x', nodeType: 'object', sortBy: 'selfSize'}}, none);
    heap.contexts({}, none);
    heap.diff({base: 0, self: true}, none);
    heap.changes({base: 0}, none);
    heap.leaks({after: 5, upTo: 100, most: 3, internal: false}, none);
  }
  take(null);
}
