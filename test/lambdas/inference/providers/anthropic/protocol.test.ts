import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { character, fc } from '#test/support/fast-check.ts';
import { splitAnywhere } from '#test/support/http/split-anywhere.ts';
import { completionFor, streamFor } from '#test/support/providers/anthropic/call.ts';
import { anthropicEvent } from '#test/support/providers/anthropic/message-events.ts';

/** A content block of a non-streaming message, and the stream events of the same block. */
interface BlockForms {
  complete: JsonObject;
  start: JsonObject;
  deltas: JsonObject[];
}

const fragments = fc.array(fc.string({ unit: character, maxLength: 8 }), { maxLength: 4 });

const textBlock: fc.Arbitrary<BlockForms> = fragments.map((texts) => ({
  complete: { type: 'text', text: texts.join('') },
  start: { type: 'text', text: '' },
  deltas: texts.map((text) => ({ type: 'text_delta', text })),
}));

const thinkingBlock: fc.Arbitrary<BlockForms> = fc
  .record({ texts: fragments, signature: fc.constantFrom('', 'c2ln') })
  .map(({ texts, signature }) => ({
    complete: { type: 'thinking', thinking: texts.join(''), signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...texts.map((thinking): JsonObject => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature },
    ],
  }));

const redactedBlock: fc.Arbitrary<BlockForms> = fc.base64String().map((data) => {
  const block = { type: 'redacted_thinking', data };
  return { complete: block, start: block, deltas: [] };
});

const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

const toolBlock: fc.Arbitrary<BlockForms> = fc
  .record({ input: fc.dictionary(fc.string(), fc.string()), at: fc.nat(20) })
  .map(({ input, at }) => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'weather' };
    const text = JSON.stringify(input);
    const deltas = text === '{}' ? [json('')] : [json(''), json(text.slice(0, at)), json(text.slice(at))];
    return { complete: { ...call, input }, start: { ...call, input: {} }, deltas };
  });

const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search' };
const searchBlock: fc.Arbitrary<BlockForms> = fc.constant({
  complete: { ...search, input: { query: 'a' } },
  start: { ...search, input: {} },
  deltas: [json('{"query":"a"}')],
});

interface MessageForms {
  blocks: BlockForms[];
  stopReason: string;
}

const messageForms: fc.Arbitrary<MessageForms> = fc.record({
  blocks: fc.array(fc.oneof(textBlock, thinkingBlock, redactedBlock, toolBlock, searchBlock), {
    maxLength: 5,
  }),
  stopReason: fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'refusal', 'one_of_the_future'),
});

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001' };
const usage = { input_tokens: 9, output_tokens: 3 };

function toMessage({ blocks, stopReason }: MessageForms): JsonObject {
  return { ...message, content: blocks.map(({ complete }) => complete), stop_reason: stopReason, usage };
}

function toStream({ blocks, stopReason }: MessageForms): Buffer {
  const events = [
    { type: 'message_start', message: { ...message, content: [], usage: { ...usage, output_tokens: 1 } } },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stopReason }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ];
  return Buffer.from(events.map(anthropicEvent).join(''));
}

/** Removes empty fields, which streams do not have. */
function withoutEmptyFields(translated: unknown): JsonObject {
  const fields = isJsonObject(translated) ? Object.entries(translated) : [];
  return Object.fromEntries(fields.filter(([, value]) => value !== null && value !== ''));
}

it('translates a stream to the same completion as a non-streaming message, wherever the bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(messageForms, splitAnywhere, async (forms, split) => {
      const completion = await completionFor(toMessage(forms));

      const { text: _, done, facts, ...streamed } = await streamFor(split(toStream(forms)));

      expect(done).toBe(true);
      expect(facts).toEqual({ ...completion.facts, started: true, finished: true, ended: true, error: null });
      expect({ ...streamed, message: withoutEmptyFields(streamed.message) }).toEqual({
        id: completion.id,
        model: completion.model,
        message: withoutEmptyFields(completion.message),
        finishReason: completion.finishReason,
        usage: completion.usage,
      });
    }),
  );
});
