// Issues: which of them are shown, how they are grouped and what is said about them, all by the front-end's rules.

import * as Common from 'frontend/front_end/core/common/common.js';
import type * as Protocol from 'frontend/front_end/generated/protocol.js';
import type {Issue} from 'frontend/front_end/models/issues_manager/Issue.js';
import {
  type AggregatedIssue,
  Events as AggregatorEvents,
  IssueAggregator,
} from 'frontend/front_end/models/issues_manager/IssueAggregator.js';
import {
  createIssuesFromProtocolIssue,
  Events as ManagerEvents,
  type EventTypes,
  isIssueCodeSupported,
} from 'frontend/front_end/models/issues_manager/IssuesManager.js';
import * as Markdown from 'frontend/front_end/models/issues_manager/MarkdownIssueDescription.js';

import {op_dtm_resource_text} from './host/ops.js';

/** Takes the issues manager's place: without targets it has nothing to say of its own. */
class Feed extends Common.ObjectWrapper.ObjectWrapper<EventTypes> {
  issues(): Iterable<Issue> {
    return [];
  }
}

interface Group {
  /** Index of the issue that began it. */
  first: number;
  count: number;
  title: string|null;
  /** Markdown without placeholders, with its heading. */
  description: string|null;
  links: Array<{link: string, linkTitle: string}>;
  /** The members' details, as the browser gave them. */
  details: unknown[];
}

export const issues = {
  /** Groups the issues of one document, given in the order in which they came. */
  group({issues}: {issues: Protocol.Audits.InspectorIssue[]}): Group[] {
    const feed = new Feed();
    const aggregator = new IssueAggregator(feed as unknown as ConstructorParameters<typeof IssueAggregator>[0]);
    const groups = new Map<AggregatedIssue, number>();
    const seen = new Set<string>();
    let index = 0;
    aggregator.addEventListener(AggregatorEvents.AGGREGATED_ISSUE_UPDATED, ({data}) => {
      if (!groups.has(data)) {
        groups.set(data, index);
      }
    });
    for (index = 0; index < issues.length; index++) {
      const issue = read(issues[index]);
      if (!issue || seen.has(issue.primaryKey())) {
        continue;
      }
      seen.add(issue.primaryKey());
      feed.dispatchEventToListeners(ManagerEvents.ISSUE_ADDED, {issue, issuesModel: null as never});
    }
    return [...groups].map(([issue, first]) => describe(issue, first));
  },
};

function read(issue: Protocol.Audits.InspectorIssue): Issue|undefined {
  try {
    return isIssueCodeSupported(issue.code) ? createIssuesFromProtocolIssue(null, issue)[0] : undefined;
  } catch (error) {
    // A newer browser may send what this front-end does not know.
    console.debug(`an issue ${issue.code} was not understood`, error);
    return undefined;
  }
}

function describe(issue: AggregatedIssue, first: number): Group {
  const members = issue.getAllIssues();
  const group: Group = {
    first,
    count: issue.getAggregatedIssuesCount(),
    title: null,
    description: null,
    links: [],
    details: members.map(member => member.details()).filter(details => details !== null && details !== undefined),
  };
  const lazy = issue.getDescription();
  if (!lazy) {
    return group;
  }
  group.links = lazy.links.map(({link, linkTitle}) => ({
                                 link,
                                 linkTitle: typeof linkTitle === 'function' ? (linkTitle as () => string)() : linkTitle,
                               }));
  try {
    const substitutions = lazy.substitutions;
    const raw = op_dtm_resource_text(`descriptions/${lazy.file}`)
                    .replace(/\{(PLACEHOLDER_[a-zA-Z][a-zA-Z0-9]*)\}/g, (_, name) => substitutions?.get(name) ?? '');
    group.title = Markdown.createIssueDescriptionFromRawMarkdown(
        raw, {file: lazy.file, links: lazy.links, substitutions: undefined}).title;
    group.description = raw;
  } catch (error) {
    console.debug(`no description ${lazy.file}`, error);
  }
  return group;
}
