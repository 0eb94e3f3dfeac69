/** The recorded responses of all providers without the Messages API, for its callers: the usage and the costs are those of chat. */
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
import { recordedResponses, startRecordedProvider } from '#test/support/translation/recorded-responses.ts';

let gateways: TranslatedGateways;
beforeAll(async () => {
  gateways = await startTranslatedGateways();
});
afterAll(() => gateways.stop());

const translated = Object.keys(fakeProviders).filter((name) => name !== 'anthropic');

const toolsOf = ({ request: { tools } }: Fixture) =>
  filterObjects(tools).map((tool) => {
    const { name = 'other', parameters = { type: 'object' } } = objectOrEmpty(tool.function);
    return { name, input_schema: parameters };
  });

function expectUsage({ body: { usage }, entry }: TranslatedResult): void {
  const { input_tokens: fresh, output_tokens: output, ...caches } = objectOrEmpty(usage);
  const { cache_creation_input_tokens: written, cache_read_input_tokens: read } = caches;
  expect(Number(fresh) + Number(written) + Number(read)).toBe(entry.input_tokens);
  expect([read, written, output]).toEqual([
    entry.cached_input_tokens ?? 0,
    entry.cache_write_input_tokens ?? 0,
    entry.output_tokens,
  ]);
}

describe.each(translated)('A recorded response of %s', (provider) => {
  const { whole, streamed } = recordedResponses(provider);
  let recorded: Awaited<ReturnType<typeof startRecordedProvider>>;
  beforeAll(async () => {
    recorded = await startRecordedProvider(gateways, provider, 'messages');
  });

  it.each(whole)('is a message: %s', async (_, fixture) => {
    const result = await recorded.ask({ fixture, tools: toolsOf(fixture), stream: false });

    expect(result.entry).toMatchObject({ ...fixture.expected.entry, operation: 'messages' });
    expect(findUndocumented('/ai/messages', result)).toEqual([]);
    expectUsage(result);
  });

  it.each(streamed)('is a stream: %s', async (_, fixture) => {
    const result = await recorded.ask({ fixture, tools: toolsOf(fixture), stream: true });

    expect(result.entry).toMatchObject({
      ...fixture.expected.entry,
      ...fixture.expected.streamEntry,
      operation: 'messages',
    });
    if (result.entry.outcome === 'completed') expectUsage(result);
  });
});

it('A recorded response with audio is an error, which costs what it did', async () => {
  const { ask } = await gateways.start('openai');
  const audio = loadFixtures('openai').get('audio') ?? expect.fail('There is no recording');
  const { outcome, status, error_code, ...expected } = audio.expected.entry;

  const { body, entry } = await ask({ model: `openai/${audio.model}` }, replay(audio, false, eventBytes));

  expect(body.error).toEqual({
    type: 'api_error',
    message:
      'The model of the provider openai generated audio, which a message cannot contain: use POST /ai/chat/completions',
  });
  expect(entry).toMatchObject({ ...expected, operation: 'messages', outcome: 'provider_error' });
});
