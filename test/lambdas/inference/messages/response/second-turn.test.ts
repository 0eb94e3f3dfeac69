/** Nothing of a message is lost when its caller sends it back. */
import { describe, expect, it } from 'vitest';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import { toMessagesRequest } from '#lambdas/inference/providers/anthropic/request.ts';
import { toConverseRequest } from '#lambdas/inference/providers/bedrock/request.ts';
import { toGoogleRequest } from '#lambdas/inference/providers/google/request.ts';
import { renderChatRequest } from '#lambdas/inference/providers/openai/conversion/request.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import { filterObjects, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import { fc } from '#test/support/fast-check.ts';
import { comparable, type ExpectedPart, expectedParts } from '#test/support/messages/expected-parts.ts';
import { readMessages } from '#test/support/messages/read.ts';
import { kinds, type Result, results, scriptOf } from '#test/support/messages/results.ts';
import { writeWhole } from '#test/support/messages/write.ts';

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
const tools = ['look', 'go_on'].map((name) => ({ name, input_schema: { type: 'object', properties: {} } }));

/** With all digits. */
function contentOf(result: Result): JsonObject[] {
  const { text } = writeWhole(scriptOf(result), { provider: result.provider });
  return filterObjects(objectOrEmpty(parseExactJson(text)).content);
}

/** Every second call has failed, and every third one has an image. */
function resultsOf(content: readonly JsonObject[]): JsonObject[] {
  const calls = content.filter(({ type }) => type === 'tool_use');
  return calls.map(({ id }, at) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: [{ type: 'text', text: `Rain ${at}` }, ...(at % 3 === 0 ? [image] : [])],
    ...(at % 2 === 1 && { is_error: true }),
  }));
}

function secondRequest(content: readonly JsonObject[], provider: string): CompletionRequest {
  const body = {
    model: 'a-model',
    max_tokens: 4096,
    tools,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: [...resultsOf(content), { type: 'text', text: 'And?' }] },
    ],
  };
  return readMessages(JSON.stringify(body), provider);
}

/** Without the empty thinking that had only the data of others. */
function partsIn({ turns }: CompletionRequest): ExpectedPart[] {
  const messages = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.messages : []));
  return messages
    .flatMap(({ parts }) => parts.map(comparable))
    .filter((part) => part.type !== 'reasoning' || part.text !== '' || part.payload !== null);
}

/** As the next request has it: numbers with their digits. */
const sent = (body: unknown) => objectOrEmpty(parseExactJson(JSON.stringify(body)));

const google = (request: CompletionRequest) =>
  sent(toGoogleRequest(request, { provider: 'google', model: 'gemini-2.5-pro' }).body);
const claude = (request: CompletionRequest) =>
  sent(toMessagesRequest(request, { provider: 'anthropic', model: 'claude-haiku-4-5', stream: false }).body);
const bedrock = (request: CompletionRequest) =>
  sent(toConverseRequest(request, { provider: 'bedrock', model: 'anthropic.claude-haiku-4-5-v1:0' }).body);
const openai = (request: CompletionRequest) =>
  sent(
    renderChatRequest(request, {
      provider: 'vllm',
      model: 'a-model',
      stream: false,
      entry: { requestRules: null, reasoningField: 'reasoning', isOpenAi: false },
    }).body,
  );

const assistantIn = (messages: unknown, role = 'assistant') =>
  filterObjects(messages).filter((message) => message.role === role);

