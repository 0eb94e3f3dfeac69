/** Each result means the same for callers of all formats, as a stream and as a whole. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { kinds, type Result, results, scriptOf } from '#test/support/messages/results.ts';
import { messageProblems, streamProblems } from '#test/support/messages/validate.ts';
import {
  assembleMessage,
  startMessagesWriter,
  writeStream,
  writeWhole,
} from '#test/support/messages/write.ts';
import {
  assembleStream,
  streamProblems as chatStreamProblems,
  completionProblems,
} from '#test/support/openai-schema/validate.ts';
import { startChatWriter } from '#test/support/providers/provider-call.ts';

const anyResult = fc.oneof(...Object.values(kinds).map(results));

function writeChat(result: Result, stream: boolean): string {
  const writer = startChatWriter({ stream });
  scriptOf(result)(writer.choice(0), writer);
  writer.end();
  return writer.take().toString();
}

/** Blank text is no block of a message, so that white space does not count. */
const withoutSpace = (text: string) => text.replace(/\s+/g, '');
const exact = (json: unknown) => JSON.stringify(parseExactJson(String(json)));

interface Meaning {
  text: string;
  reasoning: string;
  calls: { id: unknown; name: unknown; input: string | undefined }[];
  finish: unknown;
}

function meaningOfMessage(message: JsonObject, inputs: readonly (string | undefined)[]): Meaning {
  const blocks = filterObjects(message.content);
  const join = (type: string, field: string) =>
    blocks.flatMap((block) => (block.type === type ? [String(block[field])] : [])).join('');
  return {
    text: withoutSpace(join('text', 'text')),
    reasoning: join('thinking', 'thinking'),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name }, at) => ({ id, name, input: inputs[at] })),
    finish: message.stop_reason,
  };
}

const stopReasons: Readonly<Record<string, readonly string[]>> = {
  stop: ['end_turn', 'stop_sequence'],
  length: ['max_tokens', 'model_context_window_exceeded'],
  tool_calls: ['tool_use'],
  content_filter: ['refusal'],
};

/** `stopReason` is that of a message with the same meaning. */
function meaningOfChoice(choice: unknown, stopReason: unknown): Meaning {
  const { message, finish_reason } = objectOrEmpty(choice);
  const { content, refusal, reasoning_content, tool_calls } = objectOrEmpty(message);
  const isRefusal = finish_reason === 'stop' && Boolean(refusal);
  const expected = isRefusal ? ['refusal'] : stopReasons[String(finish_reason)];
  return {
    text: withoutSpace(`${content ?? ''}${refusal ?? ''}`),
    reasoning: String(reasoning_content ?? ''),
    calls: filterObjects(tool_calls).map(({ id, function: callee }) => {
      const { name, arguments: json } = objectOrEmpty(callee);
      return { id, name, input: exact(json) };
    }),
    finish: expected?.includes(String(stopReason)) ? stopReason : finish_reason,
  };
}

/** The inputs of calls with all digits, which the SDK rounds. */
function streamedInputs(events: readonly JsonObject[]): (string | undefined)[] {
  const inputs: string[] = [];
  for (const { content_block, delta } of events) {
    if (objectOrEmpty(content_block).type === 'tool_use') inputs.push('');
    const { partial_json: json } = objectOrEmpty(delta);
    if (typeof json === 'string') inputs.push((inputs.pop() ?? '') + json);
  }
  return inputs.map((json) => exact(json || '{}'));
}

function wholeInputs(text: string): (string | undefined)[] {
  const { content } = objectOrEmpty(parseExactJson(text));
  return filterObjects(content).flatMap(({ type, input }) =>
    type === 'tool_use' ? [JSON.stringify(input)] : [],
  );
}

/** Without what a stream tells at its start, before the provider has reported it. */
function withoutStart({ usage, ...message }: JsonObject): JsonObject {
  const { cache_creation, service_tier, ...counts } = objectOrEmpty(usage);
  return { ...message, usage: counts };
}

describe('A result', () => {
  it('is a valid message, the same as a stream and as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, async (result) => {
        const { provider } = result;
        const stream = writeStream(scriptOf(result), { provider });
        const { message, facts } = writeWhole(scriptOf(result), { provider });
        expect([streamProblems(stream.text), messageProblems(message)]).toEqual([[], []]);
        expect(withoutStart(await assembleMessage(stream.text))).toEqual(withoutStart(message));
        expect(stream.facts).toEqual(facts);
      }),
    );
  });

  it('keeps everything before a failure, and nothing after it', () => {
    const error = new GatewayError('provider_error', { message: 'Broken' });
    fc.assert(
      fc.property(anyResult, fc.nat(6), (result, position) => {
        const { provider } = result;
        const before = scriptOf({ ...result, segments: result.segments.slice(0, position), refusal: '' });
        const { text } = writeStream(before, { provider });
        for (const stream of [true, false]) {
          const writer = startMessagesWriter({ provider, stream });
          before(writer.choice(0), writer);
          writer.fail(error);
          scriptOf(result)(writer.choice(0), writer);
          writer.end();
          const failed = writer.take().toString();
          expect(stream ? text.startsWith(failed) : failed === '').toBe(true);
          expect(failed).not.toMatch(/message_delta|message_stop/);
          expect([writer.facts.error, writer.facts.ended]).toEqual([error, false]);
        }
      }),
    );
  });

  it('means the same in all formats', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        const { provider } = result;
        const stream = writeStream(scriptOf(result), { provider });
        const { text, message } = writeWhole(scriptOf(result), { provider });
        const [chatStream, completion] = [true, false].map((isStream) => writeChat(result, isStream));
        const body = parseJsonObject(completion ?? '');
        expect([chatStreamProblems(chatStream ?? ''), completionProblems(body)]).toEqual([[], []]);

        const meaning = meaningOfMessage(message, wholeInputs(text));
        expect(meaningOfMessage(message, streamedInputs(stream.events))).toEqual(meaning);
        const [assembled] = assembleStream(chatStream ?? '').choices;
        const [choice] = filterObjects(body?.choices);
        expect(meaningOfChoice(assembled, message.stop_reason)).toEqual(meaning);
        expect(meaningOfChoice(choice, message.stop_reason)).toEqual(meaning);
      }),
    );
  });
});
