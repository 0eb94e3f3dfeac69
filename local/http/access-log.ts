import type { RequestListener } from 'node:http';

/** Logs one line for each request: method, path without the query, status, time. Never headers or bodies. */
export function withAccessLog(listener: RequestListener, log: (line: string) => void): RequestListener {
  return (request, response) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const path = request.url?.split('?')[0];
      const status = response.headersSent ? response.statusCode : '-';
      const cut = response.writableFinished ? '' : ' (cut off)';
      log(`${request.method} ${path} ${status} ${Math.round(performance.now() - startedAt)} ms${cut}`);
    });
    listener(request, response);
  };
}
