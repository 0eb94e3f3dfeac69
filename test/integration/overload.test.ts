/** What callers get when chat runs as often as it may, on a local gateway whose chat may run twice at once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import OpenAI, { APIError, type ClientOptions } from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { synthesize } from '#local/template/synthesize.ts';
import { deltaChunk, doneEvent, event } from '../support/providers/openai/openai-events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/openai-upstream.ts';
import { controlledStream } from '../support/providers/upstream-responses.ts';

const question = {
  model: 'openai/gpt-4o-mini',
  messages: [{ role: 'user', content: 'Say hello' }],
} satisfies OpenAI.ChatCompletionCreateParams;

async function refusalOf(request: Promise<unknown>): Promise<APIError> {
  const outcome = await request.then(
    () => 'answered',
    (error: unknown) => error,
  );
  if (outcome instanceof APIError) return outcome;
  throw new Error(`not refused, but ${outcome}`);
}

describe('a gateway that runs chat as often as it may', () => {
  const directory = mkdtempSync(join(tmpdir(), 'overload-'));
  const assemblyDirectory = join(directory, 'assembly');
  let upstream: OpenAIUpstream;
  let gateway: LocalGateway;
  beforeAll(async () => {
    const environment = { ...process.env };
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream', unknownModels: [] });
    await synthesize({
      projectDirectory: resolve(import.meta.dirname, '../..'),
      outputDirectory: assemblyDirectory,
      environment,
      // What is kept ready is a matter of AWS alone: here, nothing must come of it.
      settings: { chatConcurrency: 2, chatProvisionedConcurrency: 2 },
    });
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory,
      environment: { ...environment, OPENAI_API_KEY: 'sk-upstream', OPENAI_BASE_URL: upstream.baseUrl },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
    rmSync(directory, { recursive: true });
  });

  const underWay: (() => Promise<void>)[] = [];
  const endOne = () => underWay.pop()?.();
  afterEach(async () => {
    while (underWay.length > 0) await endOne();
  });

  const client = (origin: string, options: ClientOptions = {}) =>
    new OpenAI({ baseURL: `${origin}/ai`, apiKey: gateway.apiKey, maxRetries: 0, ...options });

  /** Through the Function URL, which no method of the API throttles. */
  async function beginRequest() {
    const written = controlledStream();
    upstream.script(written.respond);
    // Those of the test before may still have their entries to write.
    const persistent = client(gateway.chatUrl, { maxRetries: 10 });
    const streaming = persistent.chat.completions.create({ ...question, stream: true });
    await written.write(event(deltaChunk({ role: 'assistant', content: 'Hello' }, 'stop')));
    const stream = await streaming;
    underWay.push(async () => {
      await written.write(doneEvent);
      await written.end();
      await Array.fromAsync(stream);
    });
  }

  it('tells a caller of the REST API to try again in a second, in the shape of OpenAI', async () => {
    await beginRequest();
    await beginRequest();

    const error = await refusalOf(client(gateway.baseUrl).chat.completions.create(question));

    expect(error.status).toBe(503);
    expect(error.error).toEqual({
      message: 'The gateway cannot take the request now. Try again later.',
      type: 'api_error',
      param: null,
      code: 'service_unavailable',
    });
    expect(error.headers?.get('retry-after')).toBe('1');
  });

  it('answers a client that tries again when another request has ended', async () => {
    await beginRequest();
    await beginRequest();
    const statuses: number[] = [];
    const observed: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      statuses.push(response.status);
      if (statuses.length === 1) await endOne();
      return response;
    };

    const patient = client(gateway.baseUrl, { maxRetries: 5, fetch: observed });
    const completion = await patient.chat.completions.create(question);

    expect(completion.choices[0]?.message.content).toBe('Hello there, I am here.');
    expect([statuses.at(0), statuses.at(-1)]).toEqual([503, 200]);
  });

  it('refuses a burst before it gets to chat', async () => {
    const path = `${gateway.baseUrl}/ai/chat/completions`;
    const responses = await Promise.all(Array.from({ length: 10 }, () => fetch(path, { method: 'POST' })));
    const bodies = await Promise.all(responses.map((response) => response.json()));

    expect(bodies).toContainEqual({
      error: {
        message: 'Too many requests. Try again later.',
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    });
    // Chat refuses those that get to it while it still has entries of the test before to write.
    const refused = responses.filter(({ status }) => status !== 401);
    expect([429, 503]).toEqual(expect.arrayContaining(refused.map(({ status }) => status)));
    expect(new Set(refused.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['1']));
  });

  it('has nothing to say at the Function URL, where Lambda answers by itself', async () => {
    await beginRequest();
    await beginRequest();

    const error = await refusalOf(client(gateway.chatUrl).chat.completions.create(question));

    expect(error.error).toEqual({ message: 'Rate Exceeded.' });
    expect(error.status).toBe(429);
    expect(error.headers?.get('x-amzn-errortype')).toBe('TooManyRequestsException');
    expect(error.headers?.get('retry-after')).toBe(null);
  });

  it('answers everything else meanwhile', async () => {
    await beginRequest();
    await beginRequest();

    const models = await Array.fromAsync(client(gateway.baseUrl).models.list());

    expect(models.map(({ id }) => id)).toContain('openai/gpt-4o-mini');
  });
});
