// What a rule is nested in: at-rules and, with nesting, other rules.

import type {CSSContainerQuery} from 'frontend/front_end/core/sdk/CSSContainerQuery.js';
import type {CSSStyleRule} from 'frontend/front_end/core/sdk/CSSRule.js';
import type {DOMNode} from 'frontend/front_end/core/sdk/DOMModel.js';
import * as Protocol from 'frontend/front_end/generated/protocol.js';

import type {Ancestor, NodeRef} from './blocks.js';

export function reference(node: DOMNode): NodeRef {
  return {backend: node.backendNodeId(), selector: node.simpleSelector()};
}

export async function container(query: CSSContainerQuery, node: DOMNode|null): Promise<Ancestor> {
  const found: Ancestor = {type: 'container', query: query.text};
  if (query.name) {
    found.name = query.name;
  }
  try {
    const holder = node ? await query.getContainerForNode(node.id) : undefined;
    if (holder) {
      found.container = reference(holder.containerNode);
    }
  } catch {
    // It may have gone meanwhile; the query is told all the same.
  }
  return found;
}

/** Outermost first. The browser lists the kinds from the inside out, and each kind from the inside out. */
export async function ancestors(rule: CSSStyleRule, node: DOMNode|null): Promise<Ancestor[]> {
  const at = {media: 0, container: 0, supports: 0, scope: 0, navigation: 0, nesting: 0};
  // Except layers: Chromium lists these from the outside in, whatever the protocol's description says.
  const layers = [...rule.layers];
  const list: Array<Ancestor|Promise<Ancestor>|undefined> = rule.ruleTypes.map(type => {
    switch (type) {
      case Protocol.CSS.CSSRuleType.LayerRule:
        return named('layer', layers.pop()?.text);
      case Protocol.CSS.CSSRuleType.MediaRule:
        return query('media', rule.media[at.media++]);
      case Protocol.CSS.CSSRuleType.SupportsRule:
        return query('supports', rule.supports[at.supports++]);
      case Protocol.CSS.CSSRuleType.NavigationRule:
        return query('navigation', rule.navigations[at.navigation++]);
      case Protocol.CSS.CSSRuleType.ContainerRule: {
        const query = rule.containerQueries[at.container++];
        return query && container(query, node);
      }
      case Protocol.CSS.CSSRuleType.ScopeRule: {
        const scope = rule.scopes[at.scope++]?.text;
        return scope ? {type: 'scope', query: scope} : {type: 'scope'};
      }
      case Protocol.CSS.CSSRuleType.StartingStyleRule:
        return {type: 'starting-style'};
      case Protocol.CSS.CSSRuleType.StyleRule: {
        const selector = rule.nestingSelectors?.[at.nesting++];
        return selector === undefined ? undefined : {type: 'nesting', selector};
      }
      default:
        return undefined;
    }
  });
  return (await Promise.all(list)).filter(ancestor => ancestor !== undefined).reverse();
}

function named(type: 'layer', name: string|undefined): Ancestor {
  return name ? {type, name} : {type};
}

export function query(type: 'media'|'supports'|'navigation', query: {text: string}|undefined): Ancestor|undefined {
  return query && {type, query: query.text};
}
