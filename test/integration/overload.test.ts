import OpenAI, { APIError, type ClientOptions } from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type LocalGateway, startLocalGateway } from '#local/local-gateway.ts';
import { gatewayAssembly } from '#test/support/gateway-assembly.ts';
import { limitedSettings } from '#test/support/limited-gateway.ts';
import { deltaChunk, doneEvent, event } from '../support/providers/openai/events.ts';
import { type OpenAIUpstream, startOpenAIUpstream } from '../support/providers/openai/upstream.ts';
import { controlledStream } from '../support/providers/upstream-responses.ts';

const chatRequest = {
  model: 'openai/gpt-4o-mini',
  messages: [{ role: 'user', content: 'Say hello' }],
} satisfies OpenAI.ChatCompletionCreateParams;

async function catchError(request: Promise<unknown>): Promise<APIError> {
  const outcome = await request.then(
    () => 'completed',
    (error: unknown) => error,
  );
  if (outcome instanceof APIError) return outcome;
  throw new Error(`Expected an APIError, got: ${outcome}`);
}

describe('A gateway at its chat concurrency limit', () => {
  let upstream: OpenAIUpstream;
  let gateway: LocalGateway;
  beforeAll(async () => {
    upstream = await startOpenAIUpstream({ expectedApiKey: 'sk-upstream', unknownModels: [] });
    gateway = await startLocalGateway({
      port: 0,
      ephemeral: true,
      assemblyDirectory: await gatewayAssembly(limitedSettings),
      environment: { ...process.env, OPENAI_API_KEY: 'sk-upstream', OPENAI_BASE_URL: upstream.baseUrl },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
  });

  const inFlight: (() => Promise<void>)[] = [];
  const endOne = () => inFlight.pop()?.();
  afterEach(async () => {
    while (inFlight.length > 0) await endOne();
  });

  const client = (origin: string, options: ClientOptions = {}) =>
    new OpenAI({ baseURL: `${origin}/ai`, apiKey: gateway.apiKey, maxRetries: 0, ...options });

  /** Uses the function URL, which API Gateway's method throttling does not apply to. */
  async function beginRequest() {
    const written = controlledStream();
    upstream.script(written.respond);
    // Requests of the previous test may still be writing their entries.
    const retryingClient = client(gateway.chatUrl, { maxRetries: 10 });
    const streaming = retryingClient.chat.completions.create({ ...chatRequest, stream: true });
    await written.write(event(deltaChunk({ role: 'assistant', content: 'Hello' })));
    const stream = await streaming;
    inFlight.push(async () => {
      await written.write(event(deltaChunk({}, 'stop')) + doneEvent);
      await written.end();
      await Array.fromAsync(stream);
    });
  }

  it('returns 503 with retry-after as an OpenAI error at the REST API when chat is at its concurrency limit', async () => {
    await beginRequest();
    await beginRequest();

    const error = await catchError(client(gateway.baseUrl).chat.completions.create(chatRequest));

    expect(error.status).toBe(503);
    expect(error.error).toEqual({
      message: 'The gateway cannot take the request now: send it again later',
      type: 'api_error',
      param: null,
      code: 'service_unavailable',
    });
    expect(error.headers?.get('retry-after')).toBe('1');
  });

  it('completes a retried request after another request has ended', async () => {
    await beginRequest();
    await beginRequest();
    const statuses: number[] = [];
    const observed: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      statuses.push(response.status);
      if (statuses.length === 1) await endOne();
      return response;
    };

    const retrying = client(gateway.baseUrl, { maxRetries: 5, fetch: observed });
    const completion = await retrying.chat.completions.create(chatRequest);

    expect(completion.choices[0]?.message.content).toBe('Hello there, I am here.');
    expect([statuses.at(0), statuses.at(-1)]).toEqual([503, 200]);
  });

  it('throttles a burst of requests before it reaches the chat function', async () => {
    const path = `${gateway.baseUrl}/ai/chat/completions`;
    const responses = await Promise.all(Array.from({ length: 10 }, () => fetch(path, { method: 'POST' })));
    const bodies = await Promise.all(responses.map((response) => response.json()));

    expect(bodies).toContainEqual({
      error: {
        message: 'Too many requests: send the request again later',
        type: 'rate_limit_error',
        param: null,
        code: 'rate_limit_exceeded',
      },
    });
    // The chat function may still be writing entries of the previous test, and reject requests with 503.
    const rejected = responses.filter(({ status }) => status !== 401);
    expect([429, 503]).toEqual(expect.arrayContaining(rejected.map(({ status }) => status)));
    expect(new Set(rejected.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['1']));
  });

  it("returns Lambda's own 429 at the function URL when chat is at its concurrency limit", async () => {
    await beginRequest();
    await beginRequest();

    const error = await catchError(client(gateway.chatUrl).chat.completions.create(chatRequest));

    expect(error.error).toEqual({ message: 'Rate Exceeded.' });
    expect(error.status).toBe(429);
    expect(error.headers?.get('x-amzn-errortype')).toBe('TooManyRequestsException');
    expect(error.headers?.get('retry-after')).toBe(null);
  });

  it('serves the other endpoints while chat is at its concurrency limit', async () => {
    await beginRequest();
    await beginRequest();

    const models = await Array.fromAsync(client(gateway.baseUrl).models.list());

    expect(models.map(({ id }) => id)).toContain('openai/gpt-4o-mini');
  });
});
