import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoUpstream, startDemoUpstream } from '#local/providers/demo/upstream.ts';

let upstream: DemoUpstream;
let client: OpenAI;

beforeAll(async () => {
  upstream = await startDemoUpstream();
  client = new OpenAI({ baseURL: upstream.settings.baseUrl, apiKey: 'any', maxRetries: 0 });
});

afterAll(() => upstream.stop());

const question = { model: 'demo-1', messages: [{ role: 'user' as const, content: 'Hello!' }] };
const usage = { prompt_tokens: 9, completion_tokens: 28, total_tokens: 37 };

describe('startDemoUpstream', () => {
  it('returns a completion', async () => {
    const { data, request_id } = await client.chat.completions.create(question).withResponse();

    expect(request_id).toMatch(/^req_[0-9a-f]{32}$/);
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'demo-1',
      usage: { total_tokens: expect.any(Number) },
    });
    expect(data.choices[0]?.message.content).toMatch(/^Hello from the local demo: you sent 1 message\./);
    expect(data.choices[0]?.finish_reason).toBe('stop');
  });

  it.each([
    ['with usage when stream_options requests it', { include_usage: true }, 1],
    ['without usage by default', undefined, 0],
  ])('streams the same completion %s', async (_, stream_options, usages) => {
    const stream = await client.chat.completions.create({ ...question, stream: true, stream_options });
    let content = '';
    const reportedUsages: unknown[] = [];
    for await (const chunk of stream) {
      content += chunk.choices[0]?.delta.content ?? '';
      if (chunk.usage) reportedUsages.push(chunk.usage);
    }

    expect(content).toMatch(/^Hello from the local demo: you sent 1 message\..*real answers\.$/);
    expect(reportedUsages).toHaveLength(usages);
  });

  it('estimates tokens from the length of the text', async () => {
    const { usage: counted } = await client.chat.completions.create(question);

    expect(counted).toEqual(usage);
  });

  it('returns a message of Anthropic, whole and streamed, and counts the tokens of a request', async () => {
    const anthropic = new Anthropic({
      baseURL: upstream.settings.baseUrl?.replace('/v1', '') ?? null,
      apiKey: 'any',
      maxRetries: 0,
    });
    const request = { ...question, max_tokens: 100 };

    const whole = await anthropic.messages.create(request);
    const streamed = await anthropic.messages.stream(request).finalMessage();
    const counted = await anthropic.messages.countTokens(question);

    expect(whole).toMatchObject({
      type: 'message',
      model: 'demo-1',
      content: [
        { type: 'text', text: expect.stringMatching(/^Hello from the local demo: you sent 1 message\./) },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 28 },
    });
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.usage).toMatchObject({ input_tokens: 9, output_tokens: 28 });
    expect(counted).toEqual({ input_tokens: 9 });
  });
});