describe('A message that is sent back to its provider', () => {
  it.each(Object.values(kinds).map((kind) => [kind.provider, kind] as const))(
    'has the same parts with their data, in order: %s',
    (_, kind) => {
      fc.assert(
        fc.property(results(kind), (result) => {
          const content = contentOf(result);
          const request = secondRequest(content, result.provider);
          expect(partsIn(request)).toEqual(expectedParts(result));
          // Models on Bedrock other than Claude do not take Claude's signatures back.
          const hasClaudeData = JSON.stringify(result).includes('"format":"anthropic"');
          expect(request.omissions).toEqual(hasClaudeData ? ['messages.content.thinking'] : []);

          const last = request.turns.at(-1);
          const toolResults = last?.role === 'user' ? last.toolResults : [];
          expect(
            toolResults.map(({ toolCallId, isError, parts }) => [toolCallId, isError, parts.length]),
          ).toEqual(
            resultsOf(content).map(({ tool_use_id: id, is_error }, at) => [
              id,
              is_error === true,
              at % 3 === 0 ? 2 : 1,
            ]),
          );
        }),
      );
    },
  );

  it('has its texts and calls with their signatures at Google', () => {
    fc.assert(
      fc.property(results(kinds.google), (result) => {
        const { contents } = google(secondRequest(contentOf(result), 'google'));
        const parts = expectedParts(result).flatMap((part): JsonObject[] => {
          const signed = part.payload === null ? {} : { thoughtSignature: part.payload.data };
          if (part.type === 'text') return [{ text: part.text, ...signed }];
          if (part.type !== 'call') return [];
          const { id, name, arguments: json } = part;
          return [{ functionCall: { id, name, args: parseExactJson(json) }, ...signed }];
        });
        const model = assistantIn(contents, 'model');
        expect(model.flatMap((message) => message.parts)).toEqual(parts);
      }),
    );
  });

  it("has Claude's thinking with its signatures at Anthropic and on Bedrock", () => {
    fc.assert(
      fc.property(results(kinds.claude), (result) => {
        const content = contentOf(result);
        const request = secondRequest(content, 'bedrock');
        const isSigned = (block: JsonObject) => !String(block.signature).startsWith('gateway/');
        const kept = content.filter((block) => block.type !== 'thinking' || isSigned(block));
        const end = kept.findLastIndex(({ type }) => type === 'text' || type === 'tool_use');
        const blocks = kept.slice(0, end + 1);
        // Only what is sent as the API has it, without the fields of responses.
        const params = blocks.map(({ citations: _, caller: __, ...block }) => block);
        const [message] = assistantIn(claude(request).messages);
        expect(trimmed(message?.content)).toEqual(trimmed(params));

        const [converse] = assistantIn(bedrock(request).messages);
        const reasoning = filterObjects(converse?.content).flatMap(
          ({ reasoningContent }) => reasoningContent ?? [],
        );
        expect(reasoning).toEqual(
          blocks.flatMap(({ type, thinking, signature, data }): JsonObject[] => {
            if (type === 'thinking') return [{ reasoningText: { text: thinking, signature } }];
            return type === 'redacted_thinking' ? [{ redactedContent: data }] : [];
          }),
        );
      }),
    );
  });

  it("has the fields of OpenAI's format at reasoning and calls", () => {
    fc.assert(
      fc.property(results(kinds.openai), (result) => {
        const [message] = assistantIn(openai(secondRequest(contentOf(result), 'vllm')).messages);
        const parts = expectedParts(result);
        const reasoning = parts.filter(({ type }) => type === 'reasoning');
        const details = reasoning.flatMap(({ payload }) =>
          payload === null ? [] : JSON.parse(payload.data).reasoning_details,
        );
        expect(message?.reasoning_details ?? []).toEqual(details);
        expect(message?.reasoning ?? '').toBe(
          reasoning.map((part) => (part.type === 'call' ? '' : part.text)).join(''),
        );
        expect(message?.tool_calls ?? []).toEqual(
          parts.flatMap((part) => {
            if (part.type !== 'call') return [];
            const { id, name, arguments: json, payload } = part;
            return [
              {
                id,
                type: 'function',
                function: { name, arguments: json },
                ...JSON.parse(payload?.data ?? '{}'),
              },
            ];
          }),
        );
      }),
    );
  });

  it('has the same calls with their data after qwen-code has joined its thinking', () => {
    fc.assert(
      fc.property(fc.oneof(results(kinds.google), results(kinds.openai)), (result) => {
        const content = contentOf(result);
        const blocks = content.filter(({ type }) => type === 'thinking');
        const join = (field: string) => blocks.map((block) => block[field]).join('');
        const front = { type: 'thinking', thinking: join('thinking'), signature: join('signature') };
        const others = content.filter(({ type }) => type !== 'thinking');
        const joined = blocks.length === 0 ? others : [front, ...others];

        const parts = partsIn(secondRequest(joined, result.provider));

        const withoutData = (part: ExpectedPart) =>
          part.type === 'text' ? { ...part, payload: null } : part;
        const isContent = ({ type }: ExpectedPart) => type !== 'reasoning';
        expect(parts.filter(isContent).map(withoutData)).toEqual(
          expectedParts(result).filter(isContent).map(withoutData),
        );
        expect(parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')).toBe(
          front.thinking,
        );
      }),
    );
  });
});

/** The start of a message that the caller gives cannot end with white space, and these have one. */
function trimmed(content: unknown): JsonObject[] {
  return filterObjects(content).map((block) =>
    typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block,
  );
}

describe('A message that is sent to another provider', () => {
  it('has the same texts and calls, without thinking and the data of its own provider', () => {
    fc.assert(
      fc.property(fc.oneof(results(kinds.google), results(kinds.openai)), (result) => {
        const content = contentOf(result);
        const request = secondRequest(content, 'mistral');
        const bodies = [google, claude, bedrock, openai].map((render) => JSON.stringify(render(request)));
        for (const body of bodies) expect(body).not.toMatch(/google-|openai-|gateway\//);
        const others = expectedParts(result).filter(({ type }) => type !== 'reasoning');
        expect(partsIn(request)).toEqual(others.map((part) => ({ ...part, payload: null })));
        const hasThinking = content.some(({ type }) => type === 'thinking');
        expect(request.omissions).toEqual(hasThinking ? ['messages.content.thinking'] : []);
      }),
    );
  });

  it("has no signature of Claude's at Google and in OpenAI's format", () => {
    fc.assert(
      fc.property(results(kinds.claude), (result) => {
        const request = secondRequest(contentOf(result), 'google');
        const payloads = expectedParts(result).flatMap(({ payload }) => payload ?? []);
        for (const render of [google, openai]) {
          const body = JSON.stringify(render(request));
          for (const { data } of payloads) expect(body).not.toContain(data);
        }
      }),
    );
  });
});
