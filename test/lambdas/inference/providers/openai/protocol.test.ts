/** What OpenAI and those who speak like it sent, byte by byte. What the caller gets of it all is tested at the handler. */
import { expect, it } from 'vitest';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createOpenAiProtocol } from '#lambdas/inference/providers/openai/protocol.ts';
import { createOpenAiStreamReader } from '#lambdas/inference/providers/openai/stream.ts';
import { createPrepare } from '#lambdas/inference/providers/provider.ts';
import { exampleCaller } from '#test/support/aws-caller.ts';
import { fc } from '#test/support/fast-check.ts';
import { type Fixture, fixturesOf } from '#test/support/providers/fixture.ts';
import { event } from '#test/support/providers/openai/openai-events.ts';
import { exchange, providerCall } from '#test/support/providers/provider-call.ts';
import { splitAnywhere } from '#test/support/split-anywhere.ts';

interface Scene {
  provider: string;
  scene: string;
  fixture: Fixture;
}

const scenes = [
  ...['openai', 'azure', 'bare', 'mistral', 'groq', 'together', 'fireworks', 'deepseek', 'xai', 'cerebras'],
  ...['openrouter', 'nvidia', 'cohere'],
].flatMap((provider) =>
  [...fixturesOf(provider)].map(([scene, fixture]): Scene => ({ provider, scene, fixture })),
);
const streamed = scenes.filter(({ fixture }) => fixture.stream !== null && 'events' in fixture.stream);
const openai = ({ provider, fixture }: Scene) =>
  provider === 'openai' && fixture.expected.entry.outcome === 'completed';

function streamOf({ fixture: { stream } }: Scene): Buffer {
  const events = stream !== null && 'events' in stream ? stream.events : [];
  return Buffer.from(events.map((one) => (typeof one === 'string' ? `${one}\n\n` : event(one))).join(''));
}

function readStream({ provider, fixture }: Scene, chunks: Buffer[]) {
  const call = providerCall({ ...fixture.request, stream: true, stream_options: { include_usage: true } });
  const reportedCost = providerCatalog[provider]?.reportedCost ?? null;
  const reader = createOpenAiStreamReader({ provider, model: fixture.model, reportedCost }, call);
  const passed = chunks.map((chunk) => reader.push(chunk));
  return { text: Buffer.concat([...passed, reader.end()]).toString(), facts: reader.facts };
}

it.each(streamed)('the stream of $provider gives the same however it is cut: $scene', (scene) => {
  const bytes = streamOf(scene);
  const whole = readStream(scene, [bytes]);
  fc.assert(
    fc.property(splitAnywhere, (cut) => {
      expect(readStream(scene, cut(bytes))).toEqual(whole);
    }),
    { numRuns: 20 },
  );
});

it.each(streamed.filter(openai))("OpenAI's stream passes as it came: $scene", (scene) => {
  const bytes = streamOf(scene);
  expect(readStream(scene, [bytes]).text).toBe(bytes.toString());
});

it.each(scenes.filter(openai))("OpenAI's whole answer passes as it came: $scene", async ({ fixture }) => {
  const { openai: entry } = providerCatalog;
  if (entry === undefined || fixture.plain === null) throw new Error('There is nothing to read');
  const prepare = createPrepare(() =>
    createOpenAiProtocol({
      name: 'openai',
      baseUrl: 'https://x.test/v1',
      region: null,
      aws: exampleCaller,
      entry,
    }),
  );
  const body = JSON.stringify(fixture.plain.body, null, 2);
  const headers = { 'content-type': 'application/json' };
  const { response } = await exchange(prepare, providerCall(fixture.request), { headers, body: [body] });
  if (response.kind !== 'completion') throw new Error(`A ${response.kind} came`);
  expect((await response.read()).body.toString()).toBe(body);
});
