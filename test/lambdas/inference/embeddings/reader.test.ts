import { describe, expect, it } from 'vitest';
import { noFacts } from '#lambdas/inference/completion/facts.ts';
import { joinList } from '#lambdas/inference/embeddings/reader.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import { prepareOne } from '#test/support/embeddings/call.ts';
import { fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';

const vectors = [
  [0.5, -0.25],
  [1e-9, -0],
];
const responses = [
  ['openai/m', { data: vectors.map((embedding) => ({ embedding })), usage: { total_tokens: 3 } }],
  ['google/m', { embeddings: vectors.map((values) => ({ values })), usageMetadata: { promptTokenCount: 3 } }],
  ['bedrock/cohere.embed-v4:0', { embeddings: { float: vectors } }],
  ['cohere/m', { embeddings: { float: vectors }, meta: { billed_units: { input_tokens: 3 } } }],
] as const;

describe('The response of an embeddings request', () => {
  it.each(responses)('of %s is read the same wherever its bytes are split', async (model, response) => {
    const { protocol } = await prepareOne({ model, input: ['Grüße', 'x'], encoding_format: 'base64' });
    const { createReader } = await protocol.loadReaders();
    const bytes = Buffer.from(JSON.stringify(response));
    const read = (chunks: Buffer[]) => {
      const reader = createReader({});
      const written = chunks.map((chunk) => reader.push(chunk));
      return { text: Buffer.concat([...written, reader.end()]).toString(), facts: reader.facts };
    };

    const whole = read([bytes]);

    expect(whole.facts).toMatchObject({ started: true, finished: true, ended: true, error: null });
    expect(whole.text).toContain('"embedding":"AAAAPwAAgL4="');
    fc.assert(
      fc.property(splitAnywhere, (split) => {
        expect(read(split(bytes))).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });
});

describe('The list of several responses', () => {
  const parts = ['{"index":0},{"index":1}', '{"index":2}'].map((part) => Buffer.from(part));
  const data = '"data":[{"index":0},{"index":1},{"index":2}]';

  it('has the items of all parts in their order, and the sum of the tokens', () => {
    const usage = { ...noUsage, freshInputTokens: 7 };

    expect(joinList(parts, 'm "1"', { ...noFacts, usage }).toString()).toBe(
      `{"object":"list",${data},"model":"m \\"1\\"","usage":{"prompt_tokens":7,"total_tokens":7}}`,
    );
  });

  it('has no usage if it is not known', () => {
    expect(joinList(parts, 'm', noFacts).toString()).toBe(`{"object":"list",${data},"model":"m"}`);
  });
});
