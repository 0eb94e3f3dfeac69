/** Kills the chat function at the awaits of a request. The entry is recovered from the log. */

import { ampleLimits } from '../limits/applied-limits.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import { entryWrites, type Fault } from '../support/fault-proxy.ts';
import { type KillAtAwaitsOptions, killAtAwaits } from './kill-at-awaits.ts';
import { readFunctionEnvironment } from './killable-function.ts';

const failWrites: Fault = { kind: 'reset', operations: entryWrites };

export const chatAwaitScenarios: readonly Scenario[] = [
  {
    fault: 'the chat function is killed at its awaits',
    correlationIdPrefix: 'chat-await',
    requests: { short: 12, long: 0 },
    killsChat: true,
    hasExpectedEffects: ({ outcomes }) => (outcomes.interrupted ?? 0) > 0,
    run: (context) => killChatAtAwaits(context, 'chat-await'),
  },
  {
    fault: 'the same, with hard budgets and a limit of concurrent requests',
    correlationIdPrefix: 'chat-await-limits',
    requests: { short: 12, long: 0 },
    limits: ampleLimits,
    killsChat: true,
    hasExpectedEffects: ({ outcomes }) => (outcomes.interrupted ?? 0) > 0,
    run: (context) => killChatAtAwaits(context, 'chat-await-limits', { shortPoints: 18 }),
  },
  {
    fault: 'the same, while DynamoDB rejects the entry',
    correlationIdPrefix: 'chat-await-queue',
    requests: { short: 12, long: 0 },
    killsChat: true,
    hasExpectedEffects: ({ queued }) => queued > 0,
    async run(context) {
      await context.fixture.dynamoDb.setFault(failWrites);
      await killChatAtAwaits(context, 'chat-await-queue');
    },
  },
  {
    fault: 'the same, with these limits, while SQS rejects it too',
    correlationIdPrefix: 'chat-await-log',
    requests: { short: 12, long: 0 },
    limits: ampleLimits,
    killsChat: true,
    hasExpectedEffects: ({ notWritten }) => notWritten > 0,
    async run(context) {
      await context.fixture.dynamoDb.setFault(failWrites);
      await context.fixture.sqs.setFault({ kind: 'reset', operations: ['SendMessage'] });
      await killChatAtAwaits(context, 'chat-await-log');
    },
  },
];

interface KillOptions extends Pick<KillAtAwaitsOptions, 'shortPoints'> {
  model?: string;
}

export async function killChatAtAwaits(
  context: ScenarioContext,
  correlationIdPrefix: string,
  { model = 'openai/gpt-4o', ...options }: KillOptions = {},
): Promise<void> {
  const { fixture, organization, form } = context;
  const points = await killAtAwaits({
    environment: readFunctionEnvironment(fixture, 'Chat'),
    form,
    ...options,
    onLine: fixture.log.add,
    createEvents: async (point) => [chatEvent(`${correlationIdPrefix}-${point}`, { ...organization, model })],
  });
  context.overrides.requests = points.length;
}

function chatEvent(correlationId: string, { apiKey, model }: { apiKey: string; model: string }): object {
  return {
    version: '2.0',
    rawPath: '/ai/chat/completions',
    rawQueryString: '',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'gateway-session-id': correlationId,
    },
    requestContext: { http: { method: 'POST', path: '/ai/chat/completions' } },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Say hello.' }],
      user: correlationId,
      stream: true,
    }),
    isBase64Encoded: false,
  };
}
