/** Requests and responses of the Responses API, byte for byte. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fc } from '#test/support/fast-check.ts';
import {
  type NativeGateway,
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';
import {
  exampleRequest,
  responseFields,
  responsesEvent,
  startResponsesGateway,
} from '#test/support/responses/gateway.ts';
import { byTestForm } from '#test/support/test-form.ts';

let gateways: NativeGateways;
let gateway: NativeGateway;
beforeAll(async () => {
  gateways = await startNativeGateways();
  gateway = await startResponsesGateway(gateways);
});
afterAll(() => gateways.stop());

const streamed = { ...exampleRequest, stream: true };
const unfinished = { ...responseFields, status: 'in_progress', output: [], usage: null };
const complete = {
  outcome: 'completed',
  input_tokens: 19,
  cached_input_tokens: 4,
  cache_write_input_tokens: 5,
  output_tokens: 5,
  reasoning_tokens: 2,
  finish_reason: 'stop',
  service_tier: 'default',
  response_model: 'gpt-5.5-2026-04-23',
  response_id: responseFields.id,
};

const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
const delta = (sequence_number: number, text: string) =>
  responsesEvent({
    type: 'response.output_text.delta',
    sequence_number,
    ...place,
    delta: text,
    obfuscation: 'x7',
  });
const created = responsesEvent({ type: 'response.created', sequence_number: 0, response: unfinished });
const inProgress = responsesEvent({ type: 'response.in_progress', sequence_number: 1, response: unfinished });
const added = responsesEvent({
  type: 'response.output_item.added',
  sequence_number: 2,
  output_index: 0,
  item: { ...responseFields.output[0], status: 'in_progress', content: [] },
});
const done = responsesEvent({
  type: 'response.output_item.done',
  sequence_number: 5,
  output_index: 0,
  item: responseFields.output[0],
});
const completed = responsesEvent({
  type: 'response.completed',
  sequence_number: 6,
  response: responseFields,
});
const wholeStream = [created, inProgress, added, delta(3, 'H'), delta(4, 'i'), done, completed];

describe('A request', () => {
  it('reaches the provider with another model, and no other change', async () => {
    const body = `{ "model" : "openai/gpt-5.5", "max_output_tokens": 1e3, "seed": 12345678901234567890,
      "input": [{"type":"new_item","x":[ 1 ]}, {"role":"user","content":"gr\\u00fc\\u00df"}],
      "tools": [{"type":"namespace","name":"n","tools":[]}], "prompt": {"id":"pmpt_1"}, "background":false }`;

    const { request, entry } = await gateway.exchange(jsonResponse(responseFields), body);

    expect(request.url).toBe('/v1/responses');
    expect(request.body.toString()).toBe(body.replace('openai/gpt', 'gpt'));
    expect(entry).toMatchObject({
      ...complete,
      operation: 'responses',
      provider: 'openai',
      model: 'gpt-5.5',
      stream: false,
    });
  });

  it("has the caller's headers that are for OpenAI, and the gateway's credential", async () => {
    const { request } = await gateway.exchange(jsonResponse(responseFields), exampleRequest, {
      'openai-beta': 'responses=v1',
      'user-agent': 'codex_cli_rs/0.171.0',
      accept: 'text/event-stream',
      'gateway-user-id': 'ada',
      'idempotency-key': 'key',
      'openai-organization': 'org_of_the_caller',
      'session-id': 'session',
    });

    const { host, connection, 'content-length': _, ...headers } = request.headers;
    expect(headers).toEqual({
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      authorization: `Bearer ${providerKey}`,
      'content-type': 'application/json',
      'openai-beta': 'responses=v1',
      'user-agent': 'codex_cli_rs/0.171.0',
    });
  });
});

describe('A response', () => {
  it("has the provider's headers about the request and its limits, but not its organization", async () => {
    const { headers, entry } = await gateway.exchange(
      jsonResponse(responseFields, {
        headers: {
          'x-request-id': 'req_1',
          'x-ratelimit-remaining-requests': '7',
          'openai-processing-ms': '12',
          'openai-organization': 'org_of_the_operator',
          'openai-project': 'proj_of_the_operator',
          'set-cookie': 'a=b',
        },
      }),
      exampleRequest,
    );

    expect(headers).toEqual({
      'content-type': 'application/json',
      'openai-processing-ms': '12',
      'x-ratelimit-remaining-requests': '7',
      'x-request-id': 'req_1',
      'x-gateway-provider': 'openai',
      'x-gateway-provider-request-id': 'req_1',
      'x-gateway-request-id': entry.id,
    });
  });

  it('keeps items and fields that the gateway does not know', async () => {
    const body = `{"object":"response","output":[{"type":"new","n":1.50}],"status":"incomplete", "incomplete_details":{"reason":"new_reason"},"usage":{"input_tokens":1,"output_tokens":2,"new":3}}\n`;

    const { text, entry } = await gateway.exchange(jsonResponse(body), exampleRequest);

    expect(text).toBe(body.trimEnd());
    expect(entry).toMatchObject({ finish_reason: 'new_reason', input_tokens: 1, output_tokens: 2 });
  });

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ])('that is incomplete because of %s has the finish reason %s', async (reason, finishReason) => {
    const response = { ...responseFields, status: 'incomplete', incomplete_details: { reason } };

    const { entry } = await gateway.exchange(jsonResponse(response), exampleRequest);

    expect(entry).toMatchObject({ ...complete, finish_reason: finishReason });
  });

  it.each(['function_call', 'custom_tool_call', 'mcp_approval_request'])(
    'with a %s asks the caller to run a tool',
    async (type) => {
      const response = { ...responseFields, output: [{ type, id: 'fc_1', name: 'f', arguments: '{}' }] };

      const { entry } = await gateway.exchange(jsonResponse(response), exampleRequest);

      expect(entry.finish_reason).toBe('tool_calls');
    },
  );

  it('without a response is an error', async () => {
    const { status, text } = await gateway.exchange(jsonResponse({ ok: true }), exampleRequest);

    expect(status).toBe(502);
    expect(JSON.parse(text)).toEqual({
      error: {
        code: 'provider_error',
        message: 'The response of the provider openai contains no completion',
        param: null,
        type: 'api_error',
      },
    });
  });

  it.each([
    ['a stream', exampleRequest, streamResponse(wholeStream), 'a whole response'],
    ['a whole response', streamed, jsonResponse(responseFields), 'a stream'],
  ])(
    'that is %s where the other was asked for is an error with its usage',
    async (sent, body, respond, asked) => {
      const { status, text, entry } = await gateway.exchange(respond, body);

      expect(status).toBe(502);
      expect(JSON.parse(text).error.message).toBe(
        `The provider openai sent ${sent}, although the request asked for ${asked}`,
      );
      expect(entry).toMatchObject({ outcome: 'provider_error', input_tokens: 19, output_tokens: 5 });
    },
  );
});

describe('A stream', () => {
  it('is forwarded event by event, however its bytes are split', async () => {
    const unknown = 'event: response.new\r\ndata: {"type":"response.new",\r\ndata: "x":1}\r\n\r\n';
    const withoutName = delta(3, '').replace(/^event: .*\n/, '');
    const parts = [
      created,
      ': comment\n\n',
      ...wholeStream.slice(1, 5),
      withoutName,
      unknown,
      done,
      completed,
    ];
    const bytes = Buffer.from(parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const ends = [...cuts.toSorted((left, right) => left - right), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));

        const { status, text, entry } = await gateway.exchange(streamResponse(chunks), streamed);

        expect(status).toBe(200);
        expect(text).toBe(bytes.toString());
        expect(entry).toMatchObject({ ...complete, stream: true });
      }),
      { numRuns: 25 },
    );
  });

  it('of any bytes is forwarded or an error of the provider, and never one of the gateway', async () => {
    const events = fc.oneof(
      fc.constantFrom(...wholeStream, ': comment\n\n', 'data: [DONE]\n\n', '\n', '}\n\n', 'event: response.'),
      fc
        .constantFrom(...wholeStream)
        .chain((event) => fc.nat(event.length).map((end) => event.slice(0, end))),
      fc.json().map((data) => `event: response.x.delta\ndata: ${data}\n\n`),
      fc
        .constantFrom('error', 'response.failed', 'response.completed', 'response.output_item.done')
        .chain((type) =>
          fc
            .json()
            .map((data) => `data: {"type":"${type}","response":${data},"item":${data},"error":${data}}\n\n`),
        ),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(events, { maxLength: 6 }), fc.boolean(), async (parts, stream) => {
        const { status, text, entry } = await gateway.exchange(streamResponse(parts), {
          ...exampleRequest,
          stream,
        });

        expect(entry.error_code).not.toBe('internal_error');
        expect([200, 400, 404, 413, 422, 429, 500, 502, 503, 504]).toContain(status);
        if (status !== 200) expect(JSON.parse(text).error).toBeDefined();
      }),
      { numRuns: byTestForm({ short: 60, long: 500 }) },
    );
  });

  it.each(['complete', 'close'] as const)('is complete with its final event: %s', async (ending) => {
    const respond = streamResponse(wholeStream, { ending });

    const { text, entry } = await gateway.exchange(respond, streamed);

    expect(text).toBe(wholeStream.join(''));
    expect(entry).toMatchObject(complete);
  });

  it('ends with its final event, or with the mark that some servers send after it', async () => {
    const mark = 'data: [DONE]\n\n';

    const { text, entry } = await gateway.exchange(
      streamResponse([...wholeStream, delta(7, 'late'), created, mark, delta(8, 'late')]),
      streamed,
    );

    expect(text).toBe([...wholeStream, mark].join(''));
    expect(entry).toMatchObject(complete);
  });

  it('has the calls of its items even if the final response lacks them', async () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}' };
    const item = responsesEvent({ type: 'response.output_item.done', output_index: 0, item: call });
    const end = responsesEvent({ type: 'response.completed', response: { ...responseFields, output: [] } });

    const { entry } = await gateway.exchange(streamResponse([created, item, end]), streamed);

    expect(entry.finish_reason).toBe('tool_calls');
  });

  it.each(['complete', 'close'] as const)('that ends too early ends with an error: %s', async (ending) => {
    const sent = wholeStream.slice(0, 5);

    const { text, entry } = await gateway.exchange(streamResponse(sent, { ending }), streamed);

    const event = text.slice(sent.join('').length);
    expect(text.startsWith(sent.join(''))).toBe(true);
    expect(event).toMatch(/^event: error\ndata: .*\n\n$/);
    const error = { code: expect.any(String), message: expect.stringContaining('The '), param: null };
    expect(JSON.parse(event.split('data: ')[1] ?? '')).toEqual({
      type: 'error',
      sequence_number: 5,
      ...error,
      error: { type: 'api_error', ...error },
    });
    expect(entry).toMatchObject({
      outcome: 'provider_error',
      usage_source: 'estimated',
      // "Hello" and "Hi".
      input_tokens: 2,
      output_tokens: 1,
    });
  });

  it("ends with the provider's own error, and has its status before the first event", async () => {
    const error = '{"type":"error","error":{"type":"server_error","code":"server_error","message":"Oops"}}';
    const event = `event: error\ndata: ${error}\n\n`;
    const failed = responsesEvent({
      type: 'response.failed',
      response: { ...responseFields, status: 'failed', error: { code: 'server_error', message: 'Oops' } },
    });

    const late = await gateway.exchange(streamResponse([created, event, failed]), streamed);
    const only = await gateway.exchange(streamResponse([created, failed]), streamed);
    const cut = await gateway.exchange(streamResponse([created, event]), streamed);
    const early = await gateway.exchange(streamResponse([event]), streamed);

    expect(late).toMatchObject({ status: 200, text: created + event + failed });
    expect(only).toMatchObject({ status: 200, text: created + failed });
    expect(cut).toMatchObject({ status: 200, text: created + event });
    const failure = { outcome: 'provider_error', error_code: 'server_error' };
    expect(late.entry).toMatchObject({ ...failure, input_tokens: 19, output_tokens: 5 });
    expect(only.entry).toMatchObject({ ...failure, input_tokens: 19, output_tokens: 5 });
    expect(cut.entry).toMatchObject({ ...failure, usage_source: 'estimated', input_tokens: 2 });
    expect(early).toMatchObject({ status: 500, text: error });
    expect(early.headers['content-type']).toBe('application/json');
  });
});
