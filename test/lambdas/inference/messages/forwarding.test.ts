/** Requests and responses of the Messages API, byte for byte. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fc } from '#test/support/fast-check.ts';
import {
  exampleRequest,
  type NativeGateway,
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { anthropicEvent } from '#test/support/providers/anthropic/message-events.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';

let gateways: NativeGateways;
let gateway: NativeGateway;
beforeAll(async () => {
  gateways = await startNativeGateways();
  gateway = await gateways.start();
});
afterAll(() => gateways.stop());

const usage = {
  input_tokens: 19,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
};
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-8', content: [] };
const wholeMessage = {
  ...message,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { ...usage, output_tokens: 5 },
};
const start = anthropicEvent({ type: 'message_start', message: { ...message, usage } });
const blockStart = anthropicEvent({
  type: 'content_block_start',
  index: 0,
  content_block: { type: 'text', text: '' },
});
const delta = (text: string) =>
  anthropicEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
const blockStop = anthropicEvent({ type: 'content_block_stop', index: 0 });
const finish = anthropicEvent({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn', stop_sequence: null },
  usage: { output_tokens: 5 },
});
const stop = anthropicEvent({ type: 'message_stop' });
const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
const wholeStream = [start, blockStart, ping, delta('H'), delta('i'), blockStop, finish, stop];

const streamed = { ...exampleRequest, stream: true };
const complete = {
  outcome: 'completed',
  input_tokens: 19,
  output_tokens: 5,
  finish_reason: 'stop',
  response_id: 'msg_1',
};

describe('A request', () => {
  it('reaches the provider with another model, and no other change', async () => {
    const body = `{ "model" : "anthropic/claude-opus-4-8",
      "max_tokens": 1e3, "seed": 12345678901234567890, "context_management": {"edits": []},
      "system": [{"type":"text","text":"gr\\u00fc\\u00df","cache_control":{"type":"ephemeral","ttl":"1h"}}],
      "messages": [{"role":"user","content":[{"type":"new_block","x":[ 1 ]}]}], "stream":false }`;

    const { request, entry } = await gateway.exchange(jsonResponse(wholeMessage), body);

    expect(request.url).toBe('/v1/messages');
    expect(request.body.toString()).toBe(body.replace('anthropic/claude', 'claude'));
    expect(entry).toMatchObject({
      ...complete,
      provider: 'anthropic',
      model: 'claude-opus-4-8',
      stream: false,
    });
  });

  it("has all of the caller's headers of Anthropic, and the gateway's credential", async () => {
    const { request } = await gateway.exchange(jsonResponse(wholeMessage), exampleRequest, {
      'anthropic-version': '2099-01-01',
      'anthropic-beta': 'context-management-2025-06-27,new-thing-2099-01-01',
      'anthropic-new-header': 'kept',
      'user-agent': 'claude-cli/2.1.332',
      'gateway-user-id': 'ada',
      'x-claude-code-session-id': 'session',
      'x-app': 'cli',
    });

    const { host, connection, 'content-length': _, ...headers } = request.headers;
    expect(headers).toEqual({
      'accept-encoding': 'identity',
      'anthropic-beta': 'context-management-2025-06-27,new-thing-2099-01-01',
      'anthropic-new-header': 'kept',
      'anthropic-version': '2099-01-01',
      'content-type': 'application/json',
      'user-agent': 'claude-cli/2.1.332',
      'x-api-key': providerKey,
    });
  });

  it('has a version without one of the caller', async () => {
    const { request } = await gateway.exchange(jsonResponse(wholeMessage));

    expect(request.headers['anthropic-version']).toBe('2023-06-01');
  });
});

describe('A response', () => {
  it("has the provider's headers about the request and its limits, but not its organization", async () => {
    const { headers, entry } = await gateway.exchange(
      jsonResponse(wholeMessage, {
        headers: {
          'request-id': 'req_1',
          'anthropic-ratelimit-requests-remaining': '7',
          'anthropic-organization-id': 'org_of_the_operator',
          'set-cookie': 'a=b',
        },
      }),
    );

    expect(headers).toEqual({
      'content-type': 'application/json',
      'anthropic-ratelimit-requests-remaining': '7',
      'request-id': 'req_1',
      'x-gateway-provider': 'anthropic',
      'x-gateway-provider-request-id': 'req_1',
      'x-gateway-request-id': entry.id,
    });
  });

  it('has the log id as its request id if the provider sends none', async () => {
    const { headers, entry } = await gateway.exchange(jsonResponse(wholeMessage));

    expect(headers['request-id']).toBe(entry.id);
  });

  it('keeps blocks and fields that the gateway does not know', async () => {
    const body = `{"type":"message","content":[{"type":"new","n":1.50}],"stop_reason":"compaction", "usage":{"input_tokens":1,"output_tokens":2,"new":3}}\n`;

    const { text, entry } = await gateway.exchange(jsonResponse(body));

    expect(text).toBe(body.trimEnd());
    expect(entry).toMatchObject({ finish_reason: 'compaction', input_tokens: 1, output_tokens: 2 });
  });

  it('without a message is an error', async () => {
    const { status, text, entry } = await gateway.exchange(jsonResponse({ ok: true }));

    expect(status).toBe(502);
    expect(JSON.parse(text)).toEqual({
      type: 'error',
      error: { type: 'api_error', message: 'The response of the provider anthropic contains no completion' },
      request_id: entry.id,
    });
  });

  it.each([
    ['a stream', exampleRequest, streamResponse(wholeStream), 'a whole response'],
    ['a whole response', streamed, jsonResponse(wholeMessage), 'a stream'],
  ])(
    'that is %s where the other was asked for is an error with its usage',
    async (sent, body, respond, asked) => {
      const { status, text, entry } = await gateway.exchange(respond, body);

      expect(status).toBe(502);
      expect(JSON.parse(text).error.message).toBe(
        `The provider anthropic sent ${sent}, although the request asked for ${asked}`,
      );
      expect(entry).toMatchObject({ outcome: 'provider_error', input_tokens: 19, output_tokens: 5 });
    },
  );
});

describe('A stream', () => {
  it('is forwarded event by event, however its bytes are split', async () => {
    const unknown = 'event: new_event\r\ndata: {"type":"new_event",\r\ndata: "x":1}\r\n\r\n';
    const signature = anthropicEvent({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: '' },
    });
    const bytes = Buffer.from(
      [start, ': comment\n\n', ...wholeStream.slice(1, 5), signature, unknown, ...wholeStream.slice(5)].join(
        '',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const ends = [...cuts.toSorted((left, right) => left - right), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));

        const { status, text, entry } = await gateway.exchange(streamResponse(chunks), streamed);

        expect(status).toBe(200);
        expect(text).toBe(bytes.toString());
        expect(entry).toMatchObject({ ...complete, stream: true, response_model: 'claude-opus-4-8' });
      }),
      { numRuns: 25 },
    );
  });

  it('ends with the message, whatever follows', async () => {
    const { text, entry } = await gateway.exchange(
      streamResponse([...wholeStream, 'data: [DONE]\n\n', delta('late')]),
      streamed,
    );

    expect(text).toBe(wholeStream.join(''));
    expect(entry).toMatchObject(complete);
  });

  it.each([
    ['the connection ends', 'complete' as const],
    ['the connection is lost', 'close' as const],
  ])('is complete without its last event when %s after the stop reason', async (_, ending) => {
    const sent = wholeStream.slice(0, -1);

    const { text, entry } = await gateway.exchange(streamResponse(sent, { ending }), streamed);

    expect(text).toBe([...sent, stop].join(''));
    expect(entry).toMatchObject(complete);
  });

  it.each(['complete', 'close'] as const)('that ends too early ends with an error: %s', async (ending) => {
    const sent = wholeStream.slice(0, 5);

    const { text, entry } = await gateway.exchange(streamResponse(sent, { ending }), streamed);

    const error = text.slice(sent.join('').length);
    expect(text.startsWith(sent.join(''))).toBe(true);
    expect(error).toMatch(/^event: error\ndata: .*\n\n$/);
    expect(JSON.parse(error.split('data: ')[1] ?? '')).toEqual({
      type: 'error',
      error: { type: 'api_error', message: expect.stringContaining('The ') },
      request_id: entry.id,
    });
    expect(entry).toMatchObject({ outcome: 'provider_error', usage_source: 'estimated', input_tokens: 19 });
  });

  it("ends with the provider's own error after its first event, and has its status before it", async () => {
    const error =
      '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}';
    const event = `event: error\ndata: ${error}\n\n`;

    const late = await gateway.exchange(streamResponse([start, event, stop]), streamed);
    const early = await gateway.exchange(streamResponse([ping, event]), streamed);

    expect(late).toMatchObject({ status: 200, text: start + event });
    expect(late.entry).toMatchObject({ outcome: 'provider_error', error_code: 'overloaded_error' });
    expect(early).toMatchObject({ status: 529, text: error });
    expect(early.headers['content-type']).toBe('application/json');
  });
});
