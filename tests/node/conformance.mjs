// Runs scenarios of the official MCP conformance suite against our server and prints the suite's own checks as JSON.
// Usage: node conformance.mjs list
//        node conformance.mjs run PLAN
// PLAN is JSON: {server, arguments, scenarios, tools}. `tools` gives for names of the suite's example tools what is called
// instead: {name, arguments}.

import {startBridge} from './bridge.mjs';
import {execFile} from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const suite = path.join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** The suite's output; whether it was content is in the checks it writes. */
function runSuite(args, cwd) {
  return new Promise(done => execFile(process.execPath, [suite, ...args], {cwd}, (error, out, err) => done(out + err)));
}

async function list() {
  const text = await runSuite(['list', '--server'], here);
  return [...text.matchAll(/^\s+- (\S+)/gm)].map(match => match[1]);
}

async function run(plan, scenario, results) {
  const folder = path.join(results, scenario);
  fs.mkdirSync(folder);
  const rename = message => {
    const instead = message.method === 'tools/call' ? plan.tools[message.params.name] : undefined;
    return instead ? {...message, params: {...message.params, ...instead}} : message;
  };
  const bridge = await startBridge(plan.server, plan.arguments, rename);
  const output = await runSuite(['server', '--url', bridge.url, '--scenario', scenario, '--output-dir', folder], folder);
  await bridge.close();
  const written = fs.readdirSync(folder, {recursive: true}).find(name => path.basename(name) === 'checks.json');
  const checks = written ? JSON.parse(fs.readFileSync(path.join(folder, written), 'utf8')) : [];
  return {scenario, checks: checks.map(({id, status, errorMessage}) => ({id, status, errorMessage})), output};
}

const [command, argument] = process.argv.slice(2);
if (command === 'list') {
  console.log(JSON.stringify(await list()));
} else {
  const plan = JSON.parse(argument);
  const results = fs.mkdtempSync(path.join(os.tmpdir(), 'devtools-mcp-conformance-'));
  try {
    const waiting = [...plan.scenarios];
    const seen = [];
    const work = async () => {
      while (waiting.length) seen.push(await run(plan, waiting.shift(), results));
    };
    await Promise.all([work(), work()]);
    console.log(JSON.stringify(seen));
  } finally {
    fs.rmSync(results, {recursive: true, force: true});
  }
}
