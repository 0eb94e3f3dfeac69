/** What becomes of whole answers that clients break on. */
import { describe, expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createOpenAiProtocol } from '#lambdas/inference/providers/openai/protocol.ts';
import { createPrepare } from '#lambdas/inference/providers/provider.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { exampleRequestId, exchange, providerCall } from '#test/support/providers/provider-call.ts';

async function read(body: string | object, provider = 'groq') {
  const entry = providerCatalog[provider];
  if (entry === undefined) throw new Error(`There is no ${provider}`);
  const prepare = createPrepare(() =>
    createOpenAiProtocol({
      name: provider,
      baseUrl: 'https://x.test/v1',
      region: null,
      entry,
      aws: exampleCaller,
    }),
  );
  // A text goes out as it is, which `exchange` would put in quotes.
  const bytes = typeof body === 'string' ? [body] : body;
  const headers = { 'content-type': 'application/json' };
  const { response } = await exchange(prepare, providerCall({}, { model: 'm' }), { headers, body: bytes });
  if (response.kind !== 'completion') throw new Error(`A ${response.kind} came`);
  const { body: shown, facts, error } = await response.read();
  return { text: shown.toString(), facts, error };
}

const shown = async (body: string | object) => JSON.parse((await read(body)).text);

const message = { role: 'assistant', content: 'Hi', refusal: null };
const choice = { index: 0, message, logprobs: null, finish_reason: 'stop' };
const answer = { id: 'c', object: 'chat.completion', created: 1767225600, model: 'm', choices: [choice] };
const withChoice = (change: object) => ({ ...answer, choices: [{ ...choice, ...change }] });
const withMessage = (change: object) => withChoice({ message: { ...message, ...change } });

describe('a whole answer', () => {
  it('that is right stays as it was written', async () => {
    const odd =
      '{ "id":"c","object":"chat.completion","created":1767225600, "model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"\\u00e9","refusal":null},"logprobs":null,"finish_reason":"stop"}],"x":1.0}';
    expect((await read(odd)).text).toBe(odd);
  });

  it('that is written anew keeps the digits of its numbers', async () => {
    expect((await read('{"choices":[],"cost":1.0,"big":9007199254740993}')).text).toBe(
      `{"choices":[],"cost":1.0,"big":9007199254740993,"id":"chatcmpl-${exampleRequestId}","created":1795132800,"model":"m","object":"chat.completion"}`,
    );
  });

  it('has what OpenAI always sends', async () => {
    const bare = { id: 'c', created: 1767225600, model: 'm', choices: [{ message: { content: 'Hi' } }] };
    expect(await shown(bare)).toEqual(answer);
    expect(await shown({ ...answer, choices: [{}] })).toEqual(withMessage({ content: null }));
  });

  it('has no null where OpenAI has nothing', async () => {
    expect(await shown({ ...withMessage({ tool_calls: null, annotations: null }), usage: null })).toEqual(
      answer,
    );
  });

  it.each([
    [
      'a service tier of its own',
      { ...answer, service_tier: 'on_demand' },
      { ...answer, service_tier: null },
    ],
    ['a finish reason of its own', withChoice({ finish_reason: 'eos' }), answer],
    ['no finish reason', withChoice({ finish_reason: null }), answer],
    [
      'half of the log probabilities',
      withChoice({ logprobs: { content: [] } }),
      withChoice({ logprobs: { content: [], refusal: null } }),
    ],
    [
      'thoughts among its parts',
      withMessage({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'Hi' },
        ],
      }),
      withMessage({ reasoning_content: 'Hm' }),
    ],
    [
      'thoughts under another name',
      withMessage({ reasoning: 'Hm' }),
      withMessage({ reasoning: 'Hm', reasoning_content: 'Hm' }),
    ],
    [
      'a tool call without type and id',
      withMessage({ tool_calls: [{ function: { name: 'f' } }] }),
      withMessage({
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
      withMessage({ tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'f', input: '' } }] }),
    ],
  ])('with %s is normalized', async (_case, said, expected) => {
    expect(await shown(said)).toEqual(expected);
  });

  it('has the arguments of a tool call as text, every digit of them', async () => {
    const said =
      '{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"n":1.0}}}]}}]}';
    expect((await shown(said)).choices[0].message.tool_calls[0].function.arguments).toBe('{"n":1.0}');
  });

  it('keeps a total that is more than its parts, as the provider counted it', async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 1, total_tokens: 20 };
    const { text } = await read({ ...answer, usage });
    expect(JSON.parse(text).usage).toEqual(usage);
  });

  it('counts as OpenAI counts', async () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 303,
      completion_tokens_details: { reasoning_tokens: 290 },
    };
    const { text, facts } = await read({ ...answer, usage });
    expect(JSON.parse(text).usage).toEqual({ ...usage, completion_tokens: 291 });
    expect(facts.usage).toMatchObject({ freshInputTokens: 12, outputTokens: 291, reasoningTokens: 290 });
  });
});

describe('no answer', () => {
  it.each([
    ['JSON without choices', { id: 'c' }, 502, 'The provider groq sent an answer without choices'],
    ['an error instead', { error: { message: 'Slow down', code: 429 } }, 429, 'Slow down'],
    ['an error in a choice', withChoice({ error: { message: 'Gone', code: 502 } }), 502, 'Gone'],
    [
      'a failure for a finish reason',
      withChoice({ finish_reason: 'error' }),
      502,
      'The provider groq ended its answer with "error"',
    ],
  ])('is in %s', async (_case, body, status, message) => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
    const { error, facts } = await read({ ...body, usage });
    expect(error).toMatchObject({ status, message });
    expect(facts.usage).toMatchObject({ freshInputTokens: 9, outputTokens: 3 });
  });
});
