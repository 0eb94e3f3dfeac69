/**
 * The requests by which Open Responses tests servers, at each kind of provider without the API.
 * https://github.com/openresponses/openresponses/blob/main/src/lib/compliance-tests.ts
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import {
  startTranslatedGateways,
  type TranslatedGateway,
  type TranslatedGateways,
} from '#test/support/messages/translated-gateway.ts';
import { itemProblems } from '#test/support/responses/item-events.ts';
import { openResponsesProblems, requiredResponseFields } from '#test/support/responses/open-responses.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { eventsOf } from '#test/support/responses/write.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

const models = [
  'anthropic/claude-haiku-4-5',
  'bedrock/us.amazon.nova-2-lite-v1:0',
  'google/gemini-2.5-flash',
  'mistral/mistral-large-latest',
  'vllm/Qwen/Qwen3-32B',
];

const message = (role: string, content: unknown) => ({ type: 'message', role, content });
const location = { type: 'string', description: 'The city and state, e.g. San Francisco, CA' };
const getWeather = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: { type: 'object', properties: { location }, required: ['location'] },
};
const image = {
  type: 'input_image',
  image_url:
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};

const requests: Readonly<Record<string, JsonObject>> = {
  'a text': { input: [message('user', 'Say hello in exactly 3 words.')] },
  'a message of the system': {
    input: [message('system', 'You are a pirate.'), message('user', 'Say hello.')],
  },
  'a tool': { input: [message('user', 'What is the weather in San Francisco?')], tools: [getWeather] },
  'an image': {
    input: [message('user', [{ type: 'input_text', text: 'What do you see in this image?' }, image])],
  },
  'several turns': {
    input: [
      message('user', 'My name is Alice.'),
      message('assistant', 'Hello Alice! How can I help you today?'),
      message('user', 'What is my name?'),
    ],
  },
};

/** Without what differs between two requests. */
function withoutIdentity({ id, created_at, completed_at, output, ...response }: JsonObject): JsonObject {
  const items = filterObjects(output).map(({ id: _, call_id, ...item }) => item);
  return { ...response, output: items };
}

describe.each(models)('At %s', (model) => {
  const provider = model.slice(0, model.indexOf('/'));
  let gateway: TranslatedGateway;
  beforeAll(async () => {
    const settings = { [provider]: { operations: { responses: false } } } as const;
    gateway = await gateways.start(provider, { path: '/ai/v1/responses', settings });
  });

  it.each(Object.entries(requests))(
    'a request with %s has a response with all fields',
    async (name, fields) => {
      const { handler } = gateway;
      const whole = await handler.post({ model, ...fields, stream: false });
      const stream = await handler.post({ model, ...fields, stream: true });

      const response = parseJsonObject(whole.text) ?? {};
      const events = eventsOf(stream.text);
      const final = objectOrEmpty(events.at(-1)?.response);
      expect([whole.status, stream.status]).toEqual([200, 200]);
      expect([whole.headers['content-type'], stream.headers['content-type']]).toEqual([
        'application/json',
        'text/event-stream; charset=utf-8',
      ]);
      expect([responseProblems(response), openResponsesProblems(response)]).toEqual([[], []]);
      expect([streamProblems(stream.text), itemProblems(events)]).toEqual([[], []]);
      const inEvents = events.flatMap((event) => (event.response === undefined ? [] : [event.response]));
      expect(inEvents.flatMap(openResponsesProblems)).toEqual([]);
      for (const each of [response, ...inEvents])
        expect(Object.keys(objectOrEmpty(each))).toEqual(expect.arrayContaining([...requiredResponseFields]));
      expect(withoutIdentity(final)).toEqual(withoutIdentity(response));
      expect([response.status, response.store, response.completed_at]).toEqual([
        'completed',
        false,
        expect.any(Number),
      ]);
      const types = filterObjects(response.output).map(({ type }) => type);
      expect(types.at(-1)).toBe(name === 'a tool' ? 'function_call' : 'message');
      if (name === 'a tool')
        expect(events.map(({ type }) => type)).toEqual(
          expect.arrayContaining([
            'response.function_call_arguments.delta',
            'response.function_call_arguments.done',
          ]),
        );
    },
  );
});
