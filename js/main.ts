// The bundle of all isolates: traces, later universes of live pages, and the front-end's workers.
// The order matters: globals before any front-end module, Intl stand-ins before any module that makes Intl objects.

import './host/globals.js';
import './host/intl.js';
import './host/boot.js';

import {expose, register} from './host/service.js';
import {enableFeatures, withholdCommands} from './bridge/universe.js';
import {diagnostics} from './diagnostics.js';
import {issues} from './issues.js';
import {live} from './live.js';
import {trace, warmTrace} from './trace.js';
import {connectWorker} from './workers.js';

register('trace', trace);
register('diagnostics', diagnostics);
register('issues', issues);
register('live', live);

enableFeatures();
withholdCommands();

expose({warmUp: warmTrace, connectWorker});
