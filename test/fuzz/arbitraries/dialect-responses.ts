/** Responses as servers really send them: in any form, and with any combination of deviations from their protocol. */
import { character, fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { areCompatible, deviations } from '#test/support/providers/dialects/deviations.ts';
import {
  type Completion,
  type Protocol,
  type ResponseFormat,
  responseFormats,
} from '#test/support/providers/dialects/response-formats.ts';
import { byteOrderMark, transportRewrites } from '#test/support/providers/dialects/transport.ts';

type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface DialectResponse {
  protocol: Protocol;
  completion: Required<Omit<Completion, 'finish'>> & { finish: FinishReason };
  /** Whether the caller asks for a stream. */
  stream: boolean;
  /** The names of the deviations, for the report of a failure. */
  deviated: readonly string[];
  contentType: string | undefined;
  chunks: Buffer[];
  /** The response ends with an error instead of the rest of the completion. */
  isCut: boolean;
}

const text = fc.string({ unit: character, maxLength: 20 }).map((value) => value.toWellFormed());
export const toolNames = ['get_weather', 'search', 'list_files'];

const toolArguments = fc.dictionary(fc.constantFrom('city', 'n'), fc.oneof(text, fc.integer()));

const completion: fc.Arbitrary<DialectResponse['completion']> = fc
  .record({
    reasoning: text,
    text,
    calls: fc.array(fc.record({ name: fc.constantFrom(...toolNames), input: toolArguments }), {
      maxLength: 3,
    }),
    finish: fc.constantFrom('stop' as const, 'length' as const, 'content_filter' as const),
  })
  .map(({ calls, finish, ...output }) => ({
    ...output,
    calls: calls.map(({ name, input }, position) => ({
      id: `call_${position}`,
      name,
      // A truncated call without arguments has none for the caller either.
      arguments: JSON.stringify(finish !== 'stop' ? { city: '', ...input } : input),
    })),
    finish: finish === 'stop' && calls.length > 0 ? ('tool_calls' as const) : finish,
  }));

const words: Readonly<Record<Protocol, Readonly<Record<FinishReason, string>>>> = {
  openai: {
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool_calls',
    content_filter: 'content_filter',
  },
  anthropic: { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' },
  google: {
    stop: 'STOP',
    length: 'MAX_TOKENS',
    tool_calls: 'STOP',
    content_filter: 'PROHIBITED_CONTENT',
  },
  bedrock: {
    stop: 'end_turn',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    content_filter: 'guardrail_intervened',
  },
};

const errors: Readonly<Record<Protocol, Record<string, unknown>>> = {
  openai: { error: { message: 'Overloaded', code: 503 } },
  anthropic: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  google: { error: { message: 'Overloaded', code: 503 } },
  bedrock: { serviceUnavailableException: { message: 'Overloaded' } },
};

interface Form {
  isStream: boolean;
  isTerminated: boolean;
  rewrites: readonly string[];
  cutAt: number | null;
  contentType: string | undefined;
}

/** Changed last, since the other changes expect LF, and a byte order mark is the first character. */
const lastRewrites = ['lines that end with CRLF', 'lines that end with CR', 'a byte order mark'];
const rewriteNames = Object.keys(transportRewrites).sort(
  (left, right) => lastRewrites.indexOf(left) - lastRewrites.indexOf(right),
);

const form: fc.Arbitrary<Form> = fc.record({
  isStream: fc.oneof({ arbitrary: fc.constant(true), weight: 3 }, fc.constant(false)),
  isTerminated: fc.boolean(),
  rewrites: fc.subarray(rewriteNames, { maxLength: 3 }).filter(areCompatible),
  cutAt: fc.option(fc.nat(20), { freq: 6 }),
  contentType: fc.constantFrom('text/event-stream', 'application/json', 'text/plain', undefined),
});

function encodeStream(
  { encode, terminator }: ResponseFormat,
  events: readonly Record<string, unknown>[],
  { isTerminated, rewrites }: Form,
): Buffer {
  const bytes = Buffer.concat(events.map(encode));
  // Binary frames.
  if (bytes[0] === 0) return bytes;
  const sent = bytes.toString() + (isTerminated ? (terminator ?? '') : '');
  return Buffer.from(rewrites.reduce((events, name) => transportRewrites[name]?.(events) ?? events, sent));
}

function encodeWhole(value: unknown, { rewrites }: Form): Buffer {
  const indent = rewrites.length;
  const mark = rewrites.includes('a byte order mark') ? byteOrderMark : '';
  return Buffer.from(mark + JSON.stringify(value, null, indent));
}

const someDeviations = Object.fromEntries(
  Object.entries(deviations).map(([protocol, table]) => [
    protocol,
    fc
      .subarray(Object.keys(table), { maxLength: Math.min(4, Object.keys(table).length) })
      .filter(areCompatible),
  ]),
) as Record<Protocol, fc.Arbitrary<string[]>>;

export const dialectResponse: fc.Arbitrary<DialectResponse> = fc
  .constantFrom<Protocol[]>('openai', 'openai', 'openai', 'anthropic', 'google', 'bedrock')
  .chain((protocol) =>
    fc
      .record({
        completion,
        stream: fc.boolean(),
        form,
        chosen: someDeviations[protocol],
        split: splitAnywhere,
      })
      .map(({ completion, stream, form, chosen, split }) => {
        const format = responseFormats[protocol];
        const sent = { ...completion, finish: words[protocol][completion.finish] };
        const common = { protocol, completion, stream, contentType: form.contentType };
        if (!form.isStream) {
          const chunks = split(encodeWhole(format.whole(sent), form));
          return { ...common, deviated: ['not a stream'], chunks, isCut: false };
        }
        const events = chosen.reduce(
          (current, name) => deviations[protocol][name]?.(current) ?? current,
          format.events(sent),
        );
        const isCut = form.cutAt !== null && form.cutAt < events.length;
        const cut = isCut ? [...events.slice(0, form.cutAt ?? 0), errors[protocol]] : events;
        const chunks = split(encodeStream(format, cut, form));
        return { ...common, deviated: [...chosen, ...form.rewrites], chunks, isCut };
      }),
  );
