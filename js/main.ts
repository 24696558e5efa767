// The bundle of all isolates: traces, heap snapshots, later universes of live pages, and the front-end's workers.
// The order matters: globals before any front-end module, Intl stand-ins before any module that makes Intl objects.

import './host/globals.js';
import './host/intl.js';
import './host/boot.js';

import {expose, register} from './host/service.js';
import {enableFeatures, withholdCommands} from './bridge/universe.js';
import {diagnostics} from './diagnostics.js';
import {heap} from './heap.js';
import {warmHeap} from './heap/warm.js';
import {issues} from './issues.js';
import {live} from './live.js';
import {warmLive} from './live/warm.js';
import {network} from './network.js';
import {trace, warmTrace} from './trace.js';
import {connectWorker} from './workers.js';

register('trace', trace);
register('diagnostics', diagnostics);
register('heap', heap);
register('issues', issues);
register('live', live);
register('network', network);

enableFeatures();
withholdCommands();

async function warmUp(text: string): Promise<void> {
  await warmTrace(text);
  await warmHeap();
  await warmLive();
}

expose({warmUp, connectWorker});
