/** The chat function as it is deployed, called in this process with the events of a Function URL. */
import { createRequire } from 'node:module';

/** Takes the body of the answer, as a `Writable` does. */
export type Caller = object;

export interface Ask {
  body: object;
  caller: Caller;
  authorization?: string;
}

/** Resolves when the invocation has ended. */
export type DeployedChat = (ask: Ask) => Promise<void>;

type Handler = (event: object, stream: Caller, context: object) => Promise<void>;

/** Of the form of a key; what key it is, the store says. */
const anyKey = `Bearer pt_live_${'0'.repeat(32)}`;

/** `file` is the bundle's `index.mjs`; its environment is that of this process. */
export function loadDeployedChat(file: string): DeployedChat {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: Handler) => handler,
      HttpResponseStream: { from: (stream: Caller) => stream },
    },
  });
  // By Node itself: in a test, `import` would go through the runner.
  const { handler }: { handler: Handler } = createRequire(import.meta.url)(file);
  return ({ body, caller, authorization = anyKey }) =>
    handler(eventOf(body, authorization), caller, { getRemainingTimeInMillis: () => 900_000 });
}

function eventOf(body: object, authorization: string) {
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
