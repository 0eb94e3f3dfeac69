/** The same client code with providers of six protocols: only the model's name changes. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, Output, streamText, tool } from 'ai';
import OpenAI from 'openai';
import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { eventually } from '#test/support/eventually.ts';
import { chatServers, gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { type FakeProvider, fakeProviders } from '#test/support/providers/fake-providers.ts';
import { selfHostedNames, startSelfHostedUpstream } from '#test/support/providers/openai/self-hosted.ts';
import { describeEmbeddings } from './providers/embeddings.ts';
import { describeMessages } from './providers/messages.ts';
import { describeResponses } from './providers/responses.ts';
import { describeTranslatedMessages } from './providers/translated-messages.ts';
import { describeTranslatedResponses } from './providers/translated-responses.ts';

const models = [
  'openai/gpt-4o',
  // By the Responses API.
  'openai/gpt-5.5-pro',
  'anthropic/claude-sonnet-4-5',
  'google/gemini-2.5-flash',
  'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'mistral/mistral-large-latest',
] as const;
/** A model of every provider, for the concurrent streams. */
const allModels = [
  ...models,
  'azure/gpt-4o',
  'groq/llama-3.3-70b-versatile',
  'together/meta-llama/Llama-3.3-70B-Instruct-Turbo',
  'fireworks/accounts/fireworks/models/gpt-oss-120b',
  'deepseek/deepseek-chat',
  'xai/grok-4',
  'cerebras/llama3.1-8b',
  'openrouter/anthropic/claude-sonnet-4.5',
  'nvidia/meta/llama-3.1-8b-instruct',
  'cohere/command-a-03-2025',
  'vllm/my-model',
  'ollama/llama3.2',
] as const;

const expectedText = 'Hello there, I am here.';
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: 'You are brief.' },
  { role: 'user', content: 'What is the weather in Oslo?' },
];
const weatherParameters = {
  type: 'object',
  properties: { city: { type: 'string', description: 'A city' } },
  required: ['city'],
  additionalProperties: false,
};
const report = z.object({ city: z.string(), celsius: z.number() });

const starters: Record<string, (behaviour: object) => Promise<FakeProvider>> = {
  ...fakeProviders,
  ...Object.fromEntries(
    selfHostedNames.map((name) => [name, (behaviour) => startSelfHostedUpstream(name, behaviour)]),
  ),
};

function providerName(model: string): string {
  return model.slice(0, model.indexOf('/'));
}

