/** Provider responses: recordings with a value replaced, arbitrary JSON in the right encoding, and mutated bytes. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { bedrockStreamType } from '#test/support/providers/bedrock/event-stream.ts';
import { type Fixture, loadFixtures } from '#test/support/providers/fixture.ts';
import { providerKey } from '../gateway.ts';
import { byteMutation } from './byte-mutations.ts';
import { type BodyEncoding, encodeBody } from './encode-body.ts';
import { anyText, anyValue, edgeCaseJsonText } from './json.ts';
import { replaceValue } from './replace-value.ts';

/** One provider per protocol, and the OpenAI-compatible providers whose responses need their own code. */
const providers = [
  'openai',
  'groq',
  'openrouter',
  'xai',
  'mistral',
  'azure',
  'anthropic',
  'google',
  'bedrock',
];
const recordings = providers.flatMap((provider) =>
  [...loadFixtures(provider).values()].map((fixture) => ({ provider, fixture })),
);

export interface FuzzResponse {
  provider: string;
  /** The caller's request in OpenAI's format, without the model. */
  request: JsonObject;
  status: number;
  headers: Record<string, string>;
  chunks: Buffer[];
  /** Set when the connection breaks after the last chunk. */
  isTruncated: boolean;
}

/** A provider's response before it is encoded. */
interface ProtocolResponse {
  status: number;
  encoding: BodyEncoding;
  values: unknown;
}

/** Falls back to the other form when the fixture was recorded in one form only. */
function recordedResponse(
  { provider, fixture }: (typeof recordings)[number],
  stream: boolean,
): ProtocolResponse {
  const response: Fixture['stream'] =
    (stream ? fixture.stream : fixture.plain) ?? fixture.plain ?? fixture.stream;
  if (response === null) throw new Error('The fixture has no response');
  if ('events' in response) {
    return {
      status: response.status,
      encoding: provider === 'bedrock' ? 'event_stream' : 'sse',
      values: response.events,
    };
  }
  return { status: response.status, encoding: 'json', values: response.body };
}

const placeholder = 'placeholder';
const replacementValue = fc.oneof(
  anyValue,
  fc.constant(providerKey),
  fc.constant(`your key ${providerKey}`),
  fc.constant(placeholder),
);

/** A replacement value, and the JSON text that replaces the placeholder in it. */
const anyReplacement = fc.record({
  place: fc.nat(),
  value: replacementValue,
  placeholderJson: edgeCaseJsonText,
});

const statuses = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.constantFrom(200, 201, 204, 302, 304, 400, 401, 403, 404, 413, 422, 429, 500, 503, 529),
  },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 999 }) },
);
const headers = fc.array(
  fc.tuple(
    fc.constantFrom(
      'retry-after',
      'retry-after-ms',
      'x-request-id',
      'request-id',
      'x-amzn-requestid',
      'x-amzn-errortype',
      'set-cookie',
      'location',
      'date',
    ),
    fc.oneof(anyText, fc.constantFrom('0', '0.0', '-1', 'Wed, 21 Oct 2015 07:28:00 GMT', 'a'.repeat(300))),
  ),
  { maxLength: 3 },
);
const contentTypes = fc.constantFrom(
  'application/json',
  'text/event-stream',
  bedrockStreamType,
  'text/html',
  'text/event-streams',
  '',
);
const validContentTypes = {
  json: 'application/json',
  sse: 'text/event-stream',
  event_stream: bedrockStreamType,
};

/** Yields `null`, for the recorded value, in five of six cases. */
const rarely = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const parts = fc.record({
  recording: fc.constantFrom(...recordings),
  stream: fc.boolean(),
  includeUsage: fc.boolean(),
  replacement: fc.option(anyReplacement, { freq: 3 }),
  arbitraryValues: rarely(fc.array(anyValue, { maxLength: 4 })),
  mutate: byteMutation,
  status: rarely(statuses),
  headers,
  contentType: rarely(contentTypes),
  split: splitAnywhere,
  isTruncated: rarely(fc.constant(true)),
});

type Parts = typeof parts extends fc.Arbitrary<infer Value> ? Value : never;

export const fuzzResponse: fc.Arbitrary<FuzzResponse> = parts.map((values) => {
  const response = toFuzzResponse(values);
  const chunks = response.chunks.map((chunk) => chunk.toString('latin1'));
  return Object.assign(response, { [fc.toStringMethod]: () => JSON.stringify({ ...response, chunks }) });
});

function toFuzzResponse({
  recording,
  stream,
  includeUsage,
  replacement,
  arbitraryValues,
  ...rest
}: Parts): FuzzResponse {
  const recorded = recordedResponse(recording, stream);
  const values = arbitraryValues ?? recorded.values;
  const replaced = replacement === null ? values : replaceValue(values, replacement.place, replacement.value);
  const bytes = encodeBody(recorded.encoding, replaced, (text) =>
    text.replaceAll(`"${placeholder}"`, () => replacement?.placeholderJson ?? 'null'),
  );
  const contentType = rest.contentType ?? validContentTypes[recorded.encoding];
  const { request } = recording.fixture;
  return {
    provider: recording.provider,
    request: { ...request, stream, stream_options: includeUsage ? { include_usage: true } : null },
    status: rest.status ?? recorded.status,
    headers: {
      ...Object.fromEntries(rest.headers),
      ...(contentType !== '' && { 'content-type': contentType }),
    },
    chunks: rest.split(rest.mutate(bytes)),
    isTruncated: rest.isTruncated === true,
  };
}
