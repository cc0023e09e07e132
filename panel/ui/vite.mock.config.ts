import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';
import { mockMiddleware } from './mock/http';

/** Serves the panel with hot reloading and generated memories in place of the server. */
const mock: Plugin = {
  name: 'tacit-mock',
  configureServer: (server) => void server.middlewares.use(mockMiddleware()),
};

export default defineConfig({ plugins: [svelte(), mock] });
