// Field data of the Chrome UX Report. What to ask for a page, where, and what an answer means is decided by the
// front-end's manager; the asking itself is done by Rust, so its `fetch` only writes down the questions.

import * as CrUXManager from 'frontend/front_end/models/crux-manager/crux-manager.js';

type PageResult = CrUXManager.PageResult;
type ManagerArguments = ConstructorParameters<typeof CrUXManager.CrUXManager>;

/** A request to make: POST `body` to `endpoint`. */
export interface Question {
  endpoint: string;
  body: string;
}

/** Null if there was none. */
export type Answer = {status: number, body: string}|null;

interface Asked extends Question {
  settle(answer: Answer): void;
  answered: Promise<{ok: boolean, status: number, json(): Promise<unknown>}>;
}

let asked: Asked[] = [];
let results: Array<Promise<PageResult>> = [];

function ask(endpoint: string, body: string): Asked {
  // Pages of one origin share what is asked about it.
  const same = asked.find(other => other.endpoint === endpoint && other.body === body);
  if (same) {
    return same;
  }
  const {promise, resolve, reject} = Promise.withResolvers<Awaited<Asked['answered']>>();
  const settle = (answer: Answer): void => {
    if (answer) {
      const {status, body} = answer;
      resolve({ok: status >= 200 && status < 300, status, json: async () => JSON.parse(body)});
    } else {
      reject(new Error('the service did not answer'));
    }
  };
  const question = {endpoint, body, settle, answered: promise};
  asked.push(question);
  return question;
}

/** What is to be asked about these pages. */
export function fieldDataQuestions({urls}: {urls: string[]}): Question[] {
  asked = [];
  // The manager also follows the page that DevTools inspects, which a trace has not.
  const targets = {addModelListener: () => {}};
  const setting = {addChangeListener: () => {}, get: () => ({enabled: true})};
  const settings = {createSetting: () => setting};
  const manager = new CrUXManager.CrUXManager(
      targets as unknown as ManagerArguments[0], settings as unknown as ManagerArguments[1]);
  const before = globalThis.fetch;
  globalThis.fetch = ((endpoint: string, options: {body: string}) => ask(endpoint, options.body).answered) as
      unknown as typeof fetch;
  try {
    // It asks everything at once, before it waits for the first answer.
    results = urls.map(url => manager.getFieldDataForPage(url));
  } finally {
    globalThis.fetch = before;
  }
  return asked.map(({endpoint, body}) => ({endpoint, body}));
}

/** The pages' field data, from the answers in the order of the questions. */
export async function fieldData(answers: Answer[]): Promise<PageResult[]> {
  asked.forEach((question, at) => question.settle(answers[at] ?? null));
  const pages = await Promise.all(results);
  asked = [];
  results = [];
  return pages;
}
