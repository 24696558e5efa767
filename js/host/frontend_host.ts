// The front-end's embedder API. Nothing of a DevTools window exists here: every method does nothing, except the two
// that models read.

import * as Host from 'frontend/front_end/core/host/host.js';

const answers: Record<string, (...args: any[]) => unknown> = {
  platform: () => 'linux',
  isHostedMode: () => true,
  // Source maps and other resources come with the live-page bridge; files that are analysed never fetch.
  loadNetworkResource: (_url: string, _headers: string, _stream: number, callback: (result: unknown) => void) =>
      callback({statusCode: 404, netError: -6, netErrorName: 'net::ERR_FILE_NOT_FOUND'}),
};

export function installFrontendHost(): void {
  const host = new Proxy({}, {
    get: (_target, property) => typeof property === 'symbol' ? undefined : answers[property] ?? (() => {}),
    has: () => true,
  });
  Host.InspectorFrontendHost.installInspectorFrontendHost(
      host as Parameters<typeof Host.InspectorFrontendHost.installInspectorFrontendHost>[0]);
}
