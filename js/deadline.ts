// A time limit that several waits share.

/** How often it is looked for what nothing announces. */
const POLL_MS = 20;

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

  /** What is there as soon as it is there, or undefined when the time is over. */
  async until<T>(look: () => T|null|undefined, atMost: number): Promise<T|undefined> {
    const end = Math.min(this.#end, performance.now() + atMost);
    for (;;) {
      const found = look();
      if (found || performance.now() >= end) {
        return found ?? undefined;
      }
      await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
  }
}
