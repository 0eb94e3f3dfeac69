/** Parallel streams over HTTP of a key that is limited to fewer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAdmitRequest } from '#lambdas/inference/exchange/admit-request.ts';
import { changeRateLimits } from '#lambdas/limits/rates/changes.ts';
import { createJsonTableCalls } from '#lambdas/platform/dynamodb/json-table.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { createTestAuditTrail } from '#test/support/audit/test-audit-trail.ts';
import { dynamoDbWithoutTimeouts } from '#test/support/aws/service-without-timeouts.ts';
import { type ChatHandlerFixture, createChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { type HttpChatServer, startHttpChatServer } from '#test/support/chat/http-server.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '#test/support/providers/openai/upstream.ts';
import { streamResponse } from '#test/support/providers/upstream-responses.ts';

const [streams, concurrent] = [200, 20];

let database: EmbeddedDynamoDB;
let upstream: OpenAIUpstream;
let fixture: ChatHandlerFixture;
/** Two servers with the same handler, which stand for the endpoints. */
let servers: HttpChatServer[];
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
  const dynamodb = dynamoDbWithoutTimeouts(database.endpoint);
  const pricing = createPricing(emptyPriceTable);
  fixture = await createChatHandlerFixture({
    database,
    settings: { openai: { baseUrl: upstream.baseUrl } },
    credentials: { openai: { api_key: 'sk-upstream' } },
    dependencies: {
      loadAdmitRequest: async () =>
        createAdmitRequest({
          dynamodb,
          calls: createJsonTableCalls(dynamodb),
          tableName: fixture.tables.budgetCounters,
          loadPricing: async () => pricing,
          now: () => new Date(),
        }),
    },
  });
  const { tables, organizationId, apiKeyId: keyId } = fixture;
  const directory = { client: database.documentClient, tableName: tables.directory };
  const audit = createTestAuditTrail(database, tables);
  await changeRateLimits(directory, { organizationId, keyId }, () => ({ concurrent }), audit);
  servers = [await startHttpChatServer(fixture.handle), await startHttpChatServer(fixture.handle)];
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.shutDown()));
  await upstream.stop();
  await database.stop();
});

async function send(origin: string) {
  const response = await fetch(`${origin}/ai/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${fixture.apiKey}` },
    body: JSON.stringify({
      model: 'openai/gpt-4o',
      messages: [{ role: 'user', content: 'Say hello' }],
      stream: true,
    }),
  });
  const text = await response.text();
  if (response.status === 200) return text.endsWith(doneEvent) ? 'completed' : 'incomplete';
  const { error } = JSON.parse(text) as { error: { code: string } };
  return `${response.status} ${error.code}, retry-after ${response.headers.get('retry-after')}`;
}

it('admits 20 of 200 parallel streams, refuses the others at once, and admits 20 more when those have ended', async () => {
  for (let wave = 1; wave <= 2; wave++) {
    const ending = Promise.withResolvers<void>();
    async function* heldEvents() {
      yield event(deltaChunk({ content: 'Hello' }));
      await ending.promise;
      yield event(deltaChunk({}, 'stop')) + doneEvent;
    }
    upstream.script(...Array.from({ length: concurrent }, () => streamResponse(heldEvents())));
    const results: string[] = [];

    const sending = Array.from({ length: streams }, async (_, index) => {
      results.push(await send(servers[index % servers.length]?.origin ?? ''));
    });
    const sent = () => upstream.requests.length - concurrent * (wave - 1);
    await expect.poll(() => results.length + sent()).toBe(streams);

    expect(new Set(results)).toEqual(new Set(['429 rate_limit_exceeded, retry-after 1']));
    expect(sent()).toBe(concurrent);
    ending.resolve();
    await Promise.all(sending);
    expect(results.filter((result) => result === 'completed')).toHaveLength(concurrent);
    const completed = async () =>
      (await fixture.entries()).filter(({ outcome }) => outcome === 'completed').length;
    await expect.poll(completed).toBe(concurrent * wave);
  }
});
