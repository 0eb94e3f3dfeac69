/** The items of a model go back as they were, through a message that the caller sends back. */
import { describe, expect, it } from 'vitest';
import { createResponsesReader } from '#lambdas/inference/providers/openai/over-responses/reader.ts';
import { renderResponsesRequest } from '#lambdas/inference/providers/openai/over-responses/request.ts';
import { filterObjects, type JsonObject, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { readMessages } from '#test/support/messages/read.ts';
import { assembleMessage, startMessagesWriter } from '#test/support/messages/write.ts';
import { neutralRequest } from '#test/support/providers/neutral-request.ts';
import { responseBody } from '#test/support/providers/openai/responses/response-events.ts';
import type { Item } from '#test/support/providers/openai/responses/turns.ts';
import { eventData } from '#test/support/providers/sse-events.ts';

const text = fc.constantFrom('Hi', 'Well, ', ' no\n', 'é 🙂', 'gateway/openai;');
const item = fc.oneof<fc.Arbitrary<Item>[]>(
  fc.record({ type: fc.constant('reasoning'), summary: fc.array(text, { maxLength: 2 }) }),
  // Messages join texts that nothing tells apart.
  fc.record({ type: fc.constant('message'), text, phase: fc.constantFrom('commentary', 'final_answer') }),
  fc.record({
    type: fc.constant('function_call'),
    name: fc.constantFrom('look', 'send'),
    call_id: fc.constant(''),
    arguments: fc.constantFrom('{}', '{"city":"Oslo"}'),
  }),
);
const items = fc
  .array(item, { minLength: 1, maxLength: 8 })
  .map((list) =>
    list.map((each, at) => (each.type === 'function_call' ? { ...each, call_id: `call_${at}` } : each)),
  )
  .filter((list) => list.some(({ type }) => type !== 'reasoning'));

const identity = { requestId: `req_${'1'.padStart(32, '0')}`, model: 'gpt-5.5' };
const include = ['reasoning.encrypted_content'];

/** The message for the response to a request, as its caller receives it. */
async function messageOf(list: readonly Item[], stream: boolean): Promise<JsonObject> {
  const turn = { items: list, usage: { input: 1, output: 1 } };
  const body = responseBody(turn, { model: 'gpt-5.5', include, stream }, identity);
  const writer = startMessagesWriter({ provider: 'openai', stream });
  const origin = { provider: 'openai', model: 'gpt-5.5', stream, credential: null, reportedCost: null };
  const readPayload = createResponsesReader({ origin, request: neutralRequest(), writer, onFinal() {} });
  const payloads = typeof body === 'string' ? [body] : body.flatMap(eventData);
  for (const payload of payloads) readPayload(parseJsonObject(payload) ?? {}, '');
  writer.endWhole();
  const written = writer.take().toString();
  return stream ? assembleMessage(written) : (parseJsonObject(written) ?? {});
}

/** The items of the next request that the model has made. */
function sentBack(content: unknown): JsonObject[] {
  const blocks = filterObjects(content);
  const results = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Done' }));
  const next = { role: 'user', content: [...results, { type: 'text', text: 'Go on' }] };
  const request = readMessages({ messages: [{ role: 'assistant', content: blocks }, next] }, 'openai');
  const { body } = renderResponsesRequest(request, {
    provider: 'openai',
    model: 'gpt-5.5',
    entry: { isOpenAi: true },
    stream: false,
    refused: new Set(),
  });
  return filterObjects(body.input).filter(
    ({ type, role }) => role !== 'user' && !String(type).endsWith('_output'),
  );
}

/** Reasoning needs what follows it, and the phase of the last text has no place in a message. */
function expectedItems(list: readonly Item[]): JsonObject[] {
  const last = list.findLastIndex(({ type }) => type !== 'reasoning');
  const body = responseBody(
    { items: list, usage: { input: 1, output: 1 } },
    { model: 'gpt-5.5', include },
    identity,
  );
  const output = filterObjects(parseJsonObject(String(body))?.output).slice(0, last + 1);
  return output.map((made, at) => {
    const { type, summary, encrypted_content, content, phase, call_id, name, arguments: json } = made;
    switch (type) {
      case 'reasoning': {
        const joined = filterObjects(summary)
          .map((part) => part.text)
          .join('\n\n');
        return {
          type,
          summary: joined === '' ? [] : [{ type: 'summary_text', text: joined }],
          encrypted_content,
        };
      }
      case 'message': {
        const texts = filterObjects(content).map((part) => ({ type: 'output_text', text: part.text }));
        return { type, role: 'assistant', content: texts, ...(at < list.length - 1 && { phase }) };
      }
      default:
        return { type, call_id, name, arguments: json };
    }
  });
}

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('A message, %s', (_, stream) => {
  it('that is sent back has the items of its response in their order, with unchanged encrypted reasoning', async () => {
    await fc.assert(
      fc.asyncProperty(items, async (list) => {
        const { content } = await messageOf(list, stream);

        expect(sentBack(content)).toEqual(expectedItems(list));
      }),
      { numRuns: 60 },
    );
  });
});
