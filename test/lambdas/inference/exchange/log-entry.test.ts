import { describe, expect, it } from 'vitest';
import { noFacts } from '#lambdas/inference/completion/facts.ts';
import { type Bill, toLogEntry } from '#lambdas/inference/exchange/log-entry.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { shardOfLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { exampleExchange, exampleReceivedAtMs as receivedAtMs } from '#test/support/chat/example-exchange.ts';

const context = { serviceTier: null, speed: null, inferenceGeo: null, region: null };
const bill: Bill = { context, parts: null, price: null, isPriceUnread: false };
const result = { endedAtMs: receivedAtMs + 1, status: 200, clientDisconnected: false, bill };

describe('toLogEntry', () => {
  it("spreads the entries over the key's write shards, by the time of the request", () => {
    const ids = Array.from({ length: 200 }, () => exampleExchange(undefined, 4).id);

    expect(new Set(ids.map(shardOfLogId))).toEqual(new Set([0, 1, 2, 3]));
    expect(new Set(ids.map(timestampOfLogId))).toEqual(new Set([receivedAtMs]));
  });

  it('contains everything that is needed to price the entry again', () => {
    const usage = {
      ...noUsage,
      freshInputTokens: 100,
      cachedInputTokens: 20,
      cacheWriteInputTokens: 3,
      cacheWrite1hInputTokens: 4,
      outputTokens: 50,
      reasoningTokens: 10,
      audioInputTokens: 30,
      cachedAudioInputTokens: 5,
      imageInputTokens: 9,
      cachedImageInputTokens: 8,
      audioOutputTokens: 6,
      imageOutputTokens: 7,
      webSearches: 2,
      pageVisits: 11,
      fileSearches: 13,
      audioInputSeconds: 12,
      contextTokens: 90,
    };
    const billed: Bill = {
      context: { serviceTier: 'flex', speed: 'fast', inferenceGeo: 'us', region: 'eu' },
      parts: [{ model: null, usage }],
      price: null,
      isPriceUnread: false,
    };

    expect(toLogEntry(exampleExchange(), { ...result, bill: billed })).toMatchObject({
      input_tokens: 127,
      output_tokens: 50,
      total_tokens: 177,
      cached_input_tokens: 20,
      cache_write_input_tokens: 7,
      cache_write_1h_input_tokens: 4,
      reasoning_tokens: 10,
      audio_input_tokens: 30,
      cached_audio_input_tokens: 5,
      audio_output_tokens: 6,
      image_input_tokens: 9,
      cached_image_input_tokens: 8,
      image_output_tokens: 7,
      web_searches: 2,
      page_visits: 11,
      file_searches: 13,
      audio_input_seconds: 12,
      context_tokens: 90,
      service_tier: 'flex',
      speed: 'fast',
      inference_geo: 'us',
      region: 'eu',
    });
  });

  it('contains no negative durations when the clock was set back', () => {
    const exchange = {
      ...exampleExchange(),
      forwardedAtMs: receivedAtMs - 1,
      providerRespondedAtMs: receivedAtMs + 2,
      responseStartedAtMs: receivedAtMs - 1,
      firstTokenAtMs: receivedAtMs - 1,
    };

    expect(toLogEntry(exchange, { ...result, endedAtMs: receivedAtMs - 60_000 })).toMatchObject({
      latency_ms: 0,
      time_to_first_token_ms: 0,
      overhead_ms: 0,
    });
  });

  it('does not subtract a part of the overhead in which the clock was set back from the other', () => {
    const exchange = { ...exampleExchange(), providerRespondedAtMs: receivedAtMs };
    const setBackBefore = {
      ...exchange,
      forwardedAtMs: receivedAtMs - 60_000,
      responseStartedAtMs: receivedAtMs + 3,
    };
    const setBackAfter = {
      ...exchange,
      forwardedAtMs: receivedAtMs + 5,
      responseStartedAtMs: receivedAtMs - 60_000,
    };

    expect(toLogEntry(setBackBefore, result).overhead_ms).toBe(3);
    expect(toLogEntry(setBackAfter, result).overhead_ms).toBe(5);
  });

  it('names the warnings about usage, unless the response has none', () => {
    const price = { cost_usd: '0.5', pricing: 'table', pricing_version: 'v1', pricing_gaps: null } as const;
    const parts: Bill['parts'] = [{ model: null, usage: { ...noUsage, freshInputTokens: 9 } }];
    const facts = { ...noFacts, usageWarnings: ['total_differs'] } as const;
    const entryOf = (billed: Partial<Bill>, exchange = { ...exampleExchange(), facts }) =>
      toLogEntry(exchange, { ...result, bill: { ...bill, ...billed } });

    expect(entryOf({ parts, price })).toMatchObject({
      usage_source: 'provider',
      usage_warnings: ['total_differs'],
      cost_usd: '0.5',
      pricing: 'assumed',
    });
    expect(entryOf({})).toMatchObject({ usage_source: 'missing', usage_warnings: null, pricing: null });
  });

  it("replaces all kinds of line breaks in a provider's text", () => {
    const facts = { ...noFacts, responseModel: 'a\u2028b\u2029c\nd\u0085e' };

    expect(toLogEntry({ ...exampleExchange(), facts }, result)).toMatchObject({
      response_model: 'a\ufffdb\ufffdc\ufffdd\ufffde',
    });
  });

  it("truncates a provider's text and replaces incomplete characters", () => {
    const facts = { ...noFacts, responseModel: `${'m'.repeat(127)}😀`, finishReason: 'stop' };
    const exchange = { ...exampleExchange(), providerRequestId: `\ud83d${'r'.repeat(200)}`, facts };

    expect(toLogEntry(exchange, result)).toMatchObject({
      response_model: `${'m'.repeat(127)}\ufffd`,
      finish_reason: 'stop',
      provider_request_id: `\ufffd${'r'.repeat(127)}`,
    });
  });
});
