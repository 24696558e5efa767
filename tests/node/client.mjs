// An MCP client that is not ours: the official TypeScript SDK. Drives the server and prints what it saw as JSON.
// Usage: node client.mjs SERVER TRACE

import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {ListRootsRequestSchema} from '@modelcontextprotocol/sdk/types.js';
import {pathToFileURL} from 'node:url';
import * as path from 'node:path';

const [server, trace] = process.argv.slice(2);
const client = new Client({name: 'sdk', version: '1'}, {capabilities: {roots: {listChanged: true}}});
let rootsAsked = 0;
client.setRequestHandler(ListRootsRequestSchema, async () => {
  rootsAsked++;
  return {roots: [{uri: pathToFileURL(path.dirname(trace)).href, name: 'traces'}]};
});
await client.connect(new StdioClientTransport({command: server, args: [], stderr: 'ignore'}));

const seen = {version: client.getServerVersion(), capabilities: client.getServerCapabilities()};
seen.tools = (await client.listTools()).tools.map(tool => tool.name);
const progress = [];
// The SDK checks the shape of each message and of each result.
const loaded = await client.callTool(
    {name: 'performance_load_trace', arguments: {filePath: trace}}, undefined, {onprogress: p => progress.push(p.progress)});
seen.loaded = loaded.content[0].text.split('\n').slice(0, 3);
seen.progress = progress.length;
const insight = await client.callTool({
  name: 'performance_analyze_insight',
  arguments: {insightSetId: 'NAVIGATION_0', insightName: 'LCPBreakdown'},
});
seen.insight = insight.content[0].text.split('\n')[0];
seen.invalid = (await client.callTool({name: 'performance_load_trace', arguments: {}})).isError;
const abort = new AbortController();
const aborted = client.callTool({name: 'performance_load_trace', arguments: {filePath: trace}}, undefined, {signal: abort.signal});
abort.abort('enough');
seen.aborted = await aborted.then(() => false, () => true);
seen.pinged = await client.ping();
seen.rootsAsked = rootsAsked;
await client.close();
console.log(JSON.stringify(seen));
