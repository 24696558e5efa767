// Lets suites that speak streamable HTTP reach our server, which speaks stdio: each HTTP session gets a server of its own, and
// every message is handed on as it is. Only for tests; it listens on 127.0.0.1.

import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPServerTransport} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {isInitializeRequest} from '@modelcontextprotocol/sdk/types.js';
import {randomUUID} from 'node:crypto';
import * as http from 'node:http';

/**
 * Starts the bridge; answers its address and how to end it with all servers that it started. `rename` may change a message
 * of the client on its way.
 */
export async function startBridge(command, args, rename = message => message) {
  const sessions = new Map();

  async function open() {
    const outside = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: id => sessions.set(id, {outside, inside}),
    });
    const inside = new StdioClientTransport({command, args, stderr: 'ignore'});
    // A response goes to the HTTP request that it answers, and so does the progress of that request; everything else goes to
    // the session's own stream.
    const requests = new Map();
    inside.onmessage = message => {
      const request = message.method ? requests.get(message.params?.progressToken) : undefined;
      void outside.send(message, request === undefined ? {} : {relatedRequestId: request}).catch(() => {});
    };
    outside.onmessage = message => {
      const token = message.params?._meta?.progressToken;
      if (token !== undefined) requests.set(token, message.id);
      void inside.send(rename(message));
    };
    outside.onclose = () => {
      sessions.delete(outside.sessionId);
      void inside.close();
    };
    inside.onclose = () => void outside.close();
    await inside.start();
    await outside.start();
    return {outside, inside};
  }

  const server = http.createServer(async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const body = text ? JSON.parse(text) : undefined;
    let session = sessions.get(request.headers['mcp-session-id']);
    if (!session) {
      if (!isInitializeRequest(body)) {
        response.writeHead(404).end();
        return;
      }
      session = await open();
    }
    await session.outside.handleRequest(request, response, body);
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close: async () => {
      await Promise.all([...sessions.values()].map(({inside}) => inside.close()));
      server.closeAllConnections();
      server.close();
    },
  };
}
