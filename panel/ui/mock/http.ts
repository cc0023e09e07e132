/** The mock over HTTP, for the development server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MockServer } from './server';

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
