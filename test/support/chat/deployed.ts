/** The deployed chat function, invoked in this process with the events of a function URL. */
import { createRequire } from 'node:module';

/** The part of a `Writable` that the test needs. */
type ResponseStream = object;

export interface ChatInvocation {
  body: object;
  responseStream: ResponseStream;
  authorization?: string;
}

export type DeployedChat = (invocation: ChatInvocation) => Promise<void>;

type Handler = (event: object, stream: ResponseStream, context: object) => Promise<void>;

/** The fake DynamoDB's response determines to whom it belongs. */
const wellFormedKey = `Bearer pt_live_${'0'.repeat(32)}`;

/** `file` is the bundle's `index.mjs`; its environment is that of this process. */
export function loadDeployedChat(file: string): DeployedChat {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: Handler) => handler,
      HttpResponseStream: { from: (stream: ResponseStream) => stream },
    },
  });
  // In a test, `import` would go through Vitest.
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
