import { describe, expect, it } from 'vitest';
import { toMessagesRequest } from '#lambdas/inference/providers/anthropic/request.ts';
import { fc } from '#test/support/fast-check.ts';
import { readMessages } from '#test/support/messages/read.ts';

const cacheControl = fc.option(
  fc.record({ type: fc.constant('ephemeral'), ttl: fc.constantFrom('5m', '1h') }),
  { freq: 3, nil: undefined },
);
const marked = <Block extends object>(block: fc.Arbitrary<Block>) =>
  fc.tuple(block, cacheControl).map(([fields, breakpoint]) => ({
    ...fields,
    ...(breakpoint !== undefined && { cache_control: breakpoint }),
  }));
/** Claude's prefill ends without space, and blank text is left out. */
const words = fc.string({ minLength: 1 }).map((value) => `${value}.`);
const text = marked(fc.record({ type: fc.constant('text'), text: words }));
const image = marked(
  fc.record({
    type: fc.constant('image'),
    source: fc.oneof(
      fc.record({ type: fc.constant('url'), url: fc.webUrl() }),
      fc.record({
        type: fc.constant('base64'),
        media_type: fc.constant('image/png'),
        data: fc.constant('iVBORw0KGgo='),
      }),
    ),
  }),
);
const document = marked(
  fc.record({
    type: fc.constant('document'),
    source: fc.oneof(
      fc.record({ type: fc.constant('url'), url: fc.webUrl() }),
      fc.record({ type: fc.constant('text'), media_type: fc.constant('text/plain'), data: words }),
    ),
    title: words,
  }),
);
const thinking = fc.oneof(
  fc.record({ type: fc.constant('thinking'), thinking: fc.string(), signature: words }),
  fc.record({ type: fc.constant('redacted_thinking'), data: fc.string() }),
);
const input = fc.dictionary(
  fc.string(),
  fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string())),
);
const use = marked(fc.record({ name: fc.constantFrom('look', 'go'), input }));

/** The results of a round of calls have one breakpoint each, which Claude has on the result. */
const result = marked(
  fc.record({
    content: fc.array(fc.record({ type: fc.constant('text'), text: words }), { minLength: 1 }),
    failed: fc.boolean(),
  }),
);

/** Blocks of the assistant, of which the last is no thinking. */
const round = fc.record({
  before: fc.array(fc.oneof(text, thinking)),
  calls: fc.array(fc.record({ use, result, between: fc.array(fc.oneof(text, thinking)) }), { minLength: 1 }),
  asked: fc.array(fc.oneof(text, image, document)),
});

function messagesOf(rounds: readonly RoundOf[], question: object[]): object[] {
  let count = 0;
  const messages: object[] = [{ role: 'user', content: question }];
  for (const { before, calls, asked } of rounds) {
    const numbered = calls.map((call) => ({ ...call, id: `toolu_${count++}` }));
    const called = numbered.flatMap(({ use: block, between, id }) => [
      ...between,
      { type: 'tool_use', id, ...block },
    ]);
    const results = numbered.map(({ id, result: { failed, content, ...rest } }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content,
      ...(failed && { is_error: true }),
      ...rest,
    }));
    messages.push({ role: 'assistant', content: [...before, ...called] });
    messages.push({ role: 'user', content: [...results, ...asked] });
  }
  return messages;
}

type RoundOf = typeof round extends fc.Arbitrary<infer Value> ? Value : never;

describe('A conversation that is read and written again', () => {
  it('is the same: the order, texts, tool ids, signatures, failures, breakpoints and media', () => {
    const tools = ['look', 'go'].map((name) => ({ name, input_schema: { type: 'object', properties: {} } }));
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1 }),
        fc.array(round, { maxLength: 4 }),
        fc.array(text),
        (question, rounds, system) => {
          const messages = messagesOf(rounds, question);
          const { body } = toMessagesRequest(readMessages({ messages, tools, system }), {
            provider: 'anthropic',
            model: 'claude-haiku-4-5',
            stream: false,
          });
          expect(body.messages).toEqual(messages);
          expect(body.system ?? []).toEqual(system);
        },
      ),
    );
  });
});
