/** Answers as servers really send them: each in a protocol, with a random combination of deviations from it. */
import { sseEvent } from '#lambdas/inference/providers/http/sse.ts';
import { character, fc } from '../../support/fast-check.ts';
import { splitAnywhere } from '../../support/http/split-anywhere.ts';
import { bedrockFrame } from '../../support/providers/bedrock/event-stream.ts';
import type { Answer } from '../../support/providers/dialects/answer.ts';
import { deviations } from '../../support/providers/dialects/deviations.ts';
import { type DialectProtocol, type Event, renderings } from '../../support/providers/dialects/render.ts';

export interface DialectResponse {
  protocol: DialectProtocol;
  answer: Answer;
  /** Whether the caller asks for a stream. */
  stream: boolean;
  /** The names of the deviations, for the report of a failure. */
  deviated: readonly string[];
  contentType: string | undefined;
  chunks: Buffer[];
  /** An error instead of the rest of the answer; `null` for a whole answer. */
  cutAt: number | null;
}

const text = fc.string({ unit: character, minLength: 1, maxLength: 8 });
const toolNames = ['get_weather', 'search', 'lookup'];

const answer: fc.Arbitrary<Answer> = fc
  .record({
    reasoning: fc.array(text, { maxLength: 2 }),
    texts: fc.array(text, { maxLength: 4 }),
    calls: fc.array(
      fc.record({
        name: fc.constantFrom(...toolNames),
        arguments: fc.oneof(
          fc.constant({}),
          fc.dictionary(text, fc.oneof(text, fc.integer()), { maxKeys: 2 }),
        ),
      }),
      { maxLength: 3 },
    ),
    finish: fc.constantFrom('stop' as const, 'length' as const, 'content_filter' as const),
    inputTokens: fc.integer({ min: 1, max: 100_000 }),
    outputTokens: fc.integer({ min: 1, max: 10_000 }),
  })
  .map(({ calls, finish, ...rest }) => ({
    ...rest,
    // A truncated call without arguments has none for the caller either.
    calls: calls.map(({ name, arguments: input }, index) => ({
      id: `call_${index}`,
      name,
      arguments: finish !== 'stop' && Object.keys(input).length === 0 ? { a: 1 } : input,
    })),
    finish: finish === 'stop' && calls.length > 0 ? ('tool_calls' as const) : finish,
  }));

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

interface Form {
  /** The form in which the provider responds. */
  isStream: boolean;
  hasMark: boolean;
  lineEnd: string;
  comments: boolean;
  hasTerminator: boolean;
  contentType: string | undefined;
}

const form: fc.Arbitrary<Form> = fc.record({
  isStream: fc.boolean(),
  hasMark: fc.boolean(),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  comments: fc.boolean(),
  hasTerminator: fc.boolean(),
  contentType: fc.constantFrom('text/event-stream', 'application/json', 'text/plain', undefined),
});

function encode(protocol: DialectProtocol, events: readonly Event[], form: Form): Buffer {
  if (protocol === 'bedrock') return Buffer.concat(events.map(bedrockFrame));
  const terminator = protocol === 'openai' && form.hasTerminator ? 'data: [DONE]\n\n' : '';
  const body =
    events.map((event) => `${form.comments ? ': wait\n\n' : ''}${sseEvent(event)}`).join('') + terminator;
  const bytes = Buffer.from(body.replaceAll('\n', form.lineEnd));
  return form.hasMark ? Buffer.concat([byteOrderMark, bytes]) : bytes;
}

/** Without deviations, the response is the documented one. */
export const dialectResponse: fc.Arbitrary<DialectResponse> = fc
  .record({
    protocol: fc.constantFrom(
      'openai' as const,
      'openai' as const,
      'anthropic' as const,
      'google' as const,
      'bedrock' as const,
    ),
    answer,
    stream: fc.boolean(),
    form,
    chosen: fc.subarray(
      deviations.map(({ name }) => name),
      { maxLength: 3 },
    ),
    split: splitAnywhere,
    cutAt: fc.option(fc.nat(20), { freq: 6 }),
  })
  .map(({ protocol, answer, stream, form, chosen, split, cutAt }) => {
    const rendering = renderings[protocol];
    const applied = deviations.filter((it) => it.protocol === protocol && chosen.includes(it.name));
    const common = { protocol, answer, stream, contentType: form.contentType };
    if (!form.isStream) {
      const body = Buffer.from(JSON.stringify(rendering.whole(answer), null, form.comments ? 1 : 0));
      const bytes = form.hasMark && protocol !== 'bedrock' ? Buffer.concat([byteOrderMark, body]) : body;
      return { ...common, deviated: ['whole'], chunks: split(bytes), cutAt: null };
    }
    const events = applied.reduce<Event[]>((list, it) => it.apply(list), rendering.events(answer));
    const isCut = cutAt !== null && cutAt < events.length;
    const sent = isCut ? [...events.slice(0, cutAt), errorEvent(protocol)] : events;
    return {
      ...common,
      deviated: applied.map(({ name }) => name),
      chunks: split(encode(protocol, sent, form)),
      cutAt: isCut ? cutAt : null,
    };
  });

function errorEvent(protocol: DialectProtocol): Event {
  const message = 'The model is overloaded';
  if (protocol === 'bedrock') return { serviceUnavailableException: { message } };
  if (protocol === 'anthropic') return { type: 'error', error: { type: 'overloaded_error', message } };
  return { error: { code: 503, message } };
}

/** The tools of the request, which offer the names of the calls. */
export const offeredTools = toolNames.map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
}));
