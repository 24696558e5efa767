// What deno_core and deno_web hand to modules inside the snapshot. Only the parts that js/host uses.

declare module 'ext:core/mod.js' {
  interface Core {
    loadExtScript(specifier: string): any;
    close(resource: number): void;
  }
  export const core: Core;
  export const primordials: Record<string, unknown>;
  export const internals: Record<string, unknown>;
}

declare module 'ext:core/ops' {
  /** Console output; levels 0 debug, 1 info, 2 warn, 3 error. */
  export function op_dtm_log(level: number, text: string): void;
  /** Milliseconds since this isolate started. */
  export function op_dtm_now(): number;
  export function op_dtm_random_fill(target: Uint8Array): void;
  /** Next JSON text of a call's bulk input; null at its end. Blocks. */
  export function op_dtm_input_next(call: number): string|null;
  export function op_dtm_progress(call: number, fraction: number, message: string): void;
  export function op_dtm_cancelled(call: number): boolean;
  export function op_dtm_resource_text(path: string): string;
  /** Starts a worker isolate: [id, port resource]. */
  export function op_dtm_worker_start(entry: string): [number, number];
  export function op_dtm_worker_terminate(id: number): void;
}
