/** Nothing of a response is lost when its caller sends its items back. */
import { describe, expect, it } from 'vitest';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { filterObjects, type JsonObject } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { kinds, type Result, scriptOf } from '#test/support/messages/results.ts';
import { assistantParts, readResponses } from '#test/support/responses/read.ts';
import {
  comparable,
  type NeutralPart,
  neutralParts,
  offeredTools,
  toolResults,
} from '#test/support/responses/results.ts';
import { writeWhole } from '#test/support/responses/write.ts';

const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'high' };

function outputOf(result: Result): JsonObject[] {
  return writeWhole(scriptOf(result), { provider: result.provider, fields: { tools: offeredTools } }).output;
}

/** Every third output has an image. */
function outputsOf(items: readonly JsonObject[]): JsonObject[] {
  const calls = items.filter(({ type }) => String(type).endsWith('_call'));
  return calls.map(({ type, call_id }, at) => ({
    type: `${type}_output`,
    call_id,
    output: at % 3 === 0 ? [{ type: 'input_text', text: `Rain ${at}` }, image] : `Rain ${at}`,
  }));
}

function secondRequest(items: readonly JsonObject[], provider: string): CompletionRequest {
  const question = { role: 'user', content: 'Hi' };
  const input = [question, ...items, ...outputsOf(items), { role: 'user', content: 'And?' }];
  return readResponses({ tools: offeredTools, input, store: false }, provider);
}

/** Without the reasoning that had only the data of others. */
function partsIn(request: CompletionRequest): NeutralPart[] {
  return assistantParts(request)
    .map(comparable)
    .filter((part) => part.type !== 'reasoning' || part.text !== '' || part.payload !== null);
}

/** Items as clients send them back. */
const clients: Readonly<Record<string, (item: JsonObject) => JsonObject>> = {
  'as they are': (item) => item,
  'without ids and states': ({ id: _, status: __, ...item }) => item,
  'with null for what is missing': (item) => ({
    ...item,
    status: null,
    ...(item.type === 'reasoning' && { content: null }),
    ...(item.type === 'message' && { phase: null }),
  }),
  'as text, without types': ({ type, id: _, ...item }) =>
    type === 'message'
      ? { role: 'assistant', content: filterObjects(item.content).map(textOf).join('') }
      : { type, ...item },
};

const textOf = ({ text, refusal }: JsonObject) => text ?? refusal;

describe.each(Object.entries(clients))('The items of a response that are sent back %s', (_, change) => {
  it.each(Object.values(kinds).map((kind) => [kind.provider, kind] as const))(
    'are the same parts with their data, in order: %s',
    (__, kind) => {
      fc.assert(
        fc.property(toolResults(kind), (result) => {
          const items = outputOf(result).map(change);
          const request = secondRequest(items, result.provider);
          expect(partsIn(request)).toEqual(neutralParts(result));
          expect(request.omissions).toEqual([]);

          const roles = request.turns.map(({ role }) => role);
          expect(roles).toEqual(items.length === 0 ? ['user'] : ['user', 'assistant', 'user']);
          const last = request.turns.at(-1);
          const results = last?.role === 'user' ? last.toolResults : [];
          expect(
            results.map(({ toolCallId, parts }) => [
              toolCallId,
              parts.map((part) => (part.type === 'text' ? part.text : part.detail)),
            ]),
          ).toEqual(
            outputsOf(items).map(({ call_id: id }, at) => [
              id,
              [`Rain ${at}`, ...(at % 3 === 0 ? ['high'] : [])],
            ]),
          );
        }),
      );
    },
  );
});

describe('The items of a response that are sent to another provider', () => {
  it.each(Object.values(kinds).map((kind) => [kind.provider, kind] as const))(
    'are the same texts and calls, without reasoning and data: %s',
    (_, kind) => {
      fc.assert(
        fc.property(toolResults(kind), (result) => {
          const items = outputOf(result);
          const request = secondRequest(items, 'mistral');
          const others = neutralParts(result).filter(({ type }) => type !== 'reasoning');
          expect(partsIn(request)).toEqual(others.map((part) => ({ ...part, payload: null })));
          const hasReasoning = items.some(({ type }) => type === 'reasoning');
          expect(request.omissions).toEqual(hasReasoning ? ['input.reasoning'] : []);
        }),
      );
    },
  );
});

describe('The items of a response without their encrypted content', () => {
  it('are the same texts, reasoning and calls, without data', () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values(kinds).map(toolResults)), (result) => {
        const items = outputOf(result).map(({ encrypted_content: _, ...item }) => item);
        const parts = partsIn(secondRequest(items, result.provider));
        const expected = neutralParts(result).map((part) => ({ ...part, payload: null }));
        expect(parts).toEqual(expected.filter((part) => part.type !== 'reasoning' || part.text !== ''));
      }),
    );
  });
});
