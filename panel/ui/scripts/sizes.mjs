// Prints what each built file weighs compressed, and fails above the budget of the whole panel.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BUDGET = 150 * 1024;
const dist = new URL('../../dist', import.meta.url).pathname;
const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const sizes = files
  .map((file) => ({ name: file.slice(dist.length + 1), bytes: gzipSync(readFileSync(file), { level: 9 }).length }))
  .sort((a, b) => b.bytes - a.bytes);
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
for (const { name, bytes } of sizes) console.log(`${(bytes / 1024).toFixed(1).padStart(7)} KB  ${name}`);
console.log(`${(total / 1024).toFixed(1).padStart(7)} KB  in all, of ${BUDGET / 1024} KB`);
if (total > BUDGET) process.exit(1);
