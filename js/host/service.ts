// The table of methods Rust can call, and the object through which it does.

import {op_dtm_cancelled, op_dtm_input_next, op_dtm_output_text, op_dtm_output_words, op_dtm_progress} from './ops.js';

import {restoreIntl} from './intl.js';

/** The call a method is answering. */
export class CallContext {
  constructor(readonly id: number) {}

  /** The call's bulk input, piece by piece as parsed JSON. Each piece is dropped as soon as the next is asked for. */
  *input(): Generator<unknown, void> {
    for (const piece of this.pieces()) {
      yield parsePiece(piece as string);
    }
  }

  /** The same unparsed: texts, and tables of numbers as buffers. */
  *pieces(): Generator<string|ArrayBuffer, void> {
    for (let piece = op_dtm_input_next(this.id); piece !== null; piece = op_dtm_input_next(this.id)) {
      yield piece;
    }
  }

  /** Hands a text on; waits while the receiver has enough. */
  outputText(text: string): void {
    op_dtm_output_text(this.id, text);
  }

  /** Hands numbers on. */
  outputWords(words: Uint32Array): void {
    op_dtm_output_words(this.id, words);
  }

  /** `fraction` is 0 to 1. */
  progress(fraction: number, message: string): void {
    op_dtm_progress(this.id, fraction, message);
  }

  throwIfCancelled(): void {
    if (op_dtm_cancelled(this.id)) {
      throw new Error('cancelled');
    }
  }
}

function parsePiece(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Told apart from errors of the analysis by this name.
    const wrapped = new Error((error as Error).message);
    wrapped.name = 'InputSyntaxError';
    throw wrapped;
  }
}

type Method = (params: any, call: CallContext) => unknown;

const methods = new Map<string, Method>();

/** Registers `service.method` for every function of `service`. */
export function register(name: string, service: Record<string, Method>): void {
  for (const [method, implementation] of Object.entries(service)) {
    methods.set(`${name}.${method}`, implementation);
  }
}

function dispatch(id: number, name: string, params: unknown): unknown {
  const method = methods.get(name);
  if (!method) {
    throw new TypeError(`the engine has no method ${name}`);
  }
  return method(params, new CallContext(id));
}

/** Leaves the entry points where crates/engine/src/snapshot.rs looks for them. */
export function expose(extra: Record<string, unknown>): void {
  const entry = {dispatch, warmUp: async (_text: string) => {}, seal: restoreIntl, ...extra};
  Object.defineProperty(globalThis, '__devtoolsMcp', {value: entry, configurable: false, enumerable: false});
}
