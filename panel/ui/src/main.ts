import { mount } from 'svelte';
import App from './app/App.svelte';
import { startRouter } from './app/router.svelte';
import { startTheme } from './app/theme.svelte';
import { takeToken } from './lib/api/token';
import { startLanguage } from './lib/i18n/index.svelte';
import { startKeys } from './lib/keys/keys.svelte';
import './styles/base.css';
import './styles/controls.css';

takeToken();
startTheme();
startRouter();
startKeys();
await startLanguage();
mount(App, { target: document.getElementById('panel')! });
