/** Random results of providers, as what is generated and as calls of a sink. */
import type { Payload } from '#lambdas/inference/completion/conversation.ts';
import type { ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { character, fc } from '../fast-check.ts';
import { signature } from '../providers/neutral-request.ts';
import type { WriteScript } from './write.ts';

interface GeneratedCall {
  id: string;
  name: string;
  payload: Payload | null;
  /** JSON. */
  arguments: string;
}

/** Parts of a result without a break. */
type Segment =
  | { type: 'text' | 'reasoning'; deltas: string[]; payload: Payload | null }
  | { type: 'redacted'; payload: Payload }
  | { type: 'calls'; calls: GeneratedCall[]; order: number[] };

export interface Result {
  provider: string;
  segments: Segment[];
  /** Follows the segments, if there is one. */
  refusal: string;
  /** The provider's word. */
  finish: string;
  /** The position among the segments where the usage is reported; `null` for none. */
  usageAt: number | null;
}

const payloadData = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '+', '=', ';', ' ', 'é', '%'),
  minLength: 1,
  maxLength: 6,
});
const googlePayload = payloadData.map((data) => signature(`google-${data}`, 'google'));
const claudePayload = fc.stringMatching(/^[A-Za-z\d+/]{4,12}=$/).map((data) => signature(data));
const fieldsPayload = (field: string, isList: boolean) =>
  payloadData.map((data) => {
    const value = { data: `openai-${data}` };
    return signature(JSON.stringify({ [field]: isList ? [value] : value }), 'openai');
  });

interface Kind {
  provider: string;
  text: fc.Arbitrary<Payload> | null;
  reasoning: fc.Arbitrary<Payload> | null;
  call: fc.Arbitrary<Payload> | null;
  redacts: boolean;
}

/** The opaque data that providers have, and where. */
export const kinds = {
  google: { provider: 'google', text: googlePayload, reasoning: null, call: googlePayload, redacts: false },
  openai: {
    provider: 'vllm',
    text: null,
    reasoning: fieldsPayload('reasoning_details', true),
    call: fieldsPayload('extra_content', false),
    redacts: false,
  },
  claude: { provider: 'bedrock', text: null, reasoning: claudePayload, call: null, redacts: true },
} as const satisfies Record<string, Kind>;

const delta = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('Hi', 'é🙂', '"x"', '{"a":1}', 'data: y\n\n') },
  { weight: 1, arbitrary: fc.string({ unit: character, maxLength: 4 }).map((text) => text.toWellFormed()) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\n\n') },
);
const deltas = fc.array(delta, { minLength: 1, maxLength: 4 });

const optional = (payload: fc.Arbitrary<Payload> | null): fc.Arbitrary<Payload | null> =>
  payload === null ? fc.constant(null) : fc.option(payload);

/** Text that has data does not begin with white space, since blank text may be left out. */
function words(type: 'text' | 'reasoning', payload: fc.Arbitrary<Payload> | null): fc.Arbitrary<Segment> {
  const spoken = payload === null ? deltas : deltas.map((list) => ['So', ...list]);
  return fc.record({ type: fc.constant(type), deltas: spoken, payload: optional(payload) });
}

const json = fc.oneof(
  fc.constantFrom('{}', '{"n":9007199254740993}', '{"a":{"b":[1.50,null,"}{"]}}', ' {"a" : "\\u00e9\\""}\n'),
  fc
    .dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
    .map((value) => JSON.stringify(value)),
);

const calls = (payload: fc.Arbitrary<Payload> | null): fc.Arbitrary<Segment> =>
  fc.record({
    type: fc.constant('calls'),
    calls: fc.array(
      fc.record({
        id: fc.constant(''),
        name: fc.constantFrom('look', 'go_on'),
        payload: optional(payload),
        arguments: json,
      }),
      { minLength: 1, maxLength: 3 },
    ),
    order: fc.array(fc.nat(2), { maxLength: 12 }),
  });

const segmentsOf = ({ text, reasoning, call, redacts }: Kind): fc.Arbitrary<Segment> =>
  fc.oneof(
    { weight: 3, arbitrary: words('text', text) },
    { weight: 2, arbitrary: words('reasoning', reasoning) },
    { weight: 3, arbitrary: calls(call) },
    ...(redacts
      ? [
          {
            weight: 1,
            arbitrary: claudePayload.map(
              ({ data }): Segment => ({
                type: 'redacted',
                payload: { format: 'anthropic', kind: 'redacted', data },
              }),
            ),
          },
        ]
      : []),
  );

export const results = (kind: Kind): fc.Arbitrary<Result> =>
  fc
    .record({
      provider: fc.constant(kind.provider),
      segments: fc.array(segmentsOf(kind), { maxLength: 6 }),
      refusal: fc.constantFrom('', '', '', 'I cannot'),
      finish: fc.constantFrom(
        'stop',
        'tool_calls',
        'length',
        'content_filter',
        'model_length',
        'stop_sequence',
      ),
      usageAt: fc.option(fc.nat(7)),
    })
    .map(withCallIds);

function withCallIds(result: Result): Result {
  let count = 0;
  const segments = result.segments.map((segment) =>
    segment.type === 'calls'
      ? { ...segment, calls: segment.calls.map((call) => ({ ...call, id: `call-${count++}` })) }
      : segment,
  );
  return { ...result, segments };
}

/** Writes the result to a sink. The arguments of calls that follow each other arrive in parts, in any order. */
export function scriptOf({ segments, refusal, finish, usageAt }: Result): WriteScript {
  return (choice, writer) => {
    const bill = () =>
      writer.billing({ usage: { ...noUsage, freshInputTokens: 5, outputTokens: 7, reasoningTokens: 2 } });
    writer.identify({ id: 'answer-1', model: 'served-model' });
    choice.begin();
    for (const [position, segment] of segments.entries()) {
      if (position === usageAt) bill();
      writer.ping();
      switch (segment.type) {
        case 'text':
        case 'reasoning':
          for (const text of segment.deltas) choice[segment.type](text);
          if (segment.payload !== null) choice.signature(segment.payload);
          break;
        case 'redacted':
          choice.signature(segment.payload);
          break;
        case 'calls': {
          const open = segment.calls.map(({ arguments: text, ...call }) => ({
            sink: choice.toolCall(call),
            text,
          }));
          writeArguments(open, segment.order);
          break;
        }
        default:
          segment satisfies never;
      }
    }
    choice.refusal(refusal);
    choice.finish(finish);
    if (usageAt !== null && usageAt >= segments.length) bill();
  };
}

function writeArguments(
  calls: readonly { sink: ToolCallSink; text: string }[],
  order: readonly number[],
): void {
  const rest = calls.map(({ text }) => text);
  for (const index of order) {
    const text = rest[index] ?? '';
    calls[index]?.sink.arguments(text.slice(0, 3));
    rest[index] = text.slice(3);
  }
  for (const [index, { sink }] of [...calls.entries()].reverse()) sink.arguments(rest[index] ?? '');
}
