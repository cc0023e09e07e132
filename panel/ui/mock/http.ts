/** The mock over HTTP: for the development server, and with the built files for the walk through the views. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { MockServer } from './server';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types svelte-trusted-html 'allow-duplicates'";

const MEDIA: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

async function body(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text ? JSON.parse(text) : undefined;
}

function events(mock: MockServer, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const stop = mock.subscribe((name, data) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
  response.on('close', stop);
}

/** Answers requests below `/api`, passes others on. */
export function mockMiddleware(mock = new MockServer()) {
  return async (request: IncomingMessage, response: ServerResponse, next: () => void): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (!url.pathname.startsWith('/api/v1')) return next();
    const path = url.pathname.slice('/api/v1'.length);
    if (path === '/events') return events(mock, response);
    const answer = mock.handle(request.method ?? 'GET', path, url.searchParams, await body(request));
    response.writeHead(answer.status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  };
}

/** Serves the built panel as the binary does, with its policy. */
export function serveBuilt(dist: string, port: number): Promise<Server> {
  const middleware = mockMiddleware();
  const server = createServer((request, response) => {
    void middleware(request, response, () => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const file = extname(pathname) ? pathname : '/index.html';
      response.setHeader('Content-Security-Policy', CSP);
      try {
        const content = readFileSync(join(dist, file));
        response.writeHead(200, { 'Content-Type': MEDIA[extname(file)] ?? 'text/plain' }).end(content);
      } catch {
        response.writeHead(404).end();
      }
    });
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}
