import { describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { streamProblems } from '#test/support/openai-schema/validate.ts';
import { completionFor, googleEvent, streamFor } from '#test/support/providers/google/call.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const part = fc.oneof(
  fc.record({ text }),
  fc.record({ text, thought: fc.constant(true) }),
  fc.record({
    functionCall: fc.record(
      { id: fc.uuid(), name: fc.constantFrom('f', 'g'), args: fc.dictionary(text, fc.jsonValue()) },
      { requiredKeys: ['name'] },
    ),
  }),
);
const generated = fc.record({
  chunks: fc.array(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 5 }),
  finishReason: fc.constantFrom('STOP', 'MAX_TOKENS', 'SAFETY'),
  split: splitAnywhere,
});
const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 };

/** The same completion as a non-streaming response and as stream events. */
function buildResponses({ chunks, finishReason }: { chunks: object[][]; finishReason: string }) {
  const common = { modelVersion: 'gemini-3.5-flash', responseId: 'r1', usageMetadata };
  const response = (parts: object[], isLast: boolean) => ({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...(isLast && { finishReason }) }],
    ...common,
  });
  const events = chunks.map((parts, index) => response(parts, index === chunks.length - 1));
  return { body: response(chunks.flat(), true), events };
}

function withoutIds(message: unknown) {
  return JSON.parse(JSON.stringify(message, (name, value) => (name === 'id' ? undefined : value)));
}

describe('Google streams', () => {
  it('translates a stream to the same completion as a non-streaming response, wherever it is split', async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (example) => {
        const { body, events } = buildResponses(example);
        const { completion, facts } = await completionFor(body);
        const streamed = await streamFor(example.split(Buffer.concat(events.map(googleEvent))));

        expect(streamProblems(streamed.text, { includeUsage: true })).toEqual([]);
        const { assembled } = streamed;
        expect(assembled).toMatchObject({ id: 'r1', model: 'gemini-3.5-flash', done: true });
        expect(assembled.usage).toEqual(completion?.usage);
        const { choices } = completion as { choices: [{ message: object; finish_reason: string }] };
        const [{ message, finish_reason }] = choices;
        const [choice] = assembled.choices;
        expect(choice?.finish_reason).toBe(finish_reason);
        expect({
          refusal: null,
          ...withoutIds(choice?.message),
          content: choice?.message.content || null,
        }).toEqual({
          ...withoutIds(message),
          content: (message as { content: string | null }).content || null,
        });
        expect({ ...facts }).toMatchObject({ usage: streamed.facts.usage, finishReason: finish_reason });
      }),
    );
  });

  it('starts the stream with the first chunk, even if that only calls a Google tool', async () => {
    const { facts, text: translated } = await streamFor([
      { candidates: [{ content: { parts: [{ toolCall: { toolType: 'GOOGLE_SEARCH' } }] } }] },
    ]);

    expect(facts).toMatchObject({ started: true, finished: false });
    expect(translated).toContain('"role":"assistant"');
  });

  it('ends the stream on an error event, read like an error response', async () => {
    const error = {
      code: 429,
      message: 'Quota',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.5s' }],
    };
    const { facts, assembled } = await streamFor([
      { candidates: [{ content: { parts: [{ text: 'Once' }] } }], usageMetadata },
      { error },
      { candidates: [{ content: { parts: [{ text: ' upon' }] }, finishReason: 'STOP' }] },
    ]);

    expect(assembled.choices).toMatchObject([{ message: { content: 'Once' }, finish_reason: null }]);
    expect(facts).toMatchObject({
      finished: false,
      usage: { ...noUsage, freshInputTokens: 3, outputTokens: 4 },
      error: {
        code: 'rate_limit_exceeded',
        providerCode: 'RESOURCE_EXHAUSTED',
        status: 429,
        message: 'Quota',
        headers: { 'retry-after': '1' },
      },
    });
  });

  // Google sometimes sends this: https://github.com/googleapis/python-genai/issues/1162
  it.each(['', '\n', '\r\n\r\n'])(
    'ends the stream on an error that is plain JSON instead of an event, followed by %j',
    async (rest) => {
      const error = { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' };
      const plainError = Buffer.from(`${JSON.stringify({ error }, null, 2)}${rest}`);
      const opening = googleEvent({ candidates: [{ content: { parts: [{ text: 'Once' }] } }] });

      for (const chunks of [[plainError], [opening, plainError]]) {
        const { facts } = await streamFor(chunks);
        expect(facts).toMatchObject({
          finished: false,
          error: { code: 'rate_limit_exceeded', status: 429, message: 'Quota' },
        });
      }
    },
  );

  it('does not complete the stream when a candidate has no finishReason', async () => {
    const { facts, assembled } = await streamFor([
      { candidates: [{ content: { parts: [{ text: 'A' }] } }, { content: { parts: [{ text: 'B' }] } }] },
      { candidates: [{ index: 1, finishReason: 'STOP' }] },
    ]);

    expect(assembled.done).toBe(false);
    expect(facts.finished).toBe(false);
  });
});
