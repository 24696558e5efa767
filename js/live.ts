// Live pages: the service through which Rust opens a universe for a page and asks its models.

import {LinkConnection} from './bridge/connection.js';
import {PageUniverse, type UniverseOptions} from './bridge/universe.js';
import {type StyleParams, styles} from './css.js';
import type {CallContext} from './host/service.js';
import {type StackParams, translate} from './stacks.js';

const universes = new Map<number, PageUniverse>();

function find(universe: number): PageUniverse {
  const found = universes.get(universe);
  if (!found) {
    throw new Error('the page has no universe');
  }
  return found;
}

export const live = {
  /** Opens a universe over the link that comes with the call; its number is the call's. */
  open(options: UniverseOptions, call: CallContext): number {
    universes.set(call.id, new PageUniverse(before => new LinkConnection(call.id, before), options));
    return call.id;
  },

  close({universe}: {universe: number}): void {
    universes.get(universe)?.dispose();
    universes.delete(universe);
  },

  stacks({universe, ...params}: {universe: number}&StackParams) {
    return translate(find(universe), params);
  },

  styles({universe, ...params}: {universe: number}&StyleParams) {
    return styles(find(universe), params);
  },

  /** Whether the isolate still takes its turns. */
  ping(): boolean {
    return true;
  },
};
