import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthenticate } from '#lambdas/access/authenticate.ts';
import { createApiKeyFinder } from '#lambdas/access/key-lookup.ts';
import { createProviderSecretReader } from '#lambdas/inference/providers/credentials.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { createLogEntryWriter } from '#lambdas/request-log/table/writer.ts';
import { awsAccessAt } from '#test/support/aws/scripted-service.ts';
import { type ChatFixture, startChatFixture } from '#test/support/chat/fixture.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { unreachableEndpoint } from '#test/support/http/unreachable-endpoint.ts';

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };
const now = () => new Date();

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  // Removes the backoff between attempts.
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

describe('DynamoDB is unavailable', () => {
  it('returns 503 without calling the provider when the key cannot be looked up', async () => {
    const calls = tableCallsAt(await unreachableEndpoint());
    const directory = createApiKeyFinder({ calls, tableName: 'Directory' });
    const { upstream, gateway } = await fixture.setUp({
      dependencies: { authenticate: createAuthenticate({ directory, now }) },
    });

    const response = await gateway.post(request);

    expect([response.status, JSON.parse(response.text)]).toEqual([503, unavailable]);
    expect(response.headers['retry-after']).toBe('1');
    expect(upstream.requests).toEqual([]);
    expect([gateway.lines, gateway.lostEntries, await gateway.entries()]).toEqual([[], [], []]);
  });

  it('serves a caller with a cached key and sends the log entry to the queue', async () => {
    const calls = tableCallsAt(await unreachableEndpoint());
    const { gateway } = await fixture.setUp({
      dependencies: { logEntries: createLogEntryWriter({ calls, tableName: 'LogEntries', now }, 90) },
    });

    expect((await gateway.post({ ...request, stream: true })).status).toBe(200);
    expect(gateway.lostEntries).toEqual([
      expect.objectContaining({ outcome: 'completed', total_tokens: 24 }),
    ]);
    expect(gateway.lines.map(({ event }) => event)).toEqual(['request_forwarded']);
  });
});

describe('Secrets Manager is unavailable', () => {
  async function readUnavailableSecret() {
    const access = awsAccessAt(await unreachableEndpoint());
    return createProviderSecretReader(
      createJsonService({ service: 'secretsmanager', access, now }),
      'secret',
    )();
  }

  it('returns 503 without calling the provider and logs the request', async () => {
    const { upstream, gateway } = await fixture.setUp({ credentials: readUnavailableSecret });

    const response = await gateway.post(request);

    expect([response.status, JSON.parse(response.text)]).toEqual([503, unavailable]);
    expect(upstream.requests).toEqual([]);
    expect(await gateway.entries()).toEqual([
      expect.objectContaining({ status: 503, outcome: 'rejected', error_code: 'service_unavailable' }),
    ]);
  });

  it('keeps using the cached credentials, even if a provider rejects one', async () => {
    let reads = 0;
    const { upstream, gateway } = await fixture.setUp({
      credentials: () => (reads++ === 0 ? { openai: { api_key: 'sk-old' } } : readUnavailableSecret()),
    });

    const response = await gateway.post(request);

    expect([response.status, JSON.parse(response.text).error.code]).toEqual([
      502,
      'provider_authentication_failed',
    ]);
    expect(upstream.requests).toHaveLength(1);
    expect(reads).toBe(2);
  });
});
