// What deno_core and deno_web hand to modules inside the snapshot. Only the parts that js/host uses.

declare module 'ext:core/mod.js' {
  interface Core {
    loadExtScript(specifier: string): any;
    close(resource: number): void;
    ops: Ops;
  }

  /** The ops of crates/engine/src/ops.rs, bulk.rs and worker.rs. */
  interface Ops {
    /** Console output; levels 0 debug, 1 info, 2 warn, 3 error. */
    op_dtm_log(level: number, text: string): void;
    /** Milliseconds since this isolate started. */
    op_dtm_now(): number;
    op_dtm_random_fill(target: Uint8Array): void;
    /** Next piece of a call's bulk input; null at its end. Blocks. */
    op_dtm_input_next(call: number): string|ArrayBuffer|null;
    /** Hands bulk output on. Blocks while its receiver has enough. */
    op_dtm_output_text(call: number, text: string): void;
    op_dtm_output_words(call: number, words: Uint32Array): void;
    op_dtm_progress(call: number, fraction: number, message: string): void;
    op_dtm_cancelled(call: number): boolean;
    op_dtm_resource_text(path: string): string;
    /** Opens the link that a call brought; it keeps the call's number. */
    op_dtm_link_open(call: number): void;
    op_dtm_link_close(link: number): void;
    /** Sends a JSON text and resolves with the answer, also JSON. */
    op_dtm_link_request(link: number, text: string): Promise<string>;
    /** Resolves with a JSON array of events, or an empty text when the link is closed. */
    op_dtm_link_events(link: number): Promise<string>;
    /** Starts a worker isolate: [id, port resource]. */
    op_dtm_worker_start(entry: string): [number, number];
    op_dtm_worker_terminate(id: number): void;
  }
  export const core: Core;
  export const primordials: Record<string, unknown>;
  export const internals: Record<string, unknown>;
}
