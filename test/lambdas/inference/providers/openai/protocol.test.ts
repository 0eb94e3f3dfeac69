/** Byte-level tests with recorded responses of OpenAI-compatible providers. The handler's tests cover the translation. */
import { expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createOpenAiProtocol } from '#lambdas/inference/providers/openai/protocol.ts';
import { createOpenAiReader } from '#lambdas/inference/providers/openai/response.ts';
import { createPrepare } from '#lambdas/inference/providers/provider.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { type Fixture, loadFixtures } from '#test/support/providers/fixture.ts';
import { event } from '#test/support/providers/openai/events.ts';
import { responseOrigin } from '#test/support/providers/openai/origin.ts';
import { exchange, providerCall, readBody } from '#test/support/providers/provider-call.ts';

interface NamedFixture {
  provider: string;
  name: string;
  fixture: Fixture;
}

const fixtures = [
  ...['openai', 'azure', 'bare', 'mistral', 'groq', 'together', 'fireworks', 'deepseek', 'xai', 'cerebras'],
  ...['openrouter', 'nvidia', 'cohere'],
].flatMap((provider) =>
  [...loadFixtures(provider)].map(([name, fixture]): NamedFixture => ({ provider, name, fixture })),
);
const streams = fixtures.filter(({ fixture }) => fixture.stream !== null && 'events' in fixture.stream);
const isCompletedOpenAi = ({ provider, fixture }: NamedFixture) =>
  provider === 'openai' && fixture.expected.entry.outcome === 'completed';

function streamBytes({ fixture: { stream } }: NamedFixture): Buffer {
  const events = stream !== null && 'events' in stream ? stream.events : [];
  return Buffer.from(events.map((it) => (typeof it === 'string' ? `${it}\n\n` : event(it))).join(''));
}

function readStream({ provider, fixture }: NamedFixture, chunks: Buffer[]) {
  const call = providerCall({ ...fixture.request, stream: true, stream_options: { include_usage: true } });
  const reader = createOpenAiReader(
    responseOrigin(provider, { model: fixture.model }),
    call,
    call.request.loadWriter,
  );
  const outputs = chunks.map((chunk) => reader.push(chunk));
  return { text: Buffer.concat([...outputs, reader.end()]).toString(), facts: reader.facts };
}

it.each(streams)('reads the $provider stream $name the same wherever its bytes are split', (stream) => {
  const bytes = streamBytes(stream);
  const unsplit = readStream(stream, [bytes]);
  fc.assert(
    fc.property(splitAnywhere, (split) => {
      expect(readStream(stream, split(bytes))).toEqual(unsplit);
    }),
    { numRuns: 20 },
  );
});

it.each(streams.filter(isCompletedOpenAi))('passes the OpenAI stream $name through unchanged', (stream) => {
  const bytes = streamBytes(stream);
  expect(readStream(stream, [bytes]).text).toBe(bytes.toString());
});

it.each(fixtures.filter(isCompletedOpenAi))(
  'passes the OpenAI completion $name through unchanged',
  async ({ fixture }) => {
    const { openai: entry } = providerCatalog;
    if (entry === undefined || fixture.plain === null)
      throw new Error('The fixture has no non-streaming response');
    const prepare = createPrepare(() =>
      createOpenAiProtocol({
        name: 'openai',
        baseUrl: 'https://x.test/v1',
        region: null,
        path: '/chat/completions',
        aws: exampleClientOptions,
        entry,
      }),
    );
    const body = JSON.stringify(fixture.plain.body, null, 2);
    const headers = { 'content-type': 'application/json' };
    const exchanged = await exchange(prepare, providerCall(fixture.request), { headers, body: [body] });
    expect((await readBody(exchanged)).text).toBe(body);
  },
);
