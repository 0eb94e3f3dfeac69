/** The items of a response in the next request to its provider, whose data is at its part, and to others. */
import { describe, expect, it } from 'vitest';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { toMessagesRequest } from '#lambdas/inference/providers/anthropic/request.ts';
import { toConverseRequest } from '#lambdas/inference/providers/bedrock/request.ts';
import { toGoogleRequest } from '#lambdas/inference/providers/google/request.ts';
import { renderChatRequest } from '#lambdas/inference/providers/openai/conversion/request.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { filterObjects, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { kinds, type Result, scriptOf } from '#test/support/messages/results.ts';
import { readResponses } from '#test/support/responses/read.ts';
import {
  type NeutralPart,
  neutralParts,
  offeredTools,
  toolResults,
} from '#test/support/responses/results.ts';
import { writeWhole } from '#test/support/responses/write.ts';

function secondRequest(result: Result, provider = result.provider): CompletionRequest {
  const fields = { tools: offeredTools };
  const { output } = writeWhole(scriptOf(result), { provider: result.provider, fields });
  const outputs = output.flatMap(({ type, call_id }) =>
    String(type).endsWith('_call') ? [{ type: `${type}_output`, call_id, output: 'Rain' }] : [],
  );
  const user = (content: string) => ({ role: 'user', content });
  return readResponses({ ...fields, input: [user('Hi'), ...output, ...outputs, user('And?')] }, provider);
}

/** As the next request has it: numbers with their digits. */
const sent = (body: unknown) => objectOrEmpty(parseExactJson(JSON.stringify(body)));

const renders = {
  google: (request: CompletionRequest) =>
    sent(toGoogleRequest(request, { provider: 'google', model: 'gemini-2.5-pro' }).body),
  claude: (request: CompletionRequest) =>
    sent(
      toMessagesRequest(request, { provider: 'anthropic', model: 'claude-haiku-4-5', stream: false }).body,
    ),
  bedrock: (request: CompletionRequest) =>
    sent(toConverseRequest(request, { provider: 'bedrock', model: 'anthropic.claude-haiku-4-5-v1:0' }).body),
  openai: (request: CompletionRequest) =>
    sent(
      renderChatRequest(request, {
        provider: 'vllm',
        model: 'a-model',
        stream: false,
        entry: { requestRules: null, reasoningField: 'reasoning', isOpenAi: false },
      }).body,
    ),
};

const assistantIn = (messages: unknown, role = 'assistant') =>
  filterObjects(messages).filter((message) => message.role === role);

type Call = Extract<NeutralPart, { type: 'call' }>;

const flatName = ({ name, namespace }: Call) => (namespace === null ? name : `${namespace}__${name}`);
const reasoningOf = (parts: readonly NeutralPart[]) =>
  parts.flatMap((part) => (part.type === 'reasoning' ? [part] : []));
const callsOf = (parts: readonly NeutralPart[]) =>
  parts.flatMap((part) => (part.type === 'call' ? [part] : []));

describe('The items of a response that are sent back to its provider', () => {
  it('are texts and calls with their signatures at Google', () => {
    fc.assert(
      fc.property(toolResults(kinds.google), (result) => {
        const { contents } = renders.google(secondRequest(result));
        const parts = neutralParts(result).flatMap((part): JsonObject[] => {
          const signed = part.payload === null ? {} : { thoughtSignature: part.payload.data };
          if (part.type === 'text') return [{ text: part.text, ...signed }];
          if (part.type !== 'call') return [];
          const args = parseExactJson(part.arguments);
          return [{ functionCall: { id: part.id, name: flatName(part), args }, ...signed }];
        });
        const model = assistantIn(contents, 'model');
        expect(model.flatMap((message) => message.parts)).toEqual(parts);
      }),
    );
  });

  it("are Claude's thinking with its signatures, texts and calls, at Anthropic and on Bedrock", () => {
    fc.assert(
      fc.property(toolResults(kinds.claude), (result) => {
        const request = secondRequest(result);
        const parts = neutralParts(result);
        // Claude refuses a message that ends with thinking.
        const end = parts.findLastIndex(({ type }) => type !== 'reasoning');
        const kept = parts.slice(0, end + 1).filter(({ type, payload }) => type !== 'reasoning' || payload);
        const [message] = assistantIn(renders.claude(request).messages);
        expect(filterObjects(message?.content).map(withoutEnd)).toEqual(kept.map(blockOf).map(withoutEnd));

        const [converse] = assistantIn(renders.bedrock(request).messages);
        const reasoning = filterObjects(converse?.content).flatMap((block) => block.reasoningContent ?? []);
        expect(reasoning).toEqual(
          reasoningOf(kept).map(({ text, payload }) =>
            payload?.kind === 'redacted'
              ? { redactedContent: payload.data }
              : { reasoningText: { text, signature: payload?.data } },
          ),
        );
      }),
    );
  });

  it("are reasoning and calls with their fields in OpenAI's format", () => {
    fc.assert(
      fc.property(toolResults(kinds.openai), (result) => {
        const [message] = assistantIn(renders.openai(secondRequest(result)).messages);
        const parts = neutralParts(result);
        const reasoning = reasoningOf(parts);
        const details = reasoning.flatMap(({ payload }) =>
          payload === null ? [] : JSON.parse(payload.data).reasoning_details,
        );
        expect(message?.reasoning_details ?? []).toEqual(details);
        expect(message?.reasoning ?? '').toBe(reasoning.map(({ text }) => text).join(''));
        expect(message?.tool_calls ?? []).toEqual(
          callsOf(parts).map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: flatName(call), arguments: call.arguments },
            ...JSON.parse(call.payload?.data ?? '{}'),
          })),
        );
      }),
    );
  });
});

function blockOf(part: NeutralPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'call')
    return { type: 'tool_use', id: part.id, name: flatName(part), input: parseExactJson(part.arguments) };
  const { text, payload } = part;
  if (payload?.kind === 'redacted') return { type: 'redacted_thinking', data: payload.data };
  return { type: 'thinking', thinking: text, signature: payload?.data };
}

/** The start of a message that the caller gives cannot end with white space. */
function withoutEnd(block: JsonObject): JsonObject {
  return typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block;
}

describe('The items of a response that are sent to another provider', () => {
  it('have no data of their own provider, in any format', () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values(kinds).map(toolResults)), (result) => {
        const payloads = neutralParts(result).flatMap(({ payload }) => payload ?? []);
        const request = secondRequest(result, 'mistral');
        for (const render of Object.values(renders)) {
          const body = JSON.stringify(render(request));
          expect(body).not.toContain('gateway/');
          for (const { data } of payloads) expect(body).not.toContain(JSON.stringify(data).slice(1, -1));
        }
      }),
    );
  });
});
