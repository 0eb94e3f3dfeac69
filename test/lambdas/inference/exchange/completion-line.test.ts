/** Tests the log line of a request that has ended, from which operators find out what happened to it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionLine } from '#lambdas/inference/exchange/completion-line.ts';
import { serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { type ChatFixture, type ChatFixtureOptions, startChatFixture } from '#test/support/chat/fixture.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { deltaChunk, event } from '#test/support/providers/openai/events.ts';
import {
  hangBeforeHeaders,
  jsonResponse,
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const request = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Say hello' }] };

let fixture: ChatFixture;
beforeAll(async () => {
  fixture = await startChatFixture();
});
afterAll(() => fixture.stop());

async function lineOf(body: object, respond: Respond | null = null, options: ChatFixtureOptions = {}) {
  const { upstream, gateway } = await fixture.setUp(options);
  if (respond !== null) upstream.script(respond);
  const { headers } = await gateway.post({ ...request, ...body }, { 'gateway-user-id': 'ada' });
  const [entry] = await gateway.entries();
  const lines = gateway.lines.filter(({ event: name }) => name === 'request_completed');
  expect(lines).toHaveLength(1);
  return { line: lines[0] as unknown as Record<string, unknown>, entry, headers, gateway };
}

describe('The line of a completed request', () => {
  it.each([false, true])(
    'has the fields that queries use and the whole entry (stream: %s)',
    async (stream) => {
      const { line, entry, headers, gateway } = await lineOf({ stream });

      const id = headers['x-gateway-request-id'];
      expect(entry?.id).toBe(id);
      expect(line).toEqual({
        timestamp: expect.any(String),
        level: 'INFO',
        event: 'request_completed',
        request_id: null,
        function_version: '1',
        log_id: id,
        operation: 'chat.completions',
        organization_id: gateway.organizationId,
        api_key_id: gateway.apiKeyId,
        provider: 'openai',
        model: 'gpt-4o',
        stream,
        status: 200,
        outcome: 'completed',
        ...(entry?.provider_request_id != null && { provider_request_id: entry.provider_request_id }),
        input_tokens: 19,
        output_tokens: 5,
        cost_usd: 0.0000975,
        pricing: 'table',
        usage_source: 'provider',
        latency_ms: entry?.latency_ms,
        overhead_ms: entry?.overhead_ms,
        ...(stream && { time_to_first_token_ms: entry?.time_to_first_token_ms }),
        provider_latency_ms: Number(entry?.latency_ms) - Number(entry?.overhead_ms),
        entry: entry && serializeLogEntry(entry),
      });
    },
  );

  it('names the operation of the entry', () => {
    const entry = logEntry({ operation: 'embeddings' });
    expect(completionLine(serializeLogEntry(entry), null).operation).toBe('embeddings');
  });

  it('is printed before the entry is written', async () => {
    const eventsBefore: string[] = [];
    const { gateway } = await fixture.setUp({
      dependencies: {
        logEntries: {
          async put() {
            eventsBefore.push(...gateway.lines.map(({ event: name }) => name));
          },
        },
      },
    });

    await gateway.post(request);

    expect(eventsBefore).toEqual(['request_forwarded', 'request_completed']);
  });
});

describe('The line of a request whose provider failed', () => {
  const partialStream = streamResponse([event(deltaChunk({ content: 'Hi' }))]);
  const errorInStream = streamResponse([
    event(deltaChunk({ content: 'Hi' })),
    event({ error: { message: 'Overloaded', code: 'server_error' } }),
  ]);

  it.each<[string, Respond, object, object]>([
    ['a status', errorResponse(500), {}, { failure_kind: 'status', provider_status: 500 }],
    ['a rate limit', errorResponse(429), {}, { failure_kind: 'status', provider_status: 429 }],
    ['a lost connection', resetBeforeHeaders, {}, { failure_kind: 'connection' }],
    ['a timeout', hangBeforeHeaders, {}, { failure_kind: 'timeout', outcome: 'timeout' }],
    ['a truncated stream', partialStream, { stream: true }, { failure_kind: 'truncated', status: 200 }],
    [
      'an error in a stream',
      errorInStream,
      { stream: true },
      { failure_kind: 'error_in_stream', status: 200 },
    ],
    ['no completion', jsonResponse({ choices: 'none' }), {}, { failure_kind: 'invalid_response' }],
  ])('has the kind of the failure: %s', async (_, respond, body, expected) => {
    const { line } = await lineOf(body, respond, { limits: { firstByteMs: 200, retries: 0 } });

    expect(line).toMatchObject({ level: 'INFO', outcome: 'provider_error', ...expected });
  });
});

describe('The line of a refused request', () => {
  it('has the code of the error and no provider failure', async () => {
    const { line, entry } = await lineOf({ model: 'nosuch/model' });

    expect(line).toMatchObject({
      outcome: 'rejected',
      status: 400,
      error_code: 'model_not_found',
      cost_usd: 0,
      entry: { id: entry?.id, outcome: 'rejected' },
    });
    expect(Object.keys(line)).not.toContain('failure_kind');
  });

  it('has the number of refused requests that it stands for, if they are several', () => {
    const refused = (refused_requests: number | null) =>
      completionLine(
        serializeLogEntry(logEntry({ outcome: 'rejected', status: 429, refused_requests })),
        null,
      );

    expect(refused(50)).toMatchObject({ refused_requests: 50 });
    expect(JSON.stringify(refused(null))).not.toContain('refused_requests');
  });
});
