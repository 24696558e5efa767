// One universe of the front-end for each page that needs it: its targets, settings and models.

import * as Common from 'frontend/front_end/core/common/common.js';
import * as ProtocolClient from 'frontend/front_end/core/protocol_client/protocol_client.js';
import * as Root from 'frontend/front_end/core/root/root.js';
import {DebuggerModel, skipAllPausesSettingDescriptor} from 'frontend/front_end/core/sdk/DebuggerModel.js';
import * as SDKSettings from 'frontend/front_end/core/sdk/SDKSettings.js';
import * as SourceMapManager from 'frontend/front_end/core/sdk/SourceMapManager.js';
import {type Target, Type} from 'frontend/front_end/core/sdk/Target.js';
import {TargetManager} from 'frontend/front_end/core/sdk/TargetManager.js';
import * as Foundation from 'frontend/front_end/foundation/foundation.js';
import type {CDPConnection, CDPEvent, Event} from 'frontend/front_end/core/protocol_client/CDPConnection.js';
import type * as Protocol from 'frontend/front_end/generated/protocol.js';

import {frontendHost, setResourceLoader} from '../host/frontend_host.js';

/**
 * Commands that must not reach the page: they would undo what the tools have set up on their own session (throttling,
 * address rules) or make the browser repeat every issue of the past.
 */
const WITHHELD: Record<string, Record<string, object>> = {
  Network: {
    invoke_emulateNetworkConditionsByRule: {ruleIds: []},
    invoke_overrideNetworkState: {},
    invoke_enable: {},
    invoke_disable: {},
    invoke_setBlockedURLs: {},
  },
  Audits: {invoke_enable: {}},
};

/** Runs once, while the snapshot is made: the agents' prototypes are shared by all targets. */
export function withholdCommands(): void {
  for (const [domain, methods] of Object.entries(WITHHELD)) {
    const prototype = ProtocolClient.InspectorBackend.inspectorBackend.agentPrototypes.get(domain as never);
    if (!prototype) {
      throw new Error(`the front-end has no agent for ${domain}`);
    }
    for (const [method, answer] of Object.entries(methods)) {
      (prototype as unknown as Record<string, unknown>)[method] = async () => ({...answer, getError: () => undefined});
    }
  }
}

/** Features that Chrome turns on in its DevTools and that the modules ask for by name. */
export function enableFeatures(): void {
  Object.assign(Root.Runtime.hostConfig, {devToolsAnimationStylesInStylesTab: {enabled: true}});
}

const TYPES: Record<string, Type> = {
  iframe: Type.FRAME,
  worker: Type.Worker,
  shared_worker: Type.SHARED_WORKER,
  service_worker: Type.ServiceWorker,
};

export interface UniverseOptions {
  /** The page's session that belongs to the front-end. */
  session: string;
  sourceMaps: boolean;
}

/** The front-end's way to a page. */
export interface PageConnection extends CDPConnection {
  /** A request to Rust itself. */
  request(request: object): Promise<string>;
  close(): void;
}

/** Makes a connection that shows each event to `before` first, for targets that the front-end must know by then. */
export type Connect = (before: (event: CDPEvent<Event>) => void) => PageConnection;

/** A page as the front-end knows it. */
export class PageUniverse {
  readonly foundation: Foundation.Universe.Universe;
  readonly targets: TargetManager;
  readonly main: Target;
  readonly connection: PageConnection;
  readonly sourceMaps: boolean;
  readonly #sessions = new Map<string, Target>();

  constructor(connect: Connect, {session, sourceMaps}: UniverseOptions) {
    this.sourceMaps = sourceMaps;
    const storage = new Common.Settings.SettingsStorage({});
    this.foundation = new Foundation.Universe.Universe({
      settingsCreationOptions: {
        syncedStorage: storage,
        globalStorage: storage,
        localStorage: storage,
        settingRegistrations: Common.SettingRegistration.getRegisteredSettings(),
      },
      // Models that nothing observes stay off, except the one that knows the scripts.
      overrideAutoStartModels: new Set([DebuggerModel]),
      hostConfig: {},
      inspectorFrontendHost: frontendHost,
      supportsEmulation: false,
    });
    const settings = this.foundation.context.get(Common.Settings.Settings);
    settings.resolve(SDKSettings.jsSourceMapsEnabledSettingDescriptor).set(sourceMaps);
    settings.resolve(SDKSettings.cssSourceMapsEnabledSettingDescriptor).set(sourceMaps);
    settings.resolve(SourceMapManager.lazyLoadingSettingDescriptor).set(true);
    settings.resolve(skipAllPausesSettingDescriptor).set(true);
    this.targets = this.foundation.context.get(TargetManager);
    this.connection = connect(event => this.#attach(event));
    setResourceLoader(async url => {
      const answer = JSON.parse(await this.connection.request({load: url})) as {text?: string, error?: string};
      if (answer.text === undefined) {
        throw new Error(answer.error);
      }
      return answer.text;
    });
    this.main = this.targets.createTarget('main', '', Type.FRAME, null, session, undefined, this.connection);
    this.#sessions.set(session, this.main);
  }

  /** The target that a stack comes from; none if the front-end does not know it (yet). */
  target(id: string|null): Target|null {
    return id === null ? this.main : this.targets.targetById(id as Protocol.Target.TargetID);
  }

  /** Frames of other sites and workers are attached by Rust; here they become targets. */
  #attach(event: CDPEvent<Event>): void {
    const {method, params} = event as {method: string, params: any};
    if (method === 'Target.attachedToTarget') {
      const {sessionId, targetInfo} = params as Protocol.Target.AttachedToTargetEvent;
      const type = TYPES[targetInfo.type];
      const parent = this.#sessions.get(event.sessionId ?? '');
      if (type && parent && !this.#sessions.has(sessionId)) {
        const name = targetInfo.title || targetInfo.url;
        const target =
            this.targets.createTarget(targetInfo.targetId, name, type, parent, sessionId, undefined, undefined, targetInfo);
        this.#sessions.set(sessionId, target);
        if (type !== Type.FRAME) {
          target.setInspectedURL(targetInfo.url as never);
        }
      }
    } else if (method === 'Target.detachedFromTarget') {
      const session = (params as Protocol.Target.DetachedFromTargetEvent).sessionId;
      this.#sessions.get(session)?.dispose('target terminated');
      this.#sessions.delete(session);
    }
  }

  dispose(): void {
    this.connection.close();
    this.foundation.dispose();
  }
}

