/** Every recorded answer of every provider, whole and streamed, through the chat handler to the caller and the log. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPriceOf } from '#lambdas/costs/reprice/new-price.ts';
import { priceTable } from '#lambdas/pricing/price-table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type ChatHarness, createChatHarness } from '#test/support/chat-harness.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import {
  asExpectedChoice,
  assembleStream,
  completionProblems,
  errorProblems,
  streamProblems,
} from '#test/support/openai-schema/openai-schema.ts';
import { undescribed } from '#test/support/openapi.ts';
import { type FakeProvider, fakeProviders } from '#test/support/providers/fake-providers.ts';
import { type Expected, type Fixture, fixturesOf } from '#test/support/providers/fixture.ts';

interface Exchange {
  status: number;
  headers: Record<string, string>;
  text: string;
  entry: LogEntry;
}

let database: EmbeddedDynamoDB;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());

/** Prices depend on the day, and DeepSeek's on the hour. Ids sort by time, so it goes on. */
function createClock(): () => Date {
  let atMs = Date.parse('2026-11-20T12:00:00Z');
  return () => new Date(atMs++);
}

describe.each(Object.keys(fakeProviders))('an answer of %s', (provider) => {
  let upstream: FakeProvider;
  let gateway: ChatHarness;
  beforeAll(async () => {
    const start = fakeProviders[provider];
    if (start === undefined) throw new Error(`There is no fake of ${provider}`);
    upstream = await start({ expectedApiKey: 'sk-upstream' });
    gateway = await createChatHarness({
      database,
      settings: { [provider]: { baseUrl: upstream.baseUrl } },
      credentials: { [provider]: { api_key: 'sk-upstream' } },
      services: { now: createClock() },
    });
  });
  afterAll(() => upstream.stop());

  const ask = async (fixture: Fixture, form: object): Promise<Exchange> => {
    upstream.behaviour = { expectedApiKey: 'sk-upstream', fixture };
    const { request, model } = fixture;
    const answer = await gateway.post({ model: `${provider}/${model}`, ...request, ...form });
    const entry = (await gateway.entries()).at(-1);
    if (entry === undefined) throw new Error('The request was not logged');
    return { ...answer, entry };
  };

  const scenes = [...fixturesOf(provider)];

  it.each(scenes.filter(([, { plain }]) => plain !== null))('arrives whole: %s', async (_, fixture) => {
    const { expected } = fixture;

    const { entry, ...answer } = await ask(fixture, {});

    expect(entry).toMatchObject(expected.entry);
    expectSamePriceAgain(entry);
    expect(undescribed(answer)).toEqual([]);
    expect(answer.headers['x-gateway-provider-request-id'] ?? null).toBe(entry.provider_request_id);
    if (expected.error !== undefined) return expectError(answer, expected.error);
    const body = JSON.parse(answer.text);
    expect(completionProblems(body)).toEqual([]);
    expect(body.choices.map(asExpectedChoice)).toEqual(comparable(expected));
    expect(tokensOf(body.usage)).toEqual(entryTokens(entry));
  });

  it.each(scenes.filter(([, { stream }]) => stream !== null))('arrives streamed: %s', async (_, fixture) => {
    const { expected } = fixture;

    const { entry, ...answer } = await ask(fixture, {
      stream: true,
      stream_options: { include_usage: true },
    });

    expect(entry).toMatchObject({ ...expected.entry, ...expected.streamEntry });
    expectSamePriceAgain(entry);
    expect(undescribed(answer)).toEqual([]);
    expect(answer.headers['x-gateway-provider-request-id'] ?? null).toBe(entry.provider_request_id);
    if (answer.status !== 200) return expectError(answer, expected.error);
    const completes = expected.error === undefined;
    expect(streamProblems(answer.text, completes ? { includeUsage: true } : {})).toEqual([]);
    const assembled = assembleStream(answer.text);
    expect(assembled.choices.map(asExpectedChoice)).toEqual(comparable(expected));
    expect(assembled.done).toBe(completes);
    if (completes) expect(tokensOf(assembled.usage)).toEqual(entryTokens(entry));
    else expectErrorBody(assembled.error, expected.error);
  });
});

/** An empty content and none look alike in a stream. */
function comparable({ choices }: Expected) {
  return choices.map(({ content, ...choice }) => ({ content: content === '' ? null : content, ...choice }));
}

function expectError({ status, headers, text }: Omit<Exchange, 'entry'>, error: Expected['error']): void {
  expect(status).toBe(error?.status);
  expect(headers['retry-after']).toBe(error?.retryAfter);
  const body = JSON.parse(text);
  expect(errorProblems(body)).toEqual([]);
  expectErrorBody(body.error, error);
}

function expectErrorBody(shown: object | null, error: Expected['error']): void {
  const { type, code, message, param = null } = error ?? {};
  expect(shown).toEqual({ type, code, message, param });
}

/** What an entry keeps of its usage is all that its price is made of. */
function expectSamePriceAgain(entry: LogEntry): void {
  const { cost_usd, pricing, pricing_version } = entry;
  if (pricing !== 'table') return;
  const unpriced: LogEntry = { ...entry, cost_usd: '0', pricing: 'unknown', pricing_version: null };
  expect(newPriceOf(unpriced, { entries: 'unknown', table: priceTable, settings: {} })).toEqual({
    cost_usd,
    pricing,
    pricing_version,
  });
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
}

function tokensOf(usage: unknown) {
  if (usage === null || usage === undefined) return null;
  const shown = usage as Usage;
  return {
    input: shown.prompt_tokens,
    output: shown.completion_tokens,
    total: shown.total_tokens,
  };
}

function entryTokens({ input_tokens, output_tokens, total_tokens }: LogEntry) {
  return input_tokens === null ? null : { input: input_tokens, output: output_tokens, total: total_tokens };
}
