/** What a provider might send: recorded answers with something changed, nonsense in the right form, and bytes. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { bedrockStreamType } from '../support/providers/bedrock/bedrock-event-stream.ts';
import { type Fixture, fixturesOf } from '../support/providers/fixture.ts';
import { splitAnywhere } from '../support/split-anywhere.ts';
import { anyChange } from './arbitrary-bytes.ts';
import { anyText, anyValue, oddJsonText } from './arbitrary-json.ts';
import { exchangeValue } from './exchange-value.ts';
import { providerKey } from './fuzz-gateway.ts';
import { type Form, wireBytes } from './wire-forms.ts';

/** One of each protocol, and of OpenAI's dialects those that are read in a way of their own. */
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
const scenes = providers.flatMap((provider) =>
  [...fixturesOf(provider).values()].map((fixture) => ({ provider, fixture })),
);

export interface FuzzAnswer {
  provider: string;
  /** The caller's request in OpenAI's format, without the model. */
  request: JsonObject;
  status: number;
  headers: Record<string, string>;
  chunks: Buffer[];
  /** Whether the connection breaks after the last chunk. */
  breaksOff: boolean;
}

/** What a provider says, before it becomes bytes. */
interface Said {
  status: number;
  form: Form;
  values: unknown;
}

/** A scene that was recorded in one form only is said in that, whatever was asked for. */
function recorded({ provider, fixture }: (typeof scenes)[number], stream: boolean): Said {
  const answer: Fixture['stream'] =
    (stream ? fixture.stream : fixture.plain) ?? fixture.plain ?? fixture.stream;
  if (answer === null) throw new Error('A scene without an answer');
  if ('events' in answer) {
    return {
      status: answer.status,
      form: provider === 'bedrock' ? 'frames' : 'events',
      values: answer.events,
    };
  }
  return { status: answer.status, form: 'whole', values: answer.body };
}

const hole = 'a hole';
const other = fc.oneof(
  anyValue,
  fc.constant(providerKey),
  fc.constant(`your key ${providerKey}`),
  fc.constant(hole),
);

/** What is said instead, and the JSON that stands where a hole is. */
const exchange = fc.record({ place: fc.nat(), other, odd: oddJsonText });

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
const contentTypeOf = { whole: 'application/json', events: 'text/event-stream', frames: bedrockStreamType };

/** Now and then one, and else what was recorded. */
const rarely = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const parts = fc.record({
  scene: fc.constantFrom(...scenes),
  stream: fc.boolean(),
  includeUsage: fc.boolean(),
  exchange: fc.option(exchange, { freq: 3 }),
  nonsense: rarely(fc.array(anyValue, { maxLength: 4 })),
  change: anyChange,
  status: rarely(statuses),
  headers,
  contentType: rarely(contentTypes),
  cut: splitAnywhere,
  breaksOff: rarely(fc.constant(true)),
});

type Parts = typeof parts extends fc.Arbitrary<infer Value> ? Value : never;

export const fuzzAnswer: fc.Arbitrary<FuzzAnswer> = parts.map((made) => {
  const answer = answerOf(made);
  const chunks = answer.chunks.map((chunk) => chunk.toString('latin1'));
  return Object.assign(answer, { [fc.toStringMethod]: () => JSON.stringify({ ...answer, chunks }) });
});

function answerOf({ scene, stream, includeUsage, exchange, nonsense, ...made }: Parts): FuzzAnswer {
  const said = recorded(scene, stream);
  const values = nonsense ?? said.values;
  const exchanged = exchange === null ? values : exchangeValue(values, exchange.place, exchange.other);
  const bytes = wireBytes(said.form, exchanged, (text) =>
    text.replaceAll(`"${hole}"`, () => exchange?.odd ?? 'null'),
  );
  const contentType = made.contentType ?? contentTypeOf[said.form];
  const { request } = scene.fixture;
  return {
    provider: scene.provider,
    request: { ...request, stream, stream_options: includeUsage ? { include_usage: true } : null },
    status: made.status ?? said.status,
    headers: {
      ...Object.fromEntries(made.headers),
      ...(contentType !== '' && { 'content-type': contentType }),
    },
    chunks: made.cut(made.change(bytes)),
    breaksOff: made.breaksOff === true,
  };
}
