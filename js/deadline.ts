// A time limit that several waits share.

export class Deadline {
  readonly #end: number;

  constructor(milliseconds: number) {
    this.#end = performance.now() + milliseconds;
  }

  /** The value, or undefined when the time is over or it failed. */
  async wait<T>(value: Promise<T>, atMost = Infinity): Promise<T|undefined> {
    let timer: number|undefined;
    const left = Math.max(0, Math.min(this.#end - performance.now(), atMost));
    const over = new Promise<undefined>(resolve => {
      timer = setTimeout(resolve, left) as unknown as number;
    });
    try {
      return await Promise.race([value.catch(() => undefined), over]);
    } finally {
      clearTimeout(timer);
    }
  }
}
