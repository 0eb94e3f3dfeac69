/** The form of a translated response is the one that its caller asks for, whatever the provider sends, with the same content. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { bedrockStreamType } from '#test/support/providers/bedrock/event-stream.ts';
import {
  type Protocol,
  protocols,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { eventStream, jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { loopCompletion, loopRequest } from '#test/support/responses/tool-loop.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

const fakes = { openai: 'vllm', anthropic: 'anthropic', google: 'google', bedrock: 'bedrock' } as const;
const settings = { vllm: { operations: { responses: false } } } as const;

/** The response without what differs between two requests. */
function withoutIdentity(response: JsonObject, requestId: string): unknown {
  const { created_at, completed_at, ...fields } = response;
  expect([created_at, completed_at]).toEqual([expect.any(Number), expect.any(Number)]);
  return JSON.parse(JSON.stringify(fields).replaceAll(requestId, 'ID'));
}

describe.each(protocols)('A response of %s', (protocol: Protocol) => {
  let gateway: TranslatedGateway;
  beforeAll(async () => {
    gateway = await gateways.start(fakes[protocol], { settings });
  });
  const { model, whole, events, encode, terminator } = responseFormats[protocol];
  const body = jsonResponse(whole(loopCompletion));
  const headers = protocol === 'bedrock' ? { 'content-type': bedrockStreamType } : eventStream;
  const chunks = [...events(loopCompletion).map(encode), ...(terminator === null ? [] : [terminator])];
  const stream = streamResponse(chunks, { headers });

  it('is the same in all forms', async () => {
    const request = { ...loopRequest, model: `${fakes[protocol]}${model.slice(model.indexOf('/'))}` };
    const responses: unknown[] = [];
    for (const respond of [body, stream]) {
      const asked = await gateway.ask({ ...request, stream: false }, respond);
      const streamed = await gateway.ask({ ...request, stream: true }, respond);

      expect([asked.headers['content-type'], streamed.headers['content-type']]).toEqual([
        'application/json',
        expect.stringContaining('text/event-stream'),
      ]);
      expect([...responseProblems(asked.body), ...streamProblems(streamed.text)]).toEqual([]);
      for (const { entry, body: response } of [asked, streamed]) {
        responses.push(withoutIdentity(response, entry.id));
        expect(entry).toMatchObject({
          outcome: 'completed',
          finish_reason: 'tool_calls',
          input_tokens: 19,
          output_tokens: 5,
        });
      }
    }

    const [first, ...others] = responses;
    expect(others).toEqual([first, first, first]);
  });
});
