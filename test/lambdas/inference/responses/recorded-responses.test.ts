/** The recorded responses of all providers with the Responses API: the same bytes, and what the log says of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import {
  type NativeGateway,
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { type ForwardedFixture, loadForwardedFixtures } from '#test/support/providers/fixture.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';
import { responsesEvent, startResponsesGateway } from '#test/support/responses/gateway.ts';

interface Recording {
  settings?: ProviderSettings;
  /** Default: the name of the event precedes its data. */
  encode?(event: EventData): string;
  begin?: string;
  end?: string;
}

type EventData = Parameters<typeof responsesEvent>[0];

/** How each provider frames its events. */
const recordings: Readonly<Record<string, Recording>> = {
  openai: {},
  azure: {},
  fireworks: {},
  xai: {},
  deepseek: {},
  groq: {},
  lmstudio: { settings: { operations: { responses: '/responses' } } },
  bedrock: { encode: (event) => `data: ${JSON.stringify(event)}\nevent: ${event.type}\n\n` },
  openrouter: {
    encode: (event) => `data: ${JSON.stringify(event)}\n\n`,
    begin: ': OPENROUTER PROCESSING\n\n',
    end: 'data: [DONE]\n\n',
  },
};

let gateways: NativeGateways;
const started = new Map<string, NativeGateway>();
beforeAll(async () => {
  gateways = await startNativeGateways();
  let atMs = Date.parse('2026-11-20T12:00:00Z');
  for (const [provider, { settings }] of Object.entries(recordings)) {
    const gateway = await startResponsesGateway(gateways, {
      settingsOf: (baseUrl) => ({ [provider]: { baseUrl, ...settings } }),
      credentials: { [provider]: { api_key: providerKey } },
      dependencies: { now: () => new Date(atMs++) },
    });
    started.set(provider, gateway);
  }
});
afterAll(() => gateways.stop());

const fixtures = Object.keys(recordings).flatMap((provider) =>
  [...loadForwardedFixtures(provider)].map(([name, fixture]) => ({
    name: `${provider}/${name}`,
    provider,
    fixture,
  })),
);
const responses = fixtures.flatMap(({ fixture: { plain }, ...row }) =>
  plain === null ? [] : [{ ...row, plain }],
);
const succeeded = responses.filter(({ plain }) => plain.status === 200);
const failed = responses.filter(({ plain }) => plain.status !== 200);
const streams = fixtures.flatMap(({ fixture: { stream }, ...row }) =>
  stream === null || !('events' in stream) ? [] : [{ ...row, stream, events: stream.events as EventData[] }],
);

function fixtureOf(name: string): ForwardedFixture {
  const found = fixtures.find((row) => row.name === name);
  if (found === undefined) throw new Error(`There is no fixture ${name}`);
  return found.fixture;
}

function gatewayOf(provider: string): NativeGateway {
  const gateway = started.get(provider);
  if (gateway === undefined) throw new Error(`No gateway was started for ${provider}`);
  return gateway;
}

describe('A recorded response', () => {
  it.each(succeeded)('is forwarded and logged: $name', async ({ name, provider, plain }) => {
    const { model, request, expected } = fixtureOf(name);

    const { status, text, entry } = await gatewayOf(provider).exchange(jsonResponse(plain.body, plain), {
      ...request,
      model: `${provider}/${model}`,
    });

    expect(status).toBe(200);
    expect(text).toBe(JSON.stringify(plain.body));
    expect(entry).toMatchObject({
      usage_warnings: null,
      ...expected.entry,
      provider,
      operation: 'responses',
      stream: false,
    });
  });

  it.each(failed)('keeps the status and the words of an error: $name', async ({ name, provider, plain }) => {
    const { model, request, expected } = fixtureOf(name);

    const { status, text, entry } = await gatewayOf(provider).exchange(jsonResponse(plain.body, plain), {
      ...request,
      model: `${provider}/${model}`,
    });

    expect(status).toBe(plain.status);
    expect(text).toBe(JSON.stringify(plain.body));
    expect(entry).toMatchObject({ ...expected.entry, operation: 'responses', usage_source: 'missing' });
  });
});

describe('A recorded stream', () => {
  it.each(streams)('is forwarded and logged: $name', async ({ name, provider, stream, events }) => {
    const { model, request, expected } = fixtureOf(name);
    const { encode = responsesEvent, begin, end } = recordings[provider] ?? {};
    const chunks = [begin, ...events.map(encode), end].filter((chunk) => chunk !== undefined);

    const { status, text, entry } = await gatewayOf(provider).exchange(
      streamResponse(chunks, { headers: stream.headers }),
      { ...request, model: `${provider}/${model}`, stream: true },
    );

    expect(status).toBe(200);
    expect(text).toBe(chunks.join(''));
    expect(entry).toMatchObject({
      usage_warnings: null,
      ...expected.entry,
      ...expected.streamEntry,
      provider,
      operation: 'responses',
      stream: true,
    });
  });
});
