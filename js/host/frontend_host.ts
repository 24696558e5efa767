// The front-end's embedder API. Nothing of a DevTools window exists here: every method does nothing, except the two
// that models read.

import * as Common from 'frontend/front_end/core/common/common.js';
import * as Host from 'frontend/front_end/core/host/host.js';

/** Loads a text for the front-end, or explains why not. */
export type ResourceLoader = (url: string) => Promise<string>;

// Files that are analysed never fetch; live pages put their own loader here.
let loadResource: ResourceLoader = async () => {
  throw new Error('nothing is loaded without a page');
};

/** The rules for loading are the process's, not a page's: whichever page came last can do it. */
export function setResourceLoader(loader: ResourceLoader): void {
  loadResource = loader;
}

const answers: Record<string, (...args: any[]) => unknown> = {
  platform: () => 'linux',
  isHostedMode: () => true,
  isolatedFileSystem: () => null,
  zoomFactor: () => 1,
  initialTargetId: async () => null,
  loadNetworkResource: (url: string, _headers: string, stream: number, callback: (result: unknown) => void) => {
    void loadResource(url).then(
        text => {
          Host.ResourceLoader.streamWrite(stream, text);
          callback({statusCode: 200});
        },
        () => callback({statusCode: 404, netError: -6, netErrorName: 'net::ERR_FILE_NOT_FOUND', urlValid: URL.canParse(url)}));
  },
};

type FrontendHost = Parameters<typeof Host.InspectorFrontendHost.installInspectorFrontendHost>[0];

/** The one property that is not a method: models listen to the window's events, of which there are none. */
const events = new Common.ObjectWrapper.ObjectWrapper();

export const frontendHost = new Proxy({}, {
  get: (_target, property) => {
    if (typeof property === 'symbol') {
      return undefined;
    }
    return property === 'events' ? events : answers[property] ?? (() => {});
  },
  has: () => true,
}) as FrontendHost;

export function installFrontendHost(): void {
  Host.InspectorFrontendHost.installInspectorFrontendHost(frontendHost);
}
