/** The recorded responses of a provider, for callers of another API. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type {
  TranslatedGateway,
  TranslatedGateways,
  TranslatedResult,
} from '../messages/translated-gateway.ts';
import { bedrockFrame } from '../providers/bedrock/event-stream.ts';
import { type Fixture, loadFixtures } from '../providers/fixture.ts';
import { eventBytes } from '../providers/openai/protocol.ts';
import { replay } from '../providers/replay.ts';

type NamedFixture = [name: string, fixture: Fixture];

/** Without errors, and without requests for media, which these formats cannot contain. */
export function recordedResponses(provider: string): { whole: NamedFixture[]; streamed: NamedFixture[] } {
  const fixtures = [...loadFixtures(provider)].filter(
    ([, { expected, request }]) => expected.error === undefined && request.modalities === undefined,
  );
  return {
    whole: fixtures.filter(([, { plain }]) => plain !== null),
    streamed: fixtures.filter(([, { stream }]) => stream !== null),
  };
}

interface AskOptions {
  fixture: Fixture;
  tools: JsonObject[];
  stream: boolean;
}

interface RecordedProvider {
  ask(options: AskOptions): Promise<TranslatedResult>;
}

/** On the day of the prices that the recordings expect. */
export async function startRecordedProvider(
  gateways: TranslatedGateways,
  provider: string,
  operation: 'messages' | 'responses',
): Promise<RecordedProvider> {
  let atMs = Date.parse('2026-11-20T12:00:00Z');
  const gateway: TranslatedGateway = await gateways.start(provider, {
    // Providers with the API get its requests only if the settings turn it off.
    settings: { [provider]: { operations: { [operation]: false } } },
    dependencies: { now: () => new Date(atMs++) },
  });
  const encode = provider === 'bedrock' ? bedrockFrame : eventBytes;
  return {
    ask: ({ fixture, tools, stream }) =>
      gateway.ask({ model: `${provider}/${fixture.model}`, tools, stream }, replay(fixture, stream, encode)),
  };
}
