import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createOpenAiProtocol } from '#lambdas/inference/providers/openai/protocol.ts';
import { createPrepare } from '#lambdas/inference/providers/provider.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { exampleRequestId, exchange, providerCall, readBody } from '#test/support/providers/provider-call.ts';

async function read(body: string | object, provider = 'groq') {
  const entry = providerCatalog[provider];
  if (entry === undefined) throw new Error(`${provider} is not in the catalog`);
  const prepare = createPrepare(() =>
    createOpenAiProtocol({
      name: provider,
      baseUrl: 'https://x.test/v1',
      region: null,
      path: '/chat/completions',
      entry,
      aws: exampleClientOptions,
    }),
  );
  // An array sends a string unchanged; `exchange` would encode the string itself as JSON.
  const bytes = typeof body === 'string' ? [body] : body;
  const headers = { 'content-type': 'application/json' };
  return readBody(await exchange(prepare, providerCall({}, { model: 'm' }), { headers, body: bytes }));
}

const normalized = async (body: string | object) => JSON.parse((await read(body)).text);

const message = { role: 'assistant', content: 'Hi', refusal: null };
const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' };
const completion = { id: 'c', object: 'chat.completion', created: 1767225600, model: 'm', choices: [choice] };
const withChoice = (change: object) => ({ ...completion, choices: [{ ...choice, ...change }] });
const withMessage = (change: object) => withChoice({ message: { ...message, ...change } });
const withToolCalls = (change: object) =>
  withChoice({ message: { ...message, ...change }, finish_reason: 'tool_calls' });

describe('Non-streaming responses in OpenAI format', () => {
  it('passes a valid completion through unchanged', async () => {
    const unusuallyFormatted =
      '{ "id":"c","object":"chat.completion","created":1767225600, "model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"\\u00e9","refusal":null},"logprobs":null,"finish_reason":"stop"}],"x":1.0}';
    expect((await read(unusuallyFormatted)).text).toBe(unusuallyFormatted);
  });

  it('preserves the digits of numbers in a normalized completion', async () => {
    const choices = JSON.stringify([choice]);
    expect((await read(`{"choices":${choices},"cost":1.0,"big":9007199254740993}`)).text).toBe(
      `{"choices":${choices},"cost":1.0,"big":9007199254740993,"id":"chatcmpl-${exampleRequestId}","created":1795132800,"model":"m","object":"chat.completion"}`,
    );
  });

  it('adds the fields that OpenAI always sends', async () => {
    const minimal = { id: 'c', created: 1767225600, model: 'm', choices: [{ message: { content: 'Hi' } }] };
    expect(await normalized(minimal)).toEqual(completion);
    expect(await normalized({ ...completion, choices: [{ finish_reason: 'stop' }] })).toEqual(
      withMessage({ content: null }),
    );
  });

  it('removes null fields that OpenAI omits', async () => {
    expect(
      await normalized({ ...withMessage({ tool_calls: null, annotations: null }), usage: null }),
    ).toEqual(completion);
  });

  it.each([
    [
      'an unknown service tier',
      { ...completion, service_tier: 'on_demand' },
      { ...completion, service_tier: null },
    ],
    ['an unknown finish reason', withChoice({ finish_reason: 'eos' }), completion],
    ['no finish reason', withChoice({ finish_reason: null }), completion],
    [
      'incomplete log probabilities',
      withChoice({ logprobs: { content: [] } }),
      withChoice({ logprobs: { content: [], refusal: null } }),
    ],
    [
      'reasoning in content parts',
      withMessage({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'Hi' },
        ],
      }),
      withMessage({ reasoning_content: 'Hm' }),
    ],
    [
      'reasoning in another field',
      withMessage({ reasoning: 'Hm' }),
      withMessage({ reasoning: 'Hm', reasoning_content: 'Hm' }),
    ],
    [
      'a tool call without type and id',
      withMessage({ tool_calls: [{ function: { name: 'f' } }] }),
      withToolCalls({
        tool_calls: [
          {
            id: 'call_8c007d2e9f3a5b6c7d8e9f02_0_0',
            type: 'function',
            function: { name: 'f', arguments: '{}' },
          },
        ],
      }),
    ],
    [
      'a custom tool call without type',
      withMessage({ tool_calls: [{ id: 'a', custom: { name: 'f', input: '' } }] }),
      withToolCalls({ tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'f', input: '' } }] }),
    ],
  ])('normalizes a completion with %s', async (_case, body, expected) => {
    expect(await normalized(body)).toEqual(expected);
  });

  it('converts tool call arguments to text, preserving the digits of numbers', async () => {
    const text =
      '{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"n":1.0}}}]}}]}';
    expect((await normalized(text)).choices[0].message.tool_calls[0].function.arguments).toBe('{"n":1.0}');
  });

  it('keeps a total that exceeds its parts', async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 20 };
    const { text } = await read({ ...completion, usage });
    expect(JSON.parse(text).usage).toEqual(usage);
  });

  it.each([
    { prompt_tokens: '12', completion_tokens: 1, total_tokens: 13 },
    { prompt_tokens: 12.5, completion_tokens: 1 },
    { prompt_tokens: 12, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 'x' } },
  ])('keeps usage with an unreadable count as it is: %j', async (usage) => {
    const { text, facts } = await read({ ...completion, usage });
    expect(JSON.parse(text).usage).toEqual(usage);
    expect(facts.usage?.missing).toHaveLength(1);
  });

  it.each([
    ['priority', 'priority'],
    ['ultrafast', 'ultrafast'],
    ['on_demand', null],
    ['', null],
  ])('returns the tier %j as %j', async (service_tier, returned) => {
    const { text, facts } = await read({ ...completion, service_tier });
    expect(JSON.parse(text).service_tier).toBe(returned);
    expect(facts.serviceTier).toBe(service_tier || null);
  });

  it("reads the charges for Groq's tools", async () => {
    const executed_tools = [{ index: 0, type: 'search', arguments: '{}' }];
    const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 13 };
    const { facts } = await read({ ...withMessage({ executed_tools }), usage });
    expect(facts.usage).toMatchObject({ freshInputTokens: 12, webSearches: 1 });
  });

  it('adds reasoning tokens to completion_tokens when the total includes them', async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 303,
      completion_tokens_details: { reasoning_tokens: 290 },
    };
    const { text, facts } = await read({ ...completion, usage });
    expect(JSON.parse(text).usage).toEqual({ ...usage, completion_tokens: 291 });
    expect(facts.usage).toMatchObject({ freshInputTokens: 12, outputTokens: 291, reasoningTokens: 290 });
  });
});

describe('Responses in OpenAI format without a completion', () => {
  it.each([
    ['JSON without choices', { id: 'c' }, 502, 'The response of the provider groq contains no completion'],
    ['no choices', { choices: [] }, 502, 'The response of the provider groq contains no completion'],
    ['an empty choice', { choices: [{}] }, 502, 'The response of the provider groq contains no completion'],
    ['an error body', { error: { message: 'Slow down', code: 429 } }, 429, 'Slow down'],
    ['an error in a choice', withChoice({ error: { message: 'Gone', code: 502 } }), 502, 'Gone'],
    [
      'finish reason error',
      withChoice({ finish_reason: 'error' }),
      502,
      'The provider some ended its response with "error"',
    ],
  ])('returns an error and the usage for %s', async (_case, body, status, message) => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
    const { error, facts } = await read({ ...body, usage });
    expect(error).toMatchObject({ status, message });
    expect(facts.usage).toMatchObject({ freshInputTokens: 9, outputTokens: 3 });
  });
});
