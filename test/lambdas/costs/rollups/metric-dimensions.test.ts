import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEntryMetrics } from '#lambdas/costs/rollups/entry-metrics.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { collectLogLines } from '#test/support/log-lines.ts';
import { readEmbeddedMetrics } from '#test/support/monitoring/embedded-metrics.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

it('Nothing that a caller chooses becomes a dimension of a metric', async () => {
  const { upstream, gateway } = await fixture.setUp();
  const messages = [{ role: 'user', content: 'Say hello' }];
  const headers = {
    'gateway-prompt-id': 'prompt-1',
    'gateway-session-id': 'session-1',
    'gateway-user-id': 'user-1',
  };
  const models = [
    'openai/gpt-4o',
    'openai/chosen',
    'openai/mistral/m',
    'mistral/gpt-4o',
    'chosen/m',
    'chosen',
  ];
  for (const model of models) await gateway.post({ model, messages, user: 'chosen' }, headers);
  upstream.script(errorResponse(400));
  await gateway.post({ model: 'openai/unknown', messages, service_tier: 'chosen' }, headers);
  const entries = await gateway.entries();

  const lines: string[] = [];
  const publish = createEntryMetrics({
    metrics: { level: 'all', stackName: 'AiGateway' },
    models: ['openai/gpt-4o'],
    log: collectLogLines((line) => lines.push(line)),
    now: () => new Date(),
  });
  publish(entries.map((entry) => ({ sequenceNumber: '1', entry, before: null, writtenAtMs: Date.now() })));

  expect(entries.map(({ model }) => model)).toEqual([
    'gpt-4o',
    'chosen',
    'mistral/m',
    'gpt-4o',
    'chosen/m',
    'chosen',
    'unknown',
  ]);
  expect(entries.every(({ prompt_id }) => prompt_id === 'prompt-1')).toBe(true);
  const published = lines.flatMap(readEmbeddedMetrics);
  expect(new Set(published.map(({ metric }) => JSON.stringify(metric.dimensions)))).toEqual(
    new Set([
      '{"Stack":"AiGateway"}',
      '{"Stack":"AiGateway","Provider":"openai"}',
      '{"Stack":"AiGateway","Model":"openai/gpt-4o"}',
      '{"Stack":"AiGateway","Provider":"mistral"}',
    ]),
  );
  expect(lines.join()).not.toMatch(/chosen|prompt-1|session-1|user-1|unknown/);
});
