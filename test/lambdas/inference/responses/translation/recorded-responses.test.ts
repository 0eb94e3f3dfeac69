/** The recorded responses of all providers, for callers of the Responses API: the usage and the costs are those of chat. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filterObjects, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import {
  startTranslatedGateways,
  type TranslatedGateways,
  type TranslatedResult,
} from '#test/support/messages/translated-gateway.ts';
import { findUndocumented } from '#test/support/openapi.ts';
import { fakeProviders } from '#test/support/providers/fake-providers.ts';
import { type Fixture, loadFixtures } from '#test/support/providers/fixture.ts';
import { eventBytes } from '#test/support/providers/openai/protocol.ts';
import { replay } from '#test/support/providers/replay.ts';
import { responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import { recordedResponses, startRecordedProvider } from '#test/support/translation/recorded-responses.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways({ path: '/ai/v1/responses' });
});
afterAll(() => gateways.stop());

const toolsOf = ({ request: { tools } }: Fixture) =>
  filterObjects(tools).map((tool) => {
    const { name = 'other', parameters = { type: 'object' } } = objectOrEmpty(tool.function);
    return { type: 'function', name, parameters };
  });

function expectUsage({ body: { usage }, entry }: TranslatedResult): void {
  expect(usage).toEqual({
    input_tokens: entry.input_tokens,
    input_tokens_details: {
      cached_tokens: entry.cached_input_tokens ?? 0,
      cache_write_tokens: entry.cache_write_input_tokens ?? 0,
    },
    output_tokens: entry.output_tokens,
    output_tokens_details: { reasoning_tokens: entry.reasoning_tokens ?? 0 },
    total_tokens: entry.total_tokens,
  });
}

describe.each(Object.keys(fakeProviders))('A recorded response of %s', (provider) => {
  const { whole, streamed } = recordedResponses(provider);
  let recorded: Awaited<ReturnType<typeof startRecordedProvider>>;
  beforeAll(async () => {
    recorded = await startRecordedProvider(gateways, provider, 'responses');
  });

  it.each(whole)('is a response: %s', async (_, fixture) => {
    const result = await recorded.ask({ fixture, tools: toolsOf(fixture), stream: false });

    expect(result.entry).toMatchObject({ ...fixture.expected.entry, operation: 'responses' });
    expect(responseProblems(result.body)).toEqual([]);
    expect(findUndocumented('/ai/responses', result)).toEqual([]);
    expectUsage(result);
  });

  it.each(streamed)('is a stream: %s', async (_, fixture) => {
    const result = await recorded.ask({ fixture, tools: toolsOf(fixture), stream: true });

    expect(result.entry).toMatchObject({
      ...fixture.expected.entry,
      ...fixture.expected.streamEntry,
      operation: 'responses',
    });
    expect(streamProblems(result.text)).toEqual([]);
    if (result.entry.outcome === 'completed') expectUsage(result);
    else expect(result.body.status).toBe('failed');
  });
});

it('A recorded response with audio is an error, which costs what it did', async () => {
  const { ask } = await gateways.start('openai', {
    settings: { openai: { operations: { responses: false } } },
  });
  const audio = loadFixtures('openai').get('audio') ?? expect.fail('There is no recording');
  const { outcome, status, error_code, ...expected } = audio.expected.entry;

  const { body, entry } = await ask({ model: `openai/${audio.model}` }, replay(audio, false, eventBytes));

  expect(body.error).toEqual({
    type: 'api_error',
    code: 'provider_error',
    param: null,
    message:
      'The model of the provider openai generated audio, which a response cannot contain: use POST /ai/chat/completions',
  });
  expect(entry).toMatchObject({ ...expected, operation: 'responses', outcome: 'provider_error' });
});
