/** Loads the bundled chat function from the folder `CHAT_BUNDLE`, and calls it as Lambda's runtime does. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Resolves when the invocation has ended. */
export type InvokeChat = (event: unknown, response: ServerResponse) => Promise<void>;

type Handler = (event: unknown, stream: ServerResponse, context: unknown) => Promise<void>;

const timeoutMs = 900_000;

export async function loadChat(): Promise<InvokeChat> {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: Handler) => handler,
      HttpResponseStream: {
        from(response: ServerResponse, head: { statusCode: number; headers: Record<string, string> }) {
          return response.writeHead(head.statusCode, head.headers);
        },
      },
    },
  });
  const file = join(process.env.CHAT_BUNDLE ?? '', 'index.mjs');
  const { handler }: { handler: Handler } = await import(pathToFileURL(file).href);
  return (event, response) => {
    const deadlineMs = Date.now() + timeoutMs;
    return handler(event, response, {
      awsRequestId: randomUUID(),
      getRemainingTimeInMillis: () => deadlineMs - Date.now(),
    });
  };
}
