/** The recorded responses of the Responses API, for callers of chat and messages: the log and the costs are those of the API itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderSettings } from '#lambdas/inference/providers/settings.ts';
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import {
  type NativeGateway,
  type NativeGateways,
  providerKey,
  startNativeGateways,
} from '#test/support/messages/native-gateway.ts';
import { type ForwardedFixture, loadForwardedFixtures } from '#test/support/providers/fixture.ts';
import { jsonResponse, streamResponse } from '#test/support/providers/upstream-responses.ts';
import { responsesEvent } from '#test/support/responses/gateway.ts';

const providers = ['openai', 'azure', 'fireworks', 'xai', 'deepseek', 'groq', 'lmstudio', 'openrouter'];
const settings: ProviderSettings = {
  completionsApi: 'responses',
  operations: { responses: '/responses', messages: false },
};

let gateways: NativeGateways;
const started = new Map<string, NativeGateway>();
beforeAll(async () => {
  gateways = await startNativeGateways();
  for (const [path, operation] of [
    ['/ai/v1/chat/completions', 'chat.completions'],
    ['/ai/v1/messages', 'messages'],
  ] as const) {
    for (const provider of providers) {
      let atMs = Date.parse('2026-11-20T12:00:00Z');
      const gateway = await gateways.start({
        path,
        settingsOf: (baseUrl) => ({ [provider]: { baseUrl, ...settings } }),
        credentials: { [provider]: { api_key: providerKey } },
        dependencies: { now: () => new Date(atMs++) },
      });
      started.set(`${operation} ${provider}`, gateway);
    }
  }
});
afterAll(() => gateways.stop());

const fixtures = providers.flatMap((provider) =>
  [...loadForwardedFixtures(provider)].map(([name, fixture]) => ({
    name: `${provider}/${name}`,
    provider,
    fixture,
  })),
);

type Operation = 'chat.completions' | 'messages';
type EventData = Parameters<typeof responsesEvent>[0];

/** The functions of the recording, and in chat also its custom tools, so that calls are those of the caller's tools. */
function requestOf(operation: Operation, { request }: ForwardedFixture, model: string): JsonObject {
  const tools = filterObjects(request.tools).flatMap(({ type, name, ...definition }): JsonObject[] => {
    if (operation === 'messages')
      return type === 'function' ? [{ name, input_schema: definition.parameters ?? { type: 'object' } }] : [];
    return type === 'function' || type === 'custom' ? [{ type, [type]: { name, ...definition } }] : [];
  });
  const messages = [{ role: 'user', content: 'Hello' }];
  return { model, messages, max_tokens: 100_000, ...(tools.length > 0 && { tools }) };
}

/** Recordings whose last call is for the caller, and none of a function: no other format has it. */
const withUnknownCall = [
  ...['openai/apply-patch', 'openai/local-shell', 'openai/mcp-approval', 'openai/shell-local'],
  'openai/tool-search-by-caller',
];

/** Recordings of errors before the first item, which become HTTP errors. */
const earlyErrors = ['openai/error-in-stream', 'openai/failed-without-error-event'];

const isImage = ({ name }: { name: string }) => name.endsWith('/image-generation');
const isExpressible = ({ name }: { name: string }) =>
  !withUnknownCall.includes(name) && !earlyErrors.includes(name);

const callers = [
  { operation: 'chat.completions', recordings: fixtures.filter(isExpressible) },
  {
    operation: 'messages',
    // Messages have neither custom tools nor images of the model.
    recordings: fixtures.filter(
      (fixture) => isExpressible(fixture) && !isImage(fixture) && fixture.name !== 'openai/custom-tool',
    ),
  },
] as const;

async function exchange(
  operation: Operation,
  { provider, fixture }: (typeof fixtures)[number],
  stream: boolean,
): ReturnType<NativeGateway['exchange']> {
  const gateway = started.get(`${operation} ${provider}`) ?? expect.fail();
  const request = requestOf(operation, fixture, `${provider}/${fixture.model}`);
  const recorded = (stream ? fixture.stream : fixture.plain) ?? expect.fail();
  const respond =
    'events' in recorded
      ? streamResponse((recorded.events as EventData[]).map(responsesEvent), recorded)
      : jsonResponse(recorded.body, recorded);
  return gateway.exchange(respond, { ...request, stream });
}

describe.each(callers)('As $operation, a recorded response', ({ operation, recordings }) => {
  it.each(recordings.filter(({ fixture }) => fixture.plain !== null))('$name', async (recording) => {
    const { provider, fixture } = recording;
    const { entry, status } = await exchange(operation, recording, false);

    expect(entry).toMatchObject({ ...fixture.expected.entry, provider, operation, stream: false });
    expect(status).toBe(fixture.expected.entry.status);
  });

  it.each(recordings.filter(({ fixture }) => fixture.stream !== null))(
    '$name, streamed',
    async (recording) => {
      const { provider, fixture } = recording;
      const { entry } = await exchange(operation, recording, true);

      const { expected } = fixture;
      expect(entry).toMatchObject({
        ...expected.entry,
        ...expected.streamEntry,
        provider,
        operation,
        stream: true,
      });
    },
  );
});

describe.each(['chat.completions', 'messages'] as const)('As %s, a recorded response', (operation) => {
  const named = (names: readonly string[]) => fixtures.filter(({ name }) => names.includes(name));

  it.each(named(withUnknownCall))(
    'with a call that the caller would not see is an error: $name',
    async (recording) => {
      const { entry, text } = await exchange(operation, recording, recording.fixture.plain === null);

      const { outcome, finish_reason, status, ...costs } = recording.fixture.expected.entry;
      expect(entry).toMatchObject({ ...costs, error_code: 'provider_error', outcome: 'provider_error' });
      expect(text).toContain('which the format of this request does not have: use POST /ai/responses');
    },
  );

  it.each(named(earlyErrors))(
    'that fails before its first item is an HTTP error: $name',
    async (recording) => {
      const { entry, status } = await exchange(operation, recording, true);

      expect(status).toBe(429);
      expect(entry).toMatchObject({ ...recording.fixture.expected.entry, status });
    },
  );
});
