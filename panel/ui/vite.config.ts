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
  },
  test: { include: ['tests/**/*.test.ts'] },
});
