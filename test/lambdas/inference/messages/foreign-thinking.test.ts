import { describe, expect, it } from 'vitest';
import { writeSignature } from '#lambdas/inference/completion/signatures.ts';
import { withoutForeignThinking } from '#lambdas/inference/messages/foreign-thinking.ts';
import { messages } from '#lambdas/inference/messages/operation.ts';
import { parseMessagesRequest } from '#lambdas/inference/messages/request.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { fc } from '#test/support/fast-check.ts';
import { kinds, results, scriptOf } from '#test/support/messages/results.ts';
import { writeWhole } from '#test/support/messages/write.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

const tag = writeSignature({ provider: 'google', owner: 'thinking', payload: null });
const foreign = `{"type":"thinking","thinking":"Hm","signature":"${tag}"}`;
const own = '{"type":"thinking","thinking":"So","signature":"EqQBCkg="}';
const redacted = '{"type":"redacted_thinking","data":"gateway/"}';
const text = '{"type":"text","text":"Hi"}';
const use = '{"type":"tool_use","id":"a","name":"look","input":{"n":9007199254740993,"m":1.0}}';
const result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"${tag}"}]}`;
const question = '{"role":"user","content":"gateway/"}';

function strip(...messages: string[]) {
  const before = '{ "model":"anthropic/claude-x","max_tokens":1e3,"messages":';
  const after = ',"metadata": {"user_id":"é"},"temperature":1.0 }';
  const bodyOf = (list: readonly string[]) => `${before}[${list.join(',')}]${after}`;
  const request = parseMessagesRequest(bodyOf(messages));
  const stripped = withoutForeignThinking(request);
  return { request, stripped, ignored: stripped.ignored ?? [], bodyOf };
}

describe('A request to a provider with the Messages API', () => {
  it('keeps all bytes but the thinking of other providers', () => {
    const { stripped, ignored, bodyOf } = strip(
      question,
      `{"role":"assistant","content":[${[foreign, own, redacted, text, foreign, use].join()}]}`,
      result,
    );
    expect(stripped.text).toBe(
      bodyOf([question, `{"role":"assistant","content":[${[own, redacted, text, use].join()}]}`, result]),
    );
    expect(ignored).toEqual(['messages.content.thinking']);
    expect(stripped.body).toEqual(JSON.parse(stripped.text));
  });

  it('loses a message of which nothing remains', () => {
    const { stripped, ignored, bodyOf } = strip(
      question,
      `{"role":"assistant","content":[${foreign}]}`,
      '{"role":"user","content":"And?"}',
    );
    expect(stripped.text).toBe(bodyOf([question, '{"role":"user","content":"And?"}']));
    expect(ignored).toEqual(['messages.content.thinking']);
  });

  it('is the same without such thinking', () => {
    const message = `{ "role":"assistant", "content":[ ${[own, redacted, text, use].join(' , ')} ] }`;
    const { request, stripped, ignored } = strip(question, message, result);
    expect([stripped, ignored]).toEqual([request, []]);
    expect(stripped.text).toBe(request.text);
  });

  it('keeps what is no message, for the provider to refuse', () => {
    const odd = ['7', '{"role":"assistant","content":null}', '{"role":"assistant","content":[null,"x"]}'];
    const { stripped, bodyOf } = strip(...odd, `{"role":"assistant","content":[${foreign},7]}`);
    expect(stripped.text).toBe(bodyOf([...odd, '{"role":"assistant","content":[7]}']));
  });

  it('has the texts and calls of any message of another provider', () => {
    fc.assert(
      fc.property(fc.oneof(results(kinds.google), results(kinds.openai)), (generated) => {
        const { provider } = generated;
        const { content } = writeWhole(scriptOf(generated), { provider });
        const { stripped } = strip(question, JSON.stringify({ role: 'assistant', content }));
        const kept = content.filter(({ type }) => type !== 'thinking');
        const messages = [JSON.parse(question), { role: 'assistant', content: kept }];
        const isEmptied = kept.length === 0 && content.length > 0;
        expect(stripped.body.messages).toEqual(isEmptied ? messages.slice(0, 1) : messages);
      }),
    );
  });

  it("has Claude's thinking of another provider of Claude", () => {
    fc.assert(
      fc.property(results(kinds.claude), (generated) => {
        const { content } = writeWhole(scriptOf(generated), { provider: 'bedrock' });
        const message = { role: 'assistant', content };
        const { stripped } = strip(question, JSON.stringify(message));
        const isOwn = ({ signature = '' }) => !String(signature).startsWith('gateway/');
        const [, sent] = JSON.parse(stripped.text).messages;
        expect(sent?.content ?? []).toEqual(content.filter(isOwn));
      }),
    );
  });
});

it('Thinking that was left out is also reported for a request with a renewed credential', async () => {
  const registry = createProviderRegistry({}, exampleClientOptions);
  const { provider, model } = registry.resolve('anthropic/claude-x');
  const { request } = strip(question, `{"role":"assistant","content":[${[foreign, text].join()}]}`, question);
  const { request: _, ...context } = providerCall({}, { provider: 'anthropic', model });
  const prepared = await messages.parse(request.text).prepareFor(provider)(context);
  if (!('prepareAgain' in prepared)) return expect.fail('The request was split');

  const renewed = await prepared.prepareAgain({ apiKey: 'sk-2' });

  expect([prepared.ignoredParameters, renewed.ignoredParameters]).toEqual([
    ['messages.content.thinking'],
    ['messages.content.thinking'],
  ]);
  expect(renewed.outgoing.headers['x-api-key']).toBe('sk-2');
});
