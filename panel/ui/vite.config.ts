import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [svelte()],
  resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2023',
    // Newer than the default, so that `light-dark()` reaches the browser as it is written.
    cssTarget: ['chrome125', 'firefox128', 'safari17.5'],
    // The policy of the server allows no `data:` address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Few files compress better than many small ones, and what several views share is needed by the first of them.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'frame', test: /src[/\\](app|lib[/\\](?!i18n[/\\](en|fr)))|node_modules[/\\](svelte|esm-env|clsx)[/\\]/ },
            { name: 'views', test: /src[/\\]views[/\\](?!health[/\\]InjectionChart)/ },
          ],
        },
      },
    },
  },
  test: { include: ['tests/**/*.test.ts'] },
});
