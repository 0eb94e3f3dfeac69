/** Chat requests. Most are nearly valid, since the first check already rejects an obviously invalid request. */
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { fc } from '#test/support/fast-check.ts';
import { anyName, anyText, anyValue, edgeCaseJsonText } from './json.ts';
import { message, schema, tool, user } from './messages.ts';
import { members } from './objects.ts';

const parameters = members({
  stream: fc.boolean(),
  stream_options: members({ include_usage: fc.boolean() }),
  temperature: fc.double({ min: -1, max: 3, noNaN: true }),
  top_p: fc.double({ min: 0, max: 1, noNaN: true }),
  top_k: fc.integer({ min: -1, max: 50 }),
  max_tokens: fc.integer({ min: -1, max: 10_000 }),
  max_completion_tokens: fc.integer({ min: 0, max: 10_000 }),
  stop: fc.oneof(anyText, fc.array(anyText, { maxLength: 5 })),
  seed: fc.integer(),
  frequency_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
  presence_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
  logprobs: fc.boolean(),
  reasoning_effort: fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'max'),
  tools: fc.array(tool, { maxLength: 3 }),
  tool_choice: fc.oneof(
    fc.constantFrom('auto', 'none', 'required'),
    members({ type: fc.constant('function'), function: members({ name: fc.constant('f') }) }),
  ),
  parallel_tool_calls: fc.boolean(),
  response_format: members({
    type: fc.constantFrom('text', 'json_object', 'json_schema'),
    json_schema: members({ name: fc.constant('s'), schema, strict: fc.boolean() }),
  }),
  user: anyText,
  metadata: members({ user_id: anyText }),
  thinking: members({
    type: fc.constantFrom('enabled', 'disabled', 'adaptive'),
    budget_tokens: fc.integer({ min: 0, max: 5000 }),
  }),
  extra_body: anyValue,
  modalities: fc.array(fc.constantFrom('text', 'audio')),
  prediction: anyValue,
  web_search_options: anyValue,
  service_tier: anyText,
  store: fc.boolean(),
});

const modelNames = fc.oneof(
  fc.constantFrom(
    'm',
    'gpt-4o',
    'o3',
    'claude-sonnet-4-5',
    'claude-opus-4-1',
    'gemini-2.5-flash',
    'tunedModels/x',
    'a/b',
    '..',
    '.',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'amazon.nova-lite-v1:0',
    'deepseek.r1-v1:0',
  ),
  anyText,
);
const providers = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...Object.keys(providerCatalog)) },
  { weight: 3, arbitrary: fc.constantFrom('anthropic', 'google', 'bedrock') },
  { weight: 1, arbitrary: anyName },
);
const model = fc.tuple(providers, modelNames).map(([provider, name]) => `${provider}/${name}`);

export const chatRequest = fc
  .tuple(
    fc.oneof({ weight: 19, arbitrary: model }, { weight: 1, arbitrary: anyValue }),
    fc.oneof(
      {
        weight: 19,
        arbitrary: fc.tuple(fc.array(message, { maxLength: 3 }), user).map(([some, last]) => [...some, last]),
      },
      { weight: 1, arbitrary: anyValue },
    ),
    parameters,
  )
  .map(([name, messages, rest]) => ({ ...rest, model: name, messages }));

const placeholder = '"placeholder"';

/** The text of a body: a request, a request with edge-case JSON or a replaced range in it, or any text. */
export const requestBodyText = fc.oneof(
  { weight: 14, arbitrary: chatRequest.map((body) => JSON.stringify(body)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(chatRequest, edgeCaseJsonText)
      .map(([body, json]) =>
        JSON.stringify({ ...body, extra: 'placeholder' }).replace(placeholder, () => json),
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(chatRequest, fc.nat(), fc.nat(9), anyText)
      .map(([body, place, length, replacement]) =>
        replaceRange(JSON.stringify(body), { place, length, replacement }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      anyValue.map((value) => JSON.stringify(value)),
      edgeCaseJsonText,
      anyText,
    ),
  },
);

function replaceRange(
  text: string,
  { place, length, replacement }: { place: number; length: number; replacement: string },
): string {
  const from = place % (text.length + 1);
  return text.slice(0, from) + replacement + text.slice(from + length);
}
