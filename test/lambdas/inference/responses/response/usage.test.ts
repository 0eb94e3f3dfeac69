import { describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { WriteScript } from '#test/support/messages/write.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { withoutTime, writeStream, writeWhole } from '#test/support/responses/write.ts';

const counted = {
  ...noUsage,
  freshInputTokens: 10,
  cachedInputTokens: 20,
  cacheWriteInputTokens: 3,
  cacheWrite1hInputTokens: 4,
  outputTokens: 50,
  reasoningTokens: 6,
};
const counts = {
  input_tokens: 37,
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 7 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 6 },
  total_tokens: 87,
};
const estimated = {
  input_tokens: 40,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 45,
};

describe('Usage', () => {
  it.each([
    ['early', counts],
    ['late', counts],
    ['never', estimated],
  ] as const)('that the provider reports %s is at the end', (when, usage) => {
    const script: WriteScript = (choice, writer) => {
      const bill = () => writer.billing({ usage: counted });
      if (when === 'early') bill();
      choice.reasoning('Hm');
      choice.text('é 🙂 Hi');
      choice.toolCall({ id: 'a', name: 'look' }).arguments('{"n":1}');
      choice.finish('stop');
      if (when === 'late') bill();
    };
    const { events, response, text } = writeStream(script);
    expect(events.slice(0, 2)).toMatchObject([{ response: { usage: null } }, { response: { usage: null } }]);
    expect(response.usage).toEqual(usage);
    expect(withoutTime(writeWhole(script).response)).toEqual(withoutTime(response));
    expect(streamProblems(text)).toEqual([]);
  });

  it.each([
    ['default', 'default'],
    ['STANDARD', 'default'],
    ['Priority', 'priority'],
    ['flex', 'flex'],
    ['batch', 'default'],
    [null, 'default'],
  ])('of the service tier %s is that of %s', (serviceTier, service_tier) => {
    const { response } = writeWhole((choice, writer) => {
      writer.billing({ serviceTier });
      choice.finish('stop');
    });
    expect(response.service_tier).toBe(service_tier);
    expect(responseProblems(response)).toEqual([]);
  });
});
