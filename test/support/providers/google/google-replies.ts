/** Bytes and headers as the Gemini API sends them: no request id among them. The shared answers always send one. */
import type { Answer } from '../upstream-answers.ts';

interface GoogleReply {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

interface GoogleStream {
  headers?: Record<string, string>;
  chunks: readonly unknown[];
  /** The connection closes after the last chunk, and the body has no end. */
  cut?: boolean;
}

const common = {
  vary: 'Origin, X-Origin, Referer',
  server: 'scaffolding on HTTPServer2',
  'x-xss-protection': '0',
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
  'server-timing': 'gfet4t7; dur=412',
};

/** An error that comes instead of a stream is one JSON text, under the stream's content type. */
export function googleReply({ status = 200, headers = {}, body }: GoogleReply): Answer {
  return ({ request, response }) => {
    const instead = status !== 200 && request.url.includes('alt=sse');
    const type = instead ? 'text/event-stream' : 'application/json; charset=UTF-8';
    response.writeHead(status, { 'content-type': type, ...common, ...headers });
    response.end(JSON.stringify(body, null, 2));
  };
}

export function googleStream({ headers = {}, chunks, cut = false }: GoogleStream): Answer {
  return async ({ response, cut: breakOff }) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'content-disposition': 'attachment',
      ...common,
      ...headers,
    });
    for (const chunk of chunks) {
      if (response.destroyed) return;
      await new Promise<void>((resolve) => {
        response.write(`data: ${JSON.stringify(chunk)}\r\n\r\n`, () => resolve());
      });
    }
    if (cut) breakOff('close');
    else response.end();
  };
}

/** Without `alt=sse` a stream is a JSON list that grows. */
export function googleList(chunks: readonly unknown[]): Answer {
  return googleReply({ body: chunks });
}
