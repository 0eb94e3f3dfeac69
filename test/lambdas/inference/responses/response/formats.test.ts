/** Each result means the same for callers of all formats, as a stream and as a whole. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '#lambdas/platform/errors.ts';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { kinds, type Result, results, scriptOf } from '#test/support/messages/results.ts';
import { writeWhole as writeMessage } from '#test/support/messages/write.ts';
import { startChatWriter } from '#test/support/providers/provider-call.ts';
import { itemProblems } from '#test/support/responses/item-events.ts';
import { openResponsesProblems } from '#test/support/responses/open-responses.ts';
import { exact, offeredTools, toolResults } from '#test/support/responses/results.ts';
import { eventProblems, responseProblems, streamProblems } from '#test/support/responses/schema.ts';
import {
  eventsOf,
  startResponsesWriter,
  withoutTime,
  writeStream,
  writeWhole,
} from '#test/support/responses/write.ts';

const anyResult = fc.oneof(...Object.values(kinds).map(results));
const anyToolResult = fc.oneof(...Object.values(kinds).map(toolResults));
const fields = { tools: offeredTools };

/** Blank text is no item, so that white space does not count. */
const withoutSpace = (text: string) => text.replace(/\s+/g, '');

interface Meaning {
  text: string;
  reasoning: string;
  calls: { id: unknown; name: unknown; input: string }[];
  finish: unknown;
}

function meaningOfResponse({ output, incomplete_details: details }: JsonObject): Meaning {
  const items = filterObjects(output);
  const texts = items.flatMap(({ content }) => filterObjects(content));
  const calls = items.filter(({ type }) => type === 'function_call');
  const reasons: Record<string, string> = { max_output_tokens: 'length', content_filter: 'content_filter' };
  return {
    text: withoutSpace(texts.map(({ text, refusal }) => text ?? refusal).join('')),
    reasoning: items
      .flatMap(({ summary }) => filterObjects(summary))
      .map(({ text }) => text)
      .join(''),
    calls: calls.map(({ call_id: id, name, arguments: json }) => ({ id, name, input: exact(String(json)) })),
    finish: details === null ? 'completed' : reasons[String(objectOrEmpty(details).reason)],
  };
}

function meaningOfCompletion(result: Result): Meaning {
  const writer = startChatWriter({ stream: false });
  scriptOf(result)(writer.choice(0), writer);
  writer.end();
  const [choice] = filterObjects(parseJsonObject(writer.take().toString())?.choices);
  const { content, refusal, reasoning_content, tool_calls } = objectOrEmpty(choice?.message);
  const reason = String(choice?.finish_reason);
  return {
    text: withoutSpace(`${content ?? ''}${refusal ?? ''}`),
    reasoning: String(reasoning_content ?? ''),
    calls: filterObjects(tool_calls).map(({ id, function: callee }) => {
      const { name, arguments: json } = objectOrEmpty(callee);
      return { id, name, input: exact(String(json)) };
    }),
    finish: reason === 'stop' || reason === 'tool_calls' ? 'completed' : reason,
  };
}

const itemTypes: Readonly<Record<string, string>> = {
  text: 'message',
  thinking: 'reasoning',
  redacted_thinking: 'reasoning',
  tool_use: 'function_call',
};

describe('A result', () => {
  it('is a valid response, the same as a stream and as a whole', () => {
    fc.assert(
      fc.property(anyToolResult, (result) => {
        const { provider } = result;
        const stream = writeStream(scriptOf(result), { provider, fields });
        const whole = writeWhole(scriptOf(result), { provider, fields });
        expect([streamProblems(stream.text), itemProblems(stream.events)]).toEqual([[], []]);
        expect([responseProblems(whole.response), openResponsesProblems(whole.response)]).toEqual([[], []]);
        expect(withoutTime(stream.response)).toEqual(withoutTime(whole.response));
        expect(stream.facts).toEqual(whole.facts);
        const ids = whole.output.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        const incomplete = whole.output.slice(0, -1).filter(({ status }) => status !== 'completed');
        expect(incomplete).toEqual([]);
        if (whole.output.length > 0 && whole.response.status === 'completed')
          expect(whole.output.at(-1)?.status).toBe('completed');
      }),
    );
  });

  it('keeps everything before a failure, and nothing after it', () => {
    const error = new GatewayError('provider_error', { message: 'Broken' });
    fc.assert(
      fc.property(anyToolResult, fc.nat(6), (result, position) => {
        const { provider } = result;
        const before = scriptOf({ ...result, segments: result.segments.slice(0, position), refusal: '' });
        const { text } = writeStream(before, { provider, fields });
        for (const stream of [true, false]) {
          const writer = startResponsesWriter({ provider, stream, fields });
          before(writer.choice(0), writer);
          writer.fail(error);
          scriptOf(result)(writer.choice(0), writer);
          writer.end();
          const sent = writer.take().toString();
          expect(stream ? text.startsWith(sent) : sent === '').toBe(true);
          const end = stream ? writer.failure(error) : '';
          const events = eventsOf(sent + end);
          const done = events.flatMap(({ type, item }) =>
            type === 'response.output_item.done' ? [item] : [],
          );
          expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
          expect(events.slice(-2)).toMatchObject(
            stream ? [{ type: 'error' }, { type: 'response.failed', response: { output: done } }] : [],
          );
          expect(events.flatMap(eventProblems)).toEqual([]);
          expect([writer.facts.error, writer.facts.ended]).toEqual([error, false]);
        }
      }),
    );
  });

  it('means the same as a chat completion', () => {
    fc.assert(
      fc.property(anyResult, (result) => {
        const { provider } = result;
        const meaning = meaningOfCompletion(result);
        expect(meaningOfResponse(writeWhole(scriptOf(result), { provider }).response)).toEqual(meaning);
        expect(meaningOfResponse(writeStream(scriptOf(result), { provider }).response)).toEqual(meaning);
      }),
    );
  });

  it('has its parts in the same order as a message', () => {
    fc.assert(
      fc.property(anyResult, (generated) => {
        // A refusal is an item of its own, but text of a message.
        const result = { ...generated, refusal: '' };
        const { provider } = result;
        const { content } = writeMessage(scriptOf(result), { provider });
        const { output } = writeWhole(scriptOf(result), { provider });
        expect(output.map(({ type }) => type)).toEqual(content.map(({ type }) => itemTypes[String(type)]));
        const textOf = ({ content: parts, summary, call_id: id }: JsonObject) =>
          id ?? [...filterObjects(parts), ...filterObjects(summary)].map(({ text }) => text).join('');
        expect(output.map(textOf)).toEqual(
          content.map(({ text, thinking, id }) => text ?? thinking ?? id ?? ''),
        );
      }),
    );
  });
});
