// Web globals of our isolates. Most come from deno_web; the rest is small and ours.
//
// What the front-end could touch but must not is defined as an object whose every use throws a named error, so that an
// unexpected dependency on a browser is found at once and not as `undefined is not a function`. Names that the
// front-end tests with `typeof` (window, document, process, chrome) stay undefined on purpose.

import {core} from 'ext:core/mod.js';
import {op_dtm_now, op_dtm_random_fill} from './ops.js';

import {engineConsole} from './console.js';

type Dict = Record<string, any>;

const web = (file: string): Dict => core.loadExtScript(`ext:deno_web/${file}`) as Dict;

/** Names of everything this module defines. */
export const HOST_GLOBALS: string[] = [];

function define(properties: Dict): void {
  for (const [name, value] of Object.entries(properties)) {
    HOST_GLOBALS.push(name);
    Object.defineProperty(globalThis, name, {value, configurable: true, enumerable: false, writable: true});
  }
}

/** An object that throws `NotInThisHost: <name>.<property>` on any use. */
function absent(name: string): unknown {
  const fail = (what: string): never => {
    const error = new Error(`${what} is not available in the devtools-mcp engine`);
    error.name = 'NotInThisHost';
    throw error;
  };
  return new Proxy(function() {}, {
    get: (_target, property) => typeof property === 'symbol' ? undefined : fail(`${name}.${property}`),
    apply: () => fail(`${name}()`),
    construct: () => fail(`new ${name}()`),
  });
}

class Performance {
  timeOrigin = 0;
  now(): number {
    return op_dtm_now();
  }
  mark(): void {}
  measure(): void {}
  clearMarks(): void {}
  clearMeasures(): void {}
  getEntriesByName(): unknown[] {
    return [];
  }
  getEntriesByType(): unknown[] {
    return [];
  }
}

/** Geometry without native objects, which could not go into a snapshot. https://drafts.fxtf.org/geometry/#domrect */
class Rect {
  constructor(public x = 0, public y = 0, public width = 0, public height = 0) {}
  static fromRect(other: Partial<Rect> = {}): Rect {
    return new Rect(other.x, other.y, other.width, other.height);
  }
  get left(): number {
    return Math.min(this.x, this.x + this.width);
  }
  get right(): number {
    return Math.max(this.x, this.x + this.width);
  }
  get top(): number {
    return Math.min(this.y, this.y + this.height);
  }
  get bottom(): number {
    return Math.max(this.y, this.y + this.height);
  }
  toJSON(): Dict {
    const {x, y, width, height, left, right, top, bottom} = this;
    return {x, y, width, height, top, right, bottom, left};
  }
}

const crypto = {
  getRandomValues<T extends ArrayBufferView>(array: T): T {
    op_dtm_random_fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return array;
  },
  /** RFC 9562, version 4. */
  randomUUID(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  },
};

/** `fetch` of `data:` URLs (RFC 2397), which is all the front-end may load by itself: inline source maps. */
async function fetchDataUrl(url: string): Promise<unknown> {
  const match = /^data:[^,]*?(;base64)?,/i.exec(url);
  if (!match) {
    const error = new Error(`fetch(${url.slice(0, 100)}) is not available in the devtools-mcp engine`);
    error.name = 'NotInThisHost';
    throw error;
  }
  const body = url.slice(match[0].length);
  const binary = match[1] ? base64.atob(decodeURIComponent(body)) : unescape(body);
  // Percent signs stand for bytes; other characters may be any.
  const bytes = /[^\0-\xff]/.test(binary) ? new encoding.TextEncoder().encode(binary) :
                                            Uint8Array.from(binary, (c: string) => c.charCodeAt(0));
  return {
    ok: true,
    status: 200,
    text: async () => new encoding.TextDecoder().decode(bytes),
    arrayBuffer: async () => bytes.buffer,
  };
}

const url = web('00_url.js');
const exception = web('01_dom_exception.js');
const events = web('02_event.js');
const timers = web('02_timers.js');
const abort = web('03_abort_signal.js');
const base64 = web('05_base64.js');
// The structured clone below loads the stream classes when ports are transferred: have them in the snapshot.
web('06_streams.js');
const encoding = web('08_text_encoding.js');
const ports = web('13_message_port.js');

export const messagePorts = ports as {
  MessageChannel: typeof MessageChannel,
  MessagePort: typeof MessagePort,
  setMessagePortId(port: MessagePort, id: number): void,
  getMessagePortId(port: MessagePort): number,
  structuredClone(value: unknown, options?: {transfer?: unknown[]}): unknown,
};

// deno_web reports uncaught errors of listeners and timers through this hook; the isolate logs them.
globalThis.console = engineConsole as unknown as Console;

define({
  console: engineConsole,
  self: globalThis,
  URL: url.URL,
  URLSearchParams: url.URLSearchParams,
  DOMException: exception.DOMException,
  Event: events.Event,
  EventTarget: events.EventTarget,
  CustomEvent: events.CustomEvent,
  MessageEvent: events.MessageEvent,
  ErrorEvent: events.ErrorEvent,
  setTimeout: timers.setTimeout,
  clearTimeout: timers.clearTimeout,
  setInterval: timers.setInterval,
  clearInterval: timers.clearInterval,
  AbortController: abort.AbortController,
  AbortSignal: abort.AbortSignal,
  atob: base64.atob,
  btoa: base64.btoa,
  TextEncoder: encoding.TextEncoder,
  TextDecoder: encoding.TextDecoder,
  MessageChannel: ports.MessageChannel,
  MessagePort: ports.MessagePort,
  structuredClone: ports.structuredClone,
  performance: new Performance(),
  crypto,
  navigator: {hardwareConcurrency: 2, language: 'en-US', languages: ['en-US'], onLine: true, platform: '', userAgent: 'devtools-mcp'},
  DOMRect: Rect,
  DOMRectReadOnly: Rect,
  requestAnimationFrame: absent('requestAnimationFrame'),
  cancelAnimationFrame: absent('cancelAnimationFrame'),
  fetch: fetchDataUrl,
  Worker: absent('Worker'),
  XMLHttpRequest: absent('XMLHttpRequest'),
  WebSocket: absent('WebSocket'),
  indexedDB: absent('indexedDB'),
});
