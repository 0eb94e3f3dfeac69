import { describe, expect, it } from 'vitest';
import { finishLogDraft, startLogDraft } from '#lambdas/inference/chat/log-record.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { shardOfLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';

const receivedAtMs = Date.UTC(2026, 0, 31, 9, 30);

describe('a draft of a log entry', () => {
  it('lies in any of the shards that the key knows of, under the millisecond in which the request came', () => {
    const apiKey = apiKeyRecord({ log_shards: 4 });

    const ids = Array.from({ length: 200 }, () => startLogDraft(apiKey, receivedAtMs).id);

    expect(new Set(ids.map(shardOfLogId))).toEqual(new Set([0, 1, 2, 3]));
    expect(new Set(ids.map(timestampOfLogId))).toEqual(new Set([receivedAtMs]));
  });

  it('keeps all that a price is made of, so that the entry can be priced again', () => {
    const draft = startLogDraft(apiKeyRecord(), receivedAtMs);
    draft.facts = {
      ...draft.facts,
      usage: {
        ...noUsage,
        freshInputTokens: 100,
        cachedInputTokens: 20,
        cacheWriteInputTokens: 3,
        cacheWrite1hInputTokens: 4,
        outputTokens: 50,
        reasoningTokens: 10,
        audioInputTokens: 30,
        cachedAudioInputTokens: 5,
        audioOutputTokens: 6,
        imageOutputTokens: 7,
        webSearches: 2,
      },
    };

    expect(finishLogDraft(draft, { endedAtMs: receivedAtMs + 1, status: 200, price: null })).toMatchObject({
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
      image_output_tokens: 7,
      web_searches: 2,
    });
  });

  it('takes from a provider nothing that some readers of lines would end one at', () => {
    const draft = startLogDraft(apiKeyRecord(), receivedAtMs);
    draft.facts = { ...draft.facts, responseModel: 'a\u2028b\u2029c\nd\u0085e', finishReason: 'stop' };

    expect(finishLogDraft(draft, { endedAtMs: receivedAtMs + 1, status: 200, price: null })).toMatchObject({
      response_model: 'a\ufffdb\ufffdc\ufffdd\ufffde',
    });
  });

  it('cuts short what a provider says of itself, to text that can be stored', () => {
    const draft = startLogDraft(apiKeyRecord(), receivedAtMs);
    draft.providerRequestId = `\ud83d${'r'.repeat(200)}`;
    draft.facts = { ...draft.facts, responseModel: `${'m'.repeat(127)}😀`, finishReason: 'stop' };

    expect(finishLogDraft(draft, { endedAtMs: receivedAtMs + 1, status: 200, price: null })).toMatchObject({
      response_model: `${'m'.repeat(127)}\ufffd`,
      finish_reason: 'stop',
      provider_request_id: `\ufffd${'r'.repeat(127)}`,
    });
  });
});
