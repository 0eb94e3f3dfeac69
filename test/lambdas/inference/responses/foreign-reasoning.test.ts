import { describe, expect, it } from 'vitest';
import { writeSignature } from '#lambdas/inference/completion/signatures.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { withoutForeignReasoning } from '#lambdas/inference/responses/foreign-reasoning.ts';
import { responses } from '#lambdas/inference/responses/operation.ts';
import { parseResponsesRequest } from '#lambdas/inference/responses/request.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { fc } from '#test/support/fast-check.ts';
import { kinds, scriptOf } from '#test/support/messages/results.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';
import { offeredTools, toolResults } from '#test/support/responses/results.ts';
import { writeWhole } from '#test/support/responses/write.ts';

const tag = writeSignature({ provider: 'google', owner: 'thinking', payload: null });
const summary = '"summary":[{"type":"summary_text","text":"Hm"}]';
const foreign = `{"type":"reasoning","id":"rs_gateway_1_0",${summary},"encrypted_content":"${tag}"}`;
/** Some clients leave out the ids, and others the encrypted content. */
const withoutId = `{"type":"reasoning",${summary},"encrypted_content":"${tag}"}`;
const withoutContent = `{"type":"reasoning","id":"rs_gateway_1_0",${summary},"content":null}`;
const escaped = foreign.replaceAll('/', '\\/');
const own = `{"type":"reasoning","id":"rs_1",${summary},"encrypted_content":"gAAAAABpM0Yj"}`;
const plain = `{"type":"reasoning","id":"rs_2",${summary},"encrypted_content":null}`;
const text =
  '{"type":"message","id":"msg_gateway_1_1","role":"assistant","content":[{"type":"output_text","text":"rs_gateway_"}]}';
const call =
  '{"type":"function_call","call_id":"a","name":"look","arguments":"{\\"n\\":9007199254740993}","n":1.0}';
const result = `{"type":"function_call_output","call_id":"a","output":"${tag}"}`;
const question = '{"role":"user","content":"gateway/"}';

function strip(...items: string[]) {
  const before = '{ "model":"openai/gpt-5.5","temperature":1e0,"input":';
  const after = ',"metadata": {"user":"é"},"top_p":1.0 }';
  const bodyOf = (list: readonly string[]) => `${before}[${list.join(',')}]${after}`;
  const request = parseResponsesRequest(bodyOf(items));
  const stripped = withoutForeignReasoning(request);
  return { request, stripped, ignored: stripped.ignored ?? [], bodyOf };
}

describe('A request to a provider with the Responses API', () => {
  it('keeps all bytes but the reasoning of other providers', () => {
    const kept = [question, own, plain, text, call, result, question];
    const { stripped, ignored, bodyOf } = strip(
      question,
      foreign,
      own,
      plain,
      withoutId,
      text,
      withoutContent,
      call,
      escaped,
      result,
      question,
      foreign,
    );
    expect(stripped.text).toBe(bodyOf(kept));
    expect(ignored).toEqual(['input.reasoning']);
    expect(stripped.body).toEqual(JSON.parse(stripped.text));
    const [input] = stripped.members.filter(({ key }) => key === 'input');
    expect(stripped.text.slice(input?.start, input?.end)).toBe(`[${kept.join(',')}]`);
  });

  it('is the same without such reasoning', () => {
    const items = [question, own, plain, text, call, result].map((item) => ` ${item} `);
    const { request, stripped, ignored } = strip(...items);
    expect([stripped, ignored]).toEqual([request, []]);
    expect(stripped.text).toBe(request.text);
  });

  it.each(['{"model":"openai/m","input":"rs_gateway_1 gateway/"}', '{"model":"openai/m","input":null}'])(
    'is the same if its input is no list: %s',
    (body) => {
      const request = parseResponsesRequest(body);
      expect(withoutForeignReasoning(request)).toBe(request);
    },
  );

  it('keeps what is no item, for the provider to refuse', () => {
    const odd = [
      '7',
      'null',
      '"x"',
      '{"type":"reasoning"}',
      '{"type":"reasoning","id":5,"encrypted_content":{}}',
    ];
    const { stripped, bodyOf } = strip(...odd, foreign, '[1]');
    expect(stripped.text).toBe(bodyOf([...odd, '[1]']));
  });

  it('loses such reasoning in each of several inputs, of which the provider may read any', () => {
    const body = (item: string) =>
      `{"input":[${item}${question}],"model":"openai/m","input":[${item}${question}]}`;
    const stripped = withoutForeignReasoning(parseResponsesRequest(body(`${foreign},`)));
    expect(stripped.text).toBe(body(''));
  });

  it('has the texts and calls of any response of another provider', () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values(kinds).map(toolResults)), (generated) => {
        const { provider } = generated;
        const { output } = writeWhole(scriptOf(generated), { provider, fields: { tools: offeredTools } });
        const { stripped } = strip(question, ...output.map((item) => JSON.stringify(item)));
        const kept = output.filter(({ type }) => type !== 'reasoning');
        expect(stripped.body.input).toEqual([JSON.parse(question), ...kept]);
        expect(stripped.text).not.toMatch(/rs_gateway_\w|gateway\/\w/);
      }),
    );
  });
});

it('Reasoning that was left out is also reported for a request with a renewed credential', async () => {
  const registry = createProviderRegistry({}, exampleClientOptions);
  const { provider, model } = registry.resolve('openai/gpt-5.5');
  for (const item of [foreign, withoutId, withoutContent, escaped]) {
    const { request } = strip(question, item, text, question);
    const { request: _, ...context } = providerCall({}, { provider: 'openai', model });
    const prepared = await responses.parse(request.text).prepareFor(provider)(context);
    if (!('prepareAgain' in prepared)) return expect.fail('The request was split');

    const renewed = await prepared.prepareAgain({ apiKey: 'sk-2' });

    expect([prepared.ignoredParameters, renewed.ignoredParameters]).toEqual([
      ['input.reasoning'],
      ['input.reasoning'],
    ]);
    expect(JSON.parse(prepared.outgoing.body).input).toHaveLength(3);
    expect(renewed.outgoing.headers.authorization).toBe('Bearer sk-2');
  }
});
