/** The chat function, killed at each await of a request: what is left in the log makes the entry. */
import type { Fault } from '../harness/fault-proxy.ts';
import type { Scene, Stage } from '../scene.ts';
import { killAtEveryAwait } from './every-await.ts';
import { environmentOf } from './killable-function.ts';

const tableRefuses: Fault = { kind: 'reset', operations: ['PutItem'] };

export const chatAwaitScenes: readonly Scene[] = [
  {
    fault: 'the chat function is killed at every await',
    mark: 'chat-await',
    requests: { short: 12, long: 0 },
    killsChat: true,
    isFelt: ({ outcomes }) => (outcomes.interrupted ?? 0) > 0,
    run: (stage) => killAtEachAwait(stage, 'chat-await'),
  },
  {
    fault: 'the same, while DynamoDB takes no entry',
    mark: 'chat-await-queue',
    requests: { short: 12, long: 0 },
    killsChat: true,
    isFelt: ({ queued }) => queued > 0,
    async run(stage) {
      await stage.world.dynamoDb.set(tableRefuses);
      await killAtEachAwait(stage, 'chat-await-queue');
    },
  },
  {
    fault: 'the same, while SQS takes none either',
    mark: 'chat-await-log',
    requests: { short: 12, long: 0 },
    killsChat: true,
    isFelt: ({ notWritten }) => notWritten > 0,
    async run(stage) {
      await stage.world.dynamoDb.set(tableRefuses);
      await stage.world.sqs.set({ kind: 'reset', operations: ['SendMessage'] });
      await killAtEachAwait(stage, 'chat-await-log');
    },
  },
];

async function killAtEachAwait(stage: Stage, mark: string): Promise<void> {
  const { world, customer, form } = stage;
  const points = await killAtEveryAwait({
    environment: environmentOf(world, 'Chat'),
    form,
    onLine: world.log.add,
    eventsFor: async (point) => [chatEvent(`${mark}-${point}`, customer.apiKey)],
  });
  stage.played.requests = points.length;
}

function chatEvent(mark: string, apiKey: string): object {
  return {
    version: '2.0',
    rawPath: '/ai/chat/completions',
    rawQueryString: '',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'gateway-session-id': mark,
    },
    requestContext: { http: { method: 'POST', path: '/ai/chat/completions' } },
    body: JSON.stringify({
      model: 'openai/gpt-4o',
      messages: [{ role: 'user', content: 'Say hello.' }],
      user: mark,
      stream: true,
    }),
    isBase64Encoded: false,
  };
}
