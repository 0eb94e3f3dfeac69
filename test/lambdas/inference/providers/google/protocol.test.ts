import { describe, expect, it } from 'vitest';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { fc } from '#test/support/fast-check.ts';
import { streamProblems } from '#test/support/openai-schema/openai-schema.ts';
import { completionFor, googleEvent, streamFor } from '#test/support/providers/google/call.ts';
import { splitAnywhere } from '#test/support/split-anywhere.ts';

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
  cut: splitAnywhere,
});
const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 };

/** The completion in the two forms of the API. */
function formsOf({ chunks, finishReason }: { chunks: object[][]; finishReason: string }) {
  const common = { modelVersion: 'gemini-3.5-flash', responseId: 'r1', usageMetadata };
  const completion = (parts: object[], last: boolean) => ({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...(last && { finishReason }) }],
    ...common,
  });
  const events = chunks.map((parts, index) => completion(parts, index === chunks.length - 1));
  return { whole: completion(chunks.flat(), true), events };
}

function withoutIds(message: unknown) {
  return JSON.parse(JSON.stringify(message, (name, value) => (name === 'id' ? undefined : value)));
}

describe("Google's stream", () => {
  it('says what the whole completion says, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(generated, async (given) => {
        const { whole, events } = formsOf(given);
        const { completion, facts } = await completionFor(whole);
        const streamed = await streamFor(given.cut(Buffer.concat(events.map(googleEvent))));

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

  it('begins with the first chunk, if only Google has begun to search', async () => {
    const { facts, text: written } = await streamFor([
      { candidates: [{ content: { parts: [{ toolCall: { toolType: 'GOOGLE_SEARCH' } }] } }] },
    ]);

    expect(facts).toMatchObject({ started: true, complete: false });
    expect(written).toContain('"role":"assistant"');
  });

  it('ends with an error in its middle, as the same error would have been before', async () => {
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
      complete: false,
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

  // As it comes at times: https://github.com/googleapis/python-genai/issues/1162
  it.each(['', '\n', '\r\n\r\n'])(
    'ends with an error that is no event, and has %j behind it',
    async (rest) => {
      const error = { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' };
      const bare = Buffer.from(`${JSON.stringify({ error }, null, 2)}${rest}`);
      const begun = googleEvent({ candidates: [{ content: { parts: [{ text: 'Once' }] } }] });

      for (const chunks of [[bare], [begun, bare]]) {
        const { facts } = await streamFor(chunks);
        expect(facts).toMatchObject({
          complete: false,
          error: { code: 'rate_limit_exceeded', status: 429, message: 'Quota' },
        });
      }
    },
  );

  it('does not end when a candidate has not', async () => {
    const { facts, assembled } = await streamFor([
      { candidates: [{ content: { parts: [{ text: 'A' }] } }, { content: { parts: [{ text: 'B' }] } }] },
      { candidates: [{ index: 1, finishReason: 'STOP' }] },
    ]);

    expect(assembled.done).toBe(false);
    expect(facts.complete).toBe(false);
  });
});
