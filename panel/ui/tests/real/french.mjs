// Finds English that is left over in the French panel: texts on the page that are an English message of the catalogue, an
// English help of the configuration or a sentence of the server without French.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const load = async (path) => (await runnerImport(fileURLToPath(new URL(`../../src/lib/i18n/${path}`, import.meta.url)))).module;
const forms = (catalogue) => Object.values(catalogue).flatMap((message) => (typeof message === 'string' ? [message] : Object.values(message)));

/** Returns the English texts that are not French as well, as patterns, each with the length of its own words. */
async function englishTexts() {
  const [{ default: english }, french, { default: help }, server] = await Promise.all(
    ['en/index.ts', 'fr/index.ts', 'fr/config.ts', 'server.ts'].map(load),
  );
  const known = new Set([...forms(french.default), ...forms(french.phrases), ...forms(help)].map((text) => text.toLowerCase()));
  const texts = [...forms(english), ...forms(server.phrases), ...forms(server.config)];
  return [...new Set(texts)]
    // A message of values alone would match everything, and a word in lower case is a value of the configuration.
    .filter((text) => !known.has(text.toLowerCase()) && /\p{L}{2}/u.test(text.replaceAll(/\{\w+\}|`[^`]*`/g, '')) && !/^[a-z]+$/.test(text) && !TOOLS.includes(text))
    .map((text) => text.replaceAll('`', ''))
    .map((text) => ({
      pattern: `^${text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+')}$`,
      own: text.replaceAll(/\{\w+\}/g, '').length,
    }));
}

/** Tools of agents, which have the names of messages. */
const TOOLS = ['Edit', 'Read', 'Write', 'Search'];
let texts;

/** Returns the English on a page: a text, a label or a hint of it, or a sentence that says itself that it is English. */
export async function englishOn(page) {
  texts ??= await englishTexts();
  return page.evaluate((patterns) => {
    const english = patterns.map(({ pattern, own }) => ({ pattern: new RegExp(pattern, 'u'), own }));
    const found = new Set();
    const check = (text) => {
      const plain = text.replaceAll(/\s+/g, ' ').trim();
      // A text that is mostly values, such as a memory's, says nothing in English.
      if (english.some(({ pattern, own }) => 2 * own >= plain.length && pattern.test(plain))) found.add(plain);
    };
    for (const element of document.querySelectorAll('body *')) {
      if (!element.checkVisibility()) continue;
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) check(element.getAttribute(name) ?? '');
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) check(node.data);
      if ([...element.children].every(({ tagName }) => tagName === 'CODE' || tagName === 'SPAN')) check(element.textContent);
      if (element.lang === 'en') found.add(`no French: ${element.textContent.trim()}`);
    }
    return [...found];
  }, texts);
}