describe('Client code that is independent of the provider', () => {
  const upstreams = new Map<string, FakeProvider>();
  let gateway: LocalGateway;
  beforeAll(async () => {
    const environment: NodeJS.ProcessEnv = { ...process.env };
    for (const provider of allModels.map(providerName)) {
      const upstream = await starters[provider]?.({});
      if (upstream === undefined) throw new Error(`No fake provider for ${provider}`);
      upstreams.set(provider, upstream);
      environment[`${provider.toUpperCase()}_BASE_URL`] = upstream.baseUrl;
      // Bedrock uses the role of the function.
      if (provider !== 'bedrock') environment[`${provider.toUpperCase()}_API_KEY`] = `sk-${provider}`;
    }
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory: await gatewayAssembly({ providers: chatServers }),
      environment,
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([...upstreams.values()].map((upstream) => upstream.stop()));
  });

  const openai = () =>
    new OpenAI({ baseURL: `${gateway.chatUrl}/ai`, apiKey: gateway.apiKey, maxRetries: 0 });

  describe.each(models)('%s, through the OpenAI client', (model) => {
    it('receives a completion', async () => {
      const completion = await openai().chat.completions.create({ model, messages, max_tokens: 100 });

      expect(completion.choices[0]?.message.content).toBe(expectedText);
      expect(completion.choices[0]?.finish_reason).toBe('stop');
      expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    });

    it('receives a stream', async () => {
      const stream = openai().chat.completions.stream({
        model,
        messages,
        stream_options: { include_usage: true },
      });

      const completion = await stream.finalChatCompletion();

      expect(completion.choices[0]?.message.content).toBe(expectedText);
      expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    });

    it('runs a tool and sends its result, streaming and not', async () => {
      const calls: unknown[] = [];
      const weather: RunnableToolFunctionWithParse<object> = {
        type: 'function',
        function: {
          name: 'weather',
          description: 'The weather in a city',
          parameters: weatherParameters,
          parse: JSON.parse,
          function: (city) => {
            calls.push(city);
            return 'Rain, 9 °C';
          },
        },
      };
      const { completions } = openai().chat;

      expect(await completions.runTools({ model, messages, tools: [weather] }).finalContent()).toBe(
        expectedText,
      );
      expect(
        await completions.runTools({ model, messages, tools: [weather], stream: true }).finalContent(),
      ).toBe(expectedText);
      expect(calls).toEqual([{ city: 'Oslo' }, { city: 'Oslo' }]);
    });

    it('receives JSON that matches a schema', async () => {
      const completion = await openai().chat.completions.parse({
        model,
        messages,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'report', strict: true, schema: z.toJSONSchema(report) },
        },
      });

      expect(report.parse(completion.choices[0]?.message.parsed)).toEqual({ city: 'text', celsius: 1 });
    });

    it('logs tokens and price', async () => {
      const { response } = await openai().chat.completions.create({ model, messages }).withResponse();

      const id = response.headers.get('x-gateway-request-id');
      await eventually(async () => {
        const entry = await fetch(`${gateway.baseUrl}/api/logs/${id}`, {
          headers: { authorization: `Bearer ${gateway.apiKey}` },
        });
        expect(await entry.json()).toMatchObject({
          provider: providerName(model),
          model: model.slice(model.indexOf('/') + 1),
          outcome: 'completed',
          pricing: 'table',
          usage_source: 'provider',
          provider_request_id: providerName(model) === 'google' ? null : expect.stringMatching(/./),
        });
      });
    });
  });

  describe.each(models)('%s, through the AI SDK', (name) => {
    const model = () =>
      createOpenAICompatible({
        name: 'gateway',
        baseURL: `${gateway.baseUrl}/ai`,
        apiKey: gateway.apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })(name);
    const prompt = 'What is the weather in Oslo?';
    const weather = tool({
      description: 'The weather in a city',
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => `Rain in ${city}`,
    });

    it('receives a completion and a stream', async () => {
      const { text, usage } = await generateText({ model: model(), prompt, maxRetries: 0 });
      expect(text).toBe(expectedText);
      expect(usage.totalTokens).toBeGreaterThan(0);

      const stream = streamText({ model: model(), prompt, maxRetries: 0 });
      expect((await Array.fromAsync(stream.textStream)).join('')).toBe(expectedText);
      expect((await stream.usage).totalTokens).toBeGreaterThan(0);
    });

    it('runs a tool loop, streaming and not', async () => {
      const loop = { model: model(), prompt, tools: { weather }, stopWhen: isStepCount(3), maxRetries: 0 };
      const completion = await generateText(loop);
      expect(completion.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
      expect(completion.steps[0]?.toolResults[0]?.output).toBe('Rain in Oslo');
      expect(completion.text).toBe(expectedText);

      const stream = streamText(loop);
      expect((await Array.fromAsync(stream.textStream)).join('')).toBe(expectedText);
      expect((await stream.steps)[0]?.toolResults[0]?.output).toBe('Rain in Oslo');
    });

    it('receives JSON that matches a schema', async () => {
      const { output } = await generateText({
        model: model(),
        prompt,
        output: Output.object({ schema: report }),
        maxRetries: 0,
      });
      expect(output).toEqual({ city: 'text', celsius: 1 });
    });
  });

  describe('Embeddings', () => describeEmbeddings(() => gateway));
  describe('Messages', () => describeMessages(() => ({ gateway, upstreams })));
  describe('Translated messages', () => describeTranslatedMessages(() => ({ gateway, upstreams })));
  describe('Responses', () => describeResponses(() => ({ gateway, upstreams })));
  describe('Translated responses', () => describeTranslatedResponses(() => ({ gateway, upstreams })));

  it.each(allModels)('%s accepts its own tool call in the next request', async (model) => {
    const { completions } = openai().chat;
    const callee = { name: 'weather', parameters: weatherParameters };
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: callee }];
    const [called] = (await completions.create({ model, messages, tools })).choices;
    const call = called?.message.tool_calls?.[0];
    if (called === undefined || call === undefined) throw new Error('The completion has no tool call');

    const completion = await completions.create({
      model,
      messages: [...messages, called.message, { role: 'tool', tool_call_id: call.id, content: 'Rain' }],
      tools,
    });

    expect(completion.choices[0]?.message.content).toBe(expectedText);
  });

  it('keeps sixty concurrent streams of all providers separate', async () => {
    for (const upstream of upstreams.values()) upstream.behaviour = { echo: true };
    const questions = Array.from({ length: 60 }, (_, number) => ({
      model: allModels[number % allModels.length] ?? allModels[0],
      text: `question ${number} of sixty, with words of its own: ${number * 7919}`,
    }));

    const completions = await Promise.all(
      questions.map(async ({ model, text }) => {
        const client = new OpenAI({
          baseURL: `${gateway.chatUrl}/ai`,
          apiKey: gateway.apiKey,
          defaultHeaders: { 'gateway-session-id': text.slice(0, 12) },
        });
        const stream = client.chat.completions.stream({
          model,
          messages: [{ role: 'user', content: text }],
          stream_options: { include_usage: true },
        });
        const chunks = await Array.fromAsync(stream);
        return {
          text: chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''),
          ids: new Set(chunks.map(({ id }) => id)).size,
        };
      }),
    );

    expect(completions).toEqual(questions.map(({ text }) => ({ text: `You said: ${text}`, ids: 1 })));
    for (const upstream of upstreams.values()) upstream.behaviour = {};
  });
});
