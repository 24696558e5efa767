// The front-end's connection to a page, over a link to Rust. Rust owns the sessions and forwards the events of those
// that belong to this page; here they only find their way to the front-end's router.

import type {
  CDPConnectionObserver,
  CDPError,
  CDPEvent,
  Command,
  CommandParams,
  CommandResult,
  Event,
} from 'frontend/front_end/core/protocol_client/CDPConnection.js';

import {op_dtm_link_close, op_dtm_link_events, op_dtm_link_open, op_dtm_link_request} from '../host/ops.js';

import type {PageConnection} from './universe.js';

type Answer<T extends Command> = {result: CommandResult<T>}|{error: CDPError};

/** What the front-end's ErrorStatus calls a failure of the transport. */
const SERVER_ERROR = -32000;

export class LinkConnection implements PageConnection {
  readonly #link: number;
  readonly #observers = new Set<CDPConnectionObserver>();
  readonly #before: (event: CDPEvent<Event>) => void;
  /** Who waits for answers; they come among the events, since those announce what they speak of. */
  readonly #waiting = new Map<number, (answer: string) => void>();
  #sent = 0;

  constructor(link: number, before: (event: CDPEvent<Event>) => void) {
    this.#link = link;
    this.#before = before;
    op_dtm_link_open(link);
    void this.#pump();
  }

  async send<T extends Command>(method: T, params: CommandParams<T>, sessionId: string|undefined): Promise<Answer<T>> {
    if (sessionId === undefined) {
      throw new Error(`${method} was sent without a session`);
    }
    try {
      const number = ++this.#sent;
      const answer = new Promise<string>(resolve => this.#waiting.set(number, resolve));
      const direct = await this.request({method, params: params ?? {}, sessionId, number});
      // Refused, or the session has ended.
      if (direct) {
        this.#waiting.delete(number);
      }
      return JSON.parse(direct || await answer) as Answer<T>;
    } catch (error) {
      return {error: {code: SERVER_ERROR, message: (error as Error).message}};
    }
  }

  request(request: object): Promise<string> {
    return op_dtm_link_request(this.#link, JSON.stringify(request));
  }

  observe(observer: CDPConnectionObserver): void {
    this.#observers.add(observer);
  }

  unobserve(observer: CDPConnectionObserver): void {
    this.#observers.delete(observer);
  }

  close(): void {
    this.#observers.clear();
    this.#giveUp();
    op_dtm_link_close(this.#link);
  }

  #isAnswer(event: {method: string, params?: unknown}): boolean {
    if (event.method !== 'devtools-mcp.answer') {
      return false;
    }
    const {number, answer} = event.params as {number: number, answer: string};
    this.#waiting.get(number)?.(answer);
    this.#waiting.delete(number);
    return true;
  }

  #giveUp(): void {
    const gone = JSON.stringify({error: {code: SERVER_ERROR, message: 'the page is gone'}});
    this.#waiting.forEach(resolve => resolve(gone));
    this.#waiting.clear();
  }

  async #pump(): Promise<void> {
    for (let batch = await op_dtm_link_events(this.#link); batch; batch = await op_dtm_link_events(this.#link)) {
      for (const event of JSON.parse(batch) as Array<CDPEvent<Event>>) {
        if (this.#isAnswer(event)) {
          continue;
        }
        try {
          this.#before(event);
          for (const observer of [...this.#observers]) {
            observer.onEvent(event);
          }
        } catch (error) {
          // One event that a model cannot digest must not end the rest.
          console.warn(`${event.method} was not understood`, error);
        }
      }
    }
    this.#giveUp();
    for (const observer of [...this.#observers]) {
      observer.onDisconnect('the page is gone');
    }
  }
}
