/** Responses of the Gemini API: JSON, errors and server-sent events. */
import type { Respond } from '../upstream-responses.ts';

/** The API sends no request id. */
const defaultHeaders = { server: 'scaffolding on HTTPServer2', 'x-gemini-service-tier': 'standard' };

/** An error to a streaming request is plain JSON, but with the stream's content type. */
export function jsonResponse({
  status,
  body,
  headers = defaultHeaders,
}: {
  status: number;
  body: unknown;
  headers?: object;
}): Respond {
  return ({ request, response }) => {
    const isStreamError = status !== 200 && request.url.includes('alt=sse');
    const type = isStreamError ? 'text/event-stream' : 'application/json; charset=UTF-8';
    response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body, null, 2));
  };
}

/** Set `truncated` to close the connection after the last chunk, before the end of the body. */
export function streamResponse(
  chunks: readonly unknown[],
  { headers = defaultHeaders, truncated = false }: { headers?: object; truncated?: boolean } = {},
): Respond {
  return async ({ response, disconnect }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    for (const chunk of chunks) {
      if (response.destroyed) return;
      await new Promise<void>((resolve) => {
        response.write(`data: ${JSON.stringify(chunk)}\r\n\r\n`, () => resolve());
      });
    }
    if (truncated) disconnect('close');
    else response.end();
  };
}

/** A `google.rpc.Status`. */
export function errorResponse(code: number, status: string, message: string, details?: object[]): Respond {
  return jsonResponse({
    status: code,
    body: { error: { code, message, status, ...(details && { details }) } },
  });
}
