import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPriceOf } from '#lambdas/costs/reprice/new-price.ts';
import { snapshotOf } from '#lambdas/pricing/custom/store.ts';
import { priceTable } from '#lambdas/pricing/table/price-table.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type ChatHandlerFixture, createChatHandlerFixture } from '#test/support/chat/handler-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import {
  assembleStream,
  completionProblems,
  errorProblems,
  streamProblems,
  toExpectedChoice,
} from '#test/support/openai-schema/validate.ts';
import { findUndocumented } from '#test/support/openapi.ts';
import { type FakeProvider, fakeProviders } from '#test/support/providers/fake-providers.ts';
import { type Expected, type Fixture, loadFixtures } from '#test/support/providers/fixture.ts';

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

/** Prices depend on the date, and DeepSeek's on the hour. Advances by a millisecond, since ids are sorted by time. */
function createClock(): () => Date {
  let atMs = Date.parse('2026-11-20T12:00:00Z');
  return () => new Date(atMs++);
}

describe.each(Object.keys(fakeProviders))('Recorded responses of %s', (provider) => {
  let upstream: FakeProvider;
  let gateway: ChatHandlerFixture;
  beforeAll(async () => {
    const start = fakeProviders[provider];
    if (start === undefined) throw new Error(`There is no fake of ${provider}`);
    upstream = await start({ expectedApiKey: 'sk-upstream' });
    gateway = await createChatHandlerFixture({
      database,
      settings: { [provider]: { baseUrl: upstream.baseUrl } },
      credentials: { [provider]: { api_key: 'sk-upstream' } },
      dependencies: { now: createClock() },
    });
  });
  afterAll(() => upstream.stop());

  const exchange = async (fixture: Fixture, fields: object): Promise<Exchange> => {
    upstream.behaviour = { expectedApiKey: 'sk-upstream', fixture };
    const { request, requestHeaders, model } = fixture;
    const response = await gateway.post(
      { model: `${provider}/${model}`, ...request, ...fields },
      requestHeaders,
    );
    const entry = (await gateway.entries()).at(-1);
    if (entry === undefined) throw new Error('The request was not logged');
    return { ...response, entry };
  };

  const fixtures = [...loadFixtures(provider)];
  const nonStreaming = fixtures.filter(([, { plain }]) => plain !== null);
  const streaming = fixtures.filter(([, { stream }]) => stream !== null);

  it.each(nonStreaming)('returns and logs the completion of %s', async (_, fixture) => {
    const { expected } = fixture;

    const { entry, ...response } = await exchange(fixture, {});

    expect(entry).toMatchObject({ usage_warnings: null, ...expected.entry });
    expectSamePrice(entry);
    expect(findUndocumented('/ai/chat/completions', response)).toEqual([]);
    expect(response.headers['x-gateway-provider-request-id'] ?? null).toBe(entry.provider_request_id);
    if (expected.error !== undefined) return expectError(response, expected.error);
    const body = JSON.parse(response.text);
    expect(completionProblems(body)).toEqual([]);
    expect(body.choices.map(toExpectedChoice)).toEqual(comparable(expected));
    expect(tokensOf(body.usage)).toEqual(entryTokens(entry));
  });

  it.each(streaming)('returns and logs the stream of %s', async (_, fixture) => {
    const { expected } = fixture;

    const { entry, ...response } = await exchange(fixture, {
      stream: true,
      stream_options: { include_usage: true },
    });

    expect(entry).toMatchObject({ usage_warnings: null, ...expected.entry, ...expected.streamEntry });
    expectSamePrice(entry);
    expect(findUndocumented('/ai/chat/completions', response)).toEqual([]);
    expect(response.headers['x-gateway-provider-request-id'] ?? null).toBe(entry.provider_request_id);
    if (response.status !== 200) return expectError(response, expected.error);
    const completes = expected.error === undefined;
    expect(streamProblems(response.text, completes ? { includeUsage: true } : {})).toEqual([]);
    const assembled = assembleStream(response.text);
    expect(assembled.choices.map(toExpectedChoice)).toEqual(comparable(expected));
    expect(assembled.done).toBe(completes);
    if (completes) expect(tokensOf(assembled.usage)).toEqual(entryTokens(entry));
    else expectErrorBody(assembled.error, expected.error);
  });
});

/** A stream does not distinguish empty content from `null`. */
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

function expectErrorBody(actual: object | null, error: Expected['error']): void {
  const { type, code, message, param = null } = error ?? {};
  expect(actual).toEqual({ type, code, message, param });
}

/** Checks that the usage in the entry is sufficient to calculate its price. */
function expectSamePrice(entry: LogEntry): void {
  const { cost_usd, pricing, pricing_version, pricing_gaps } = entry;
  if (pricing !== 'table' && pricing !== 'assumed') return;
  const unpriced: LogEntry = { ...entry, cost_usd: '0', pricing: 'unknown', pricing_version: null };
  expect(
    newPriceOf(unpriced, {
      entries: 'uncertain',
      table: priceTable,
      settings: {},
      customPrices: snapshotOf([]),
    }),
  ).toEqual({
    cost_usd,
    pricing,
    pricing_version,
    pricing_gaps,
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
  const { prompt_tokens, completion_tokens, total_tokens } = usage as Usage;
  return { input: prompt_tokens, output: completion_tokens, total: total_tokens };
}

function entryTokens({ input_tokens, output_tokens, total_tokens }: LogEntry) {
  return input_tokens === null ? null : { input: input_tokens, output: output_tokens, total: total_tokens };
}
