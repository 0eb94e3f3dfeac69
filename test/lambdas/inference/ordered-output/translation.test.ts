/** The rules for callers of the Messages and of the Responses API, with providers that have neither. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { exampleCompletion, responseFormats } from '#test/support/providers/dialects/response-formats.ts';
import {
  buildChunk,
  deltaChunk,
  doneEvent,
  event,
  exampleUsage,
} from '#test/support/providers/openai/events.ts';
import {
  controlledStream,
  jsonResponse,
  type Respond,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';

const { whole } = responseFormats.openai;
const hello = whole(exampleCompletion);
const helloDelta = event(deltaChunk({ role: 'assistant', content: 'Hello' }));
const usageEvent = event(buildChunk({ usage: exampleUsage }));
const endEvents = [event(deltaChunk({}, 'stop')), usageEvent, doneEvent];
const message =
  'The provider mistral sent a call of the tool look whose arguments are not the JSON object that it takes';

interface Caller {
  path: '/ai/v1/messages' | '/ai/v1/responses';
  /** A request that says `Hi`. */
  fields: JsonObject;
  /** Asks for the effort `high`, and for `low`. */
  high: JsonObject;
  low: JsonObject;
  /** The name by which the effort `high` is reported. */
  effortName: string;
  /** For two tokens of input and three of output. */
  usage: JsonObject;
  /** The status and the body of a failed call. */
  failure: { status: number; error: JsonObject };
  /** The last events of a stream with it. */
  failureEvents(requestId: string): JsonObject[];
}

const messagesError = { type: 'api_error', message };
const responsesError = { type: 'api_error', code: 'provider_error', message, param: null };

const callers: Record<string, Caller> = {
  messages: {
    path: '/ai/v1/messages',
    fields: { max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }] },
    high: { thinking: { type: 'adaptive' } },
    low: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    effortName: 'thinking',
    usage: { input_tokens: 2, output_tokens: 3 },
    failure: { status: 500, error: messagesError },
    failureEvents: (request_id) => [{ type: 'error', error: messagesError, request_id }],
  },
  responses: {
    path: '/ai/v1/responses',
    fields: { input: 'Hi' },
    high: { reasoning: { effort: 'high' } },
    low: { reasoning: { effort: 'low' } },
    effortName: 'reasoning.effort',
    usage: { input_tokens: 2, output_tokens: 3, total_tokens: 5 },
    failure: { status: 502, error: responsesError },
    failureEvents: () => [
      expect.objectContaining({ type: 'error', error: responsesError }),
      expect.objectContaining({
        type: 'response.failed',
        response: expect.objectContaining({ status: 'failed', error: { code: 'server_error', message } }),
      }),
    ],
  },
};

describe.each(Object.entries(callers))('A caller of %s', (operation, caller) => {
  const model = 'mistral/mistral-large-latest';
  let gateways: TranslatedGateways;
  let mistral: TranslatedGateway;
  beforeAll(async () => {
    gateways = await startTranslatedGateways({ path: caller.path });
    mistral = await gateways.start('mistral');
  });
  afterAll(() => gateways.stop());

  it('asks again without the effort that a model refuses, and from then on at once', async () => {
    const { ask, upstream } = await gateways.start('together');
    const refusal = "Unsupported parameter: 'reasoning_effort' is not supported with this model.";
    const refuse = jsonResponse({ error: { message: refusal, param: 'reasoning_effort' } }, { status: 400 });
    const respond = jsonResponse(hello);
    const request = { ...caller.fields, model: 'together/a-model' };

    upstream.script(refuse);
    const first = await ask({ ...request, ...caller.high }, respond);
    const second = await ask({ ...request, ...caller.high }, respond);
    const other = await ask({ ...request, ...caller.low }, respond);

    const efforts = upstream.requests.map(({ body }) => JSON.parse(body.toString()).reasoning_effort);
    expect(efforts).toEqual(['high', undefined, undefined, 'low']);
    expect([first, second, other].map(({ status, ignored }) => [status, ignored])).toEqual([
      [200, [caller.effortName]],
      [200, [caller.effortName]],
      [200, []],
    ]);
    expect(first.entry).toMatchObject({ outcome: 'completed', retries: null });
  });

  it('that does not await a response is charged for all of it, which is read to its end', async () => {
    const { handler, upstream } = await gateways.start('mistral');
    const stream = controlledStream();
    upstream.script(stream.respond);
    const calling = handler.call(handler.event({ ...caller.fields, model, stream: true }));
    await stream.write(helloDelta);
    const call = await calling;
    call.body.destroy();
    await once(call.body, 'close');
    for (const chunk of endEvents) await stream.write(chunk);
    await stream.end();
    await call.invocation;

    expect(await handler.entries()).toMatchObject([
      { operation, outcome: 'client_closed', status: 200, input_tokens: 19, output_tokens: 5 },
    ]);
  });

  it.each<[string, Respond, JsonObject]>([
    ['whole', jsonResponse({ ...hello, usage: undefined }), {}],
    [
      'streamed',
      streamResponse([helloDelta, event(deltaChunk({ content: ' there' })), endEvents[0] ?? '', doneEvent]),
      { stream: true },
    ],
  ])('gets estimated usage with a response that has none, %s', async (_, respond, fields) => {
    // Five bytes of the prompt, and eleven of the text.
    const { body, entry } = await mistral.ask({ model, ...fields }, respond);

    expect(body.usage).toMatchObject(caller.usage);
    expect(entry).toMatchObject({ usage_source: 'estimated', input_tokens: 2, output_tokens: 3 });
  });

  it('gets an error instead of a call whose arguments are no JSON object', async () => {
    const callee = { name: 'look', arguments: '{"city":' };
    const respond = jsonResponse(whole({ text: '', calls: [{ id: 'call_1', ...callee }] }));
    const toolCall = { index: 0, id: 'call_1', type: 'function', function: callee };
    const stream = streamResponse([
      event(deltaChunk({ role: 'assistant', tool_calls: [toolCall] })),
      event(deltaChunk({}, 'tool_calls')),
      usageEvent,
      doneEvent,
    ]);

    const completion = await mistral.ask({ model }, respond);
    const streamed = await mistral.ask({ model, stream: true }, stream);

    const { status, error } = caller.failure;
    expect([completion.status, completion.body.error]).toEqual([status, error]);
    const last = caller.failureEvents(streamed.entry.id);
    expect(streamed.events.slice(-last.length)).toEqual(last);
    // The provider charges it.
    for (const { entry } of [completion, streamed])
      expect(entry).toMatchObject({ outcome: 'provider_error', input_tokens: 19, output_tokens: 5 });
  });
});
