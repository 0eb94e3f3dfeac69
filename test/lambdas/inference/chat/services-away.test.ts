/** What callers get while the gateway's own services do not answer, and that no provider is called for it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createApiKeyFinder } from '#lambdas/access/key-lookup.ts';
import { createProviderSecretReader } from '#lambdas/inference/providers/credentials.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat-fixture.ts';
import { accessTo } from '#test/support/scripted-service.ts';
import { tableCallsAt } from '#test/support/table-calls-at.ts';
import { unreachableEndpoint } from '#test/support/unreachable-endpoint.ts';

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };
const now = () => new Date();

let bench: ChatFixture;
beforeAll(async () => {
  bench = await startChatFixture();
});
afterAll(() => bench.stop());
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  // No wait between attempts.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const unavailable = {
  error: {
    message: 'The gateway cannot reach its own data at the moment: send the request again',
    type: 'api_error',
    param: null,
    code: 'service_unavailable',
  },
};

describe('While DynamoDB is away', () => {
  it('a key that has to be looked up is answered with 503, and no provider is called', async () => {
    const calls = tableCallsAt(await unreachableEndpoint());
    const directory = createApiKeyFinder({ calls, tableName: 'Directory' });
    const { upstream, gateway } = await bench.setUp({
      services: { authenticate: createAuthenticate({ directory, now }) },
    });

    const reply = await gateway.post(request);

    expect([reply.status, JSON.parse(reply.text)]).toEqual([503, unavailable]);
    expect(reply.headers['retry-after']).toBe('1');
    expect(upstream.requests).toEqual([]);
    expect([gateway.lines, gateway.lostEntries, await gateway.entries()]).toEqual([[], [], []]);
  });

  it('a key that is known goes on to work, and its entries to the queue', async () => {
    const calls = tableCallsAt(await unreachableEndpoint());
    const { gateway } = await bench.setUp({
      services: { logEntries: createLogEntryWriter({ calls, tableName: 'LogEntries', now }, 90) },
    });

    expect((await gateway.post({ ...request, stream: true })).status).toBe(200);
    expect(gateway.lostEntries).toEqual([
      expect.objectContaining({ outcome: 'completed', total_tokens: 24 }),
    ]);
    expect(gateway.lines.map(({ event }) => event)).toEqual(['request_forwarded']);
  });
});

describe('While Secrets Manager is away', () => {
  async function readAwaySecret() {
    const access = accessTo(await unreachableEndpoint());
    return createProviderSecretReader(
      createJsonService({ service: 'secretsmanager', access, now }),
      'secret',
    )();
  }

  it('a request is answered with 503 and logged, and no provider is called', async () => {
    const { upstream, gateway } = await bench.setUp({ credentials: readAwaySecret });

    const reply = await gateway.post(request);

    expect([reply.status, JSON.parse(reply.text)]).toEqual([503, unavailable]);
    expect(upstream.requests).toEqual([]);
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({ status: 503, outcome: 'rejected', error_code: 'service_unavailable' }),
    ]);
  });

  it('the credentials that were read before go on being used, also when a provider refuses one', async () => {
    let reads = 0;
    const { upstream, gateway } = await bench.setUp({
      credentials: () => (reads++ === 0 ? { openai: { api_key: 'sk-old' } } : readAwaySecret()),
    });

    const reply = await gateway.post(request);

    expect([reply.status, JSON.parse(reply.text).error.code]).toEqual([
      502,
      'provider_authentication_failed',
    ]);
    expect(upstream.requests).toHaveLength(1);
    expect(reads).toBe(2);
  });
});
