import { describe, expect, it } from 'vitest';
import { type ChatCall, parseChatRequest } from '#lambdas/inference/chat/body.ts';
import { readChatCompletion } from '#lambdas/inference/chat/request/request.ts';
import { exactBody } from '#lambdas/inference/exact-body.ts';
import { createAnthropicProtocol } from '#lambdas/inference/providers/anthropic/protocol.ts';
import { toConverseRequest } from '#lambdas/inference/providers/bedrock/request.ts';
import { providerCatalog } from '#lambdas/inference/providers/catalog.ts';
import { createGoogleProtocol } from '#lambdas/inference/providers/google/protocol.ts';
import type { CreateProtocol, ProviderCall } from '#lambdas/inference/providers/provider.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { fc } from '#test/support/fast-check.ts';
import { exampleClaudeModel } from '#test/support/providers/bedrock/call.ts';
import { providerCall } from '#test/support/providers/provider-call.ts';

const isExact = (field: string) => ['tools', 'response_format', 'own', '__proto__'].includes(field);
const roundTrip = (text: string) => JSON.stringify(exactBody({ text, body: JSON.parse(text) }, isExact));

describe('exactBody', () => {
  it.each([
    '9007199254740993',
    '-12345678901234567890',
    '1.0',
    '0.10',
    '1e400',
    '-1E2',
    '-0',
    '[1.50,{"a":-0.0}]',
    '{"a":[0.5,1,"1.0"]}',
  ])('keeps %s in the fields that are passed on', (value) => {
    const text = `{"model":"m","messages":[],"tools":[${value}],"response_format":${value},"own":${value}}`;

    expect(roundTrip(text)).toBe(text);
  });

  it("keeps the last of two equal keys, and the caller's own __proto__", () => {
    expect(roundTrip('{"own":1.0,"own":2.0,"__proto__":3.0}')).toBe('{"own":2.0,"__proto__":3.0}');
  });

  it('returns the parsed body when nothing is passed on, and numbers in other fields', () => {
    const text = '{"messages":[{"role":"user","content":"1.0"}],"temperature":1.0,"max_tokens":16.0}';
    const body = JSON.parse(text);

    expect(exactBody({ text, body }, isExact)).toBe(body);
    expect(
      exactBody({ text: '{"temperature":1.0,"own":1.0}', body: { temperature: 1, own: 1 } }, isExact),
    ).toMatchObject({
      temperature: 1,
    });
  });

  it('keeps all digits of any JSON', () => {
    const number = fc.oneof(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
      fc
        .tuple(fc.integer(), fc.nat(), fc.integer({ min: -400, max: 400 }))
        .map(([a, b, c]) => `${a}.${b}e${c}`),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), number)),
        fc.constantFrom('', ' ', '\n'),
        (entries, space) => {
          const values = entries.map(([text, digits]) => `{${JSON.stringify(text)}:${space}${digits}}`);
          const text = `{"tools":${space}[${values.join(`,${space}`)}]}`;

          expect(JSON.stringify(exactBody({ text, body: JSON.parse(text) }, isExact).tools)).toBe(
            `[${entries.map(([key, digits]) => `{${JSON.stringify(key)}:${digits}}`).join()}]`,
          );
        },
      ),
    );
  });
});

describe('Numbers sent to the native protocols', () => {
  const digits = '{"type":"integer","enum":[9007199254740993,12345678901234567890,1.0]}';
  const schema = `{"type":"object","properties":{"n":${digits}},"additionalProperties":false}`;
  const request = `"messages":[{"role":"user","content":"Hi"}],
    "tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}],
    "response_format":{"type":"json_schema","json_schema":{"name":"s","schema":${schema}}},
    "temperature":1.0,"max_tokens":16.0`;
  const call = (model: string, fields: string): ChatCall => {
    const text = `{"model":"${model}",${request},${fields}}`;
    return { ...providerCall({ model }), request: parseChatRequest(text) };
  };

  async function send(create: CreateProtocol, name: 'anthropic' | 'google', sent: ProviderCall) {
    const entry = providerCatalog[name];
    if (entry === undefined) throw new Error(`The catalog has no ${name}`);
    const options = {
      name,
      baseUrl: 'http://provider.test',
      region: null,
      path: entry.operations['chat.completions']?.path ?? null,
      entry,
      aws: exampleClientOptions,
    };
    const { outgoing, outputLimit } = await create(options).translateRequest(sent);
    return { body: outgoing.body, limit: await outputLimit() };
  }

  it('keep their digits at Anthropic', async () => {
    const own = '"thinking":{"type":"enabled","budget_tokens":1024.0}';
    const { body } = await send(createAnthropicProtocol, 'anthropic', call('claude-haiku-4-5', own));

    expect(body.split(digits)).toHaveLength(3);
    expect(body).toContain('"budget_tokens":1024.0');
    expect(body).toContain('"max_tokens":16,');
  });

  it('keep their digits at Bedrock', () => {
    const own = '"requestMetadata":{"n":9007199254740993},"inferenceConfig":{"maxTokens":32.0}';
    const completion = readChatCompletion(call(exampleClaudeModel, own).request);
    const target = { provider: 'bedrock', model: exampleClaudeModel };
    const body = JSON.stringify(toConverseRequest(completion, target).body);

    expect(body).toContain(digits);
    expect(body).toContain(JSON.stringify(digits).slice(1, -1));
    expect(body).toContain('"requestMetadata":{"n":9007199254740993}');
    expect(body).toContain('"inferenceConfig":{"maxTokens":32.0}');
  });

  it('keep their digits at Google, also in its own fields, which limit the output', async () => {
    const own = '"generation_config":{"max_output_tokens":32.0,"seed":9007199254740993}';
    const { body, limit } = await send(createGoogleProtocol, 'google', call('gemini-3.5-flash', own));

    expect(body.split(digits)).toHaveLength(3);
    expect(body).toContain('"maxOutputTokens":32.0');
    expect(body).toContain('"seed":9007199254740993');
    expect(limit.maxOutputTokens).toBe(32);
  });

  it.each([
    ['"tools":[1.5]', 'tools[0]'],
    ['"response_format":1.5', 'response_format'],
    [
      '"tools":[{"type":"function","function":{"name":"f","parameters":1.5}}]',
      'tools[0].function.parameters',
    ],
  ])('are rejected in place of an object: %s', (fields, param) => {
    const text = `{"model":"m","messages":[],${fields}}`;

    expect(() => readChatCompletion(parseChatRequest(text))).toThrow(expect.objectContaining({ param }));
  });
});
