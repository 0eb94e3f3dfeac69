/** The deployed chat function, invoked in this process with the events of a function URL. */
import { createRequire } from 'node:module';

/** Receives the response body. Has as much of a `Writable` as the test needs. */
export type ResponseStream = object;

export interface ChatInvocation {
  body: object;
  responseStream: ResponseStream;
  authorization?: string;
}

/** Resolves when the invocation has ended. */
export type DeployedChat = (invocation: ChatInvocation) => Promise<void>;

type Handler = (event: object, stream: ResponseStream, context: object) => Promise<void>;

/** Which key it is depends on the fake DynamoDB's response. */
const wellFormedKey = `Bearer pt_live_${'0'.repeat(32)}`;

/** `file` is the bundle's `index.mjs`; its environment is that of this process. */
export function loadDeployedChat(file: string): DeployedChat {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: Handler) => handler,
      HttpResponseStream: { from: (stream: ResponseStream) => stream },
    },
  });
  // `require` loads it with Node itself; in a test, `import` would go through Vitest.
  const { handler }: { handler: Handler } = createRequire(import.meta.url)(file);
  return ({ body, responseStream, authorization = wellFormedKey }) =>
    handler(functionUrlEvent(body, authorization), responseStream, {
      getRemainingTimeInMillis: () => 900_000,
    });
}

function functionUrlEvent(body: object, authorization: string) {
  return {
    version: '2.0',
    rawPath: '/ai/chat/completions',
    rawQueryString: '',
    headers: { 'content-type': 'application/json', authorization },
    requestContext: { http: { method: 'POST', path: '/ai/chat/completions' } },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  };
}
