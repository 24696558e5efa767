// What must have happened before any model or formatter of the front-end is used. Runs once, while the snapshot is made.

import * as Common from 'frontend/front_end/core/common/common.js';
import * as I18n from 'frontend/front_end/core/i18n/i18n.js';
import * as ProtocolClient from 'frontend/front_end/core/protocol_client/protocol_client.js';
import * as Root from 'frontend/front_end/core/root/root.js';

import {freshFormatterPool} from './formatter_pool.js';
import {installFrontendHost} from './frontend_host.js';

installFrontendHost();
ProtocolClient.InspectorBackend.test.suppressRequestErrors = true;

// Models ask whether an experiment is on, and fail for names that nobody has registered. The DevTools window registers
// them when it starts; here all of them are off.
for (const name of Object.values(Root.ExperimentNames.ExperimentName)) {
  Root.Runtime.experiments.register({name, title: name, aboutFlag: '', isEnabled: false, requiresChromeRestart: false});
}

I18n.DevToolsLocale.DevToolsLocale.instance({
  create: true,
  data: {
    navigatorLanguage: 'en-US',
    settingLanguage: 'en-US',
    lookupClosestDevToolsLocale: locale => locale,
  },
});
// English is the language of the sources: an empty table makes every look-up fall through to it.
I18n.i18n.registerLocaleDataForTest('en-US', {});

freshFormatterPool();

// Without settings the formatters fail to make a CrUX manager, format a stack for the message nobody sees, and do
// without. In memory only: nothing is kept between runs.
const storage = new Common.Settings.SettingsStorage({});
Common.Settings.Settings.instance({
  forceNew: true,
  syncedStorage: storage,
  globalStorage: storage,
  localStorage: storage,
  settingRegistrations: Common.SettingRegistration.getRegisteredSettings(),
  console: Common.Console.Console.instance(),
});
