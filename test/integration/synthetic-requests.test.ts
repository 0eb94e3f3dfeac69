/**
 * The canary and `npm run smoke` on the local stack, where each small write of a stream is held back until the next one.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSmoke } from '#cli/smoke/program.ts';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { type LogLine, withoutCommonFields } from '#test/support/log-lines.ts';
import { deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '#test/support/providers/openai/upstream.ts';
import { controlledStream } from '#test/support/providers/upstream-responses.ts';
import { runInTerminal } from '#test/support/run-in-terminal.ts';

const model = 'openai/gpt-4o-mini';

let upstream: OpenAIUpstream;
let gateway: LocalGateway;
const output: string[] = [];
beforeAll(async () => {
  upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream' });
});
afterAll(() => upstream.stop());

async function startGateway(assemblyDirectory: string): Promise<void> {
  gateway = await startLocalGateway({
    port: 0,
    ephemeral: true,
    holdChunks: true,
    assemblyDirectory,
    environment: {
      PATH: process.env.PATH,
      OPENAI_API_KEY: 'sk-upstream',
      OPENAI_BASE_URL: upstream.baseUrl,
    },
    onLogLine: (line) => output.push(line),
  });
}

/** The error of each check. */
async function smoke(...options: string[]): Promise<Record<string, string | null>> {
  const commandLine = ['--url', gateway.baseUrl, '--chat-url', gateway.chatUrl, '--json', ...options];
  const environment = { GATEWAY_API_KEY: gateway.apiKey };
  const { stdout } = await runInTerminal((terminal) => runSmoke(commandLine, terminal), { environment });
  const { checks } = JSON.parse(stdout) as {
    checks: { endpoint: string; check: string; error: string | null }[];
  };
  return Object.fromEntries(checks.map(({ endpoint, check, error }) => [`${endpoint} ${check}`, error]));
}

describe('Without `streamFlush`', () => {
  beforeAll(async () => startGateway(await gatewayAssembly()));
  afterAll(() => gateway.stop());

  it('the smoke test fails on both endpoints, since events come late', async () => {
    const late = /^Expected events as they are written, but 1\d of 20 came more than 200 ms late/;
    expect(await smoke()).toEqual({
      'rest_api unknown_key_refused': null,
      'rest_api unknown_model_refused': null,
      'rest_api events_on_time': expect.stringMatching(late),
      'function_url unknown_key_refused': null,
      'function_url unknown_model_refused': null,
      'function_url events_on_time': expect.stringMatching(late),
    });
  });
});

describe('With `streamFlush`', () => {
  beforeAll(async () => {
    const settings = {
      monitoring: 'all',
      canary: { model },
      streamFlush: true,
      defaultProvider: 'openai',
    } as const;
    await startGateway(await gatewayAssembly(settings));
  });
  afterAll(() => gateway.stop());

  /** The fields of the lines that the canary has printed. */
  const canaryLines = (): LogLine[] =>
    output
      .filter((line) => line.startsWith('[CanaryFunction] ') && line.includes('"event":"canary_run"'))
      .map((line) => withoutCommonFields(JSON.parse(line.slice(line.indexOf('{')))));

  const passed = {
    level: 'INFO',
    event: 'canary_run',
    check: null,
    error: null,
    duration_ms: expect.any(Number),
  };

  it('the canary passes on both endpoints, with exactly its permissions', async () => {
    await gateway.runSchedule('CanarySchedule', new Date());
    await gateway.runSchedule('CanarySchedule', new Date());

    const lines = [
      { ...passed, endpoint: 'rest_api' },
      { ...passed, endpoint: 'function_url', CanaryFailures: 0 },
    ];
    await expect.poll(canaryLines).toEqual([...lines, ...lines]);
    const unused = gateway
      .unusedGrants()
      .filter(({ functionName }) => functionName.includes('CanaryFunction'));
    expect(unused.map(({ action }) => action)).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
    expect(output.filter((line) => line.includes('is not authorized'))).toEqual([]);
  });

  it('the smoke test passes on both endpoints', async () => {
    const errors = Object.values(await smoke('--model', model));
    expect(errors).toEqual(errors.map(() => null));
    expect(errors).toHaveLength(14);
  });

  it.each(['REST API', 'function URL'])(
    'serves a model without a prefix from the default provider through the %s',
    async (endpoint) => {
      const baseURL = `${endpoint === 'REST API' ? gateway.baseUrl : gateway.chatUrl}/ai`;
      const { chat, embeddings } = new OpenAI({ baseURL, apiKey: gateway.apiKey, maxRetries: 0 });
      const completion = await chat.completions
        .create({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello' }] })
        .withResponse();
      const vector = await embeddings
        .create({ model: 'text-embedding-3-small', input: 'Hello' })
        .withResponse();

      const headers = [completion, vector].map(({ response }) => response.headers.get('x-gateway-provider'));
      expect(headers).toEqual(['openai', 'openai']);
      const sent = upstream.requests.slice(-2).map(({ body }) => JSON.parse(body.toString()).model);
      expect(sent).toEqual(['gpt-4o-mini', 'text-embedding-3-small']);
    },
  );

  const words = ['Hello', ' there', ', I am here.'];

  /** Sends each word when `received` tells that the one before has arrived. */
  async function sendWordByWord(stream: ReturnType<typeof controlledStream>, received: () => string) {
    await stream.write(event(deltaChunk({ role: 'assistant', content: '' })));
    for (const [index, word] of words.entries()) {
      await stream.write(event(deltaChunk({ content: word })));
      await expect.poll(received).toBe(words.slice(0, index + 1).join(''));
    }
    await stream.write(event(deltaChunk({}, 'stop')) + doneEvent);
    await stream.end();
  }

  it.each(['REST API', 'function URL'])(
    'passes each event of a completion through the %s to the clients of OpenAI and of the AI SDK',
    async (endpoint) => {
      const baseURL = `${endpoint === 'REST API' ? gateway.baseUrl : gateway.chatUrl}/ai`;
      const { apiKey } = gateway;
      const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
      const aiSdk = createOpenAICompatible({ name: 'gateway', baseURL, apiKey });
      const texts = {
        async *openai() {
          const stream = await openai.chat.completions.create({
            model,
            messages: [{ role: 'user', content: 'Say hello' }],
            stream: true,
          });
          for await (const chunk of stream) yield chunk.choices[0]?.delta.content ?? '';
        },
        aiSdk: () => streamText({ model: aiSdk(model), prompt: 'Say hello' }).textStream,
      };
      for (const read of Object.values(texts)) {
        const stream = controlledStream();
        upstream.script(stream.respond);
        let text = '';
        const reading = (async () => {
          for await (const part of read()) text += part;
        })();
        await sendWordByWord(stream, () => text);
        await reading;
        expect(text).toBe(words.join(''));
      }
    },
  );
});
