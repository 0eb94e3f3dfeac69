import { describe, expect, it } from 'vitest';
import { parseChatRequest, rewriteChatRequest } from '#lambdas/inference/chat/body.ts';
import { fc } from '#test/support/fast-check.ts';

const rewrite = (text: string, includeUsage = false) =>
  rewriteChatRequest(parseChatRequest(text), { model: 'gpt-4o', includeUsage });

describe('parseChatRequest', () => {
  it.each([
    ['{', 'body', 'The request body must be valid JSON'],
    ['', 'body', 'The request body must be valid JSON'],
    ['[]', 'body', 'The request body must be a JSON object'],
    ['null', 'body', 'The request body must be a JSON object'],
    ['{"messages":[]}', 'model', 'model must be a string of the form <provider>/<model>'],
    ['{"model":7,"messages":[]}', 'model', 'model must be a string of the form <provider>/<model>'],
    ['{"model":"a/b"}', 'messages', 'messages must be an array of messages'],
    ['{"model":"a/b","messages":{}}', 'messages', 'messages must be an array of messages'],
    ['{"model":"a/b","messages":[],"stream":"yes"}', 'stream', 'stream must be true or false'],
    [
      '{"model":"a/\\ud800","messages":[]}',
      'model',
      'model must be a string of at most 256 bytes, without control characters',
    ],
    ...['a\n', '\0', 'a\u0085b', 'a\u2028b', '\u2029'].map((name): [string, string, string] => [
      JSON.stringify({ model: `a/${name}`, messages: [] }),
      'model',
      'model must be a string of at most 256 bytes, without control characters',
    ]),
    [
      JSON.stringify({ model: 'a'.repeat(257), messages: [] }),
      'model',
      'model must be a string of at most 256 bytes, without control characters',
    ],
  ])('rejects %s', (text, param, message) => {
    expect(() => parseChatRequest(text)).toThrow(
      expect.objectContaining({ code: 'invalid_request_error', status: 400, param, message }),
    );
  });

  it('accepts a body with 100 levels of nesting and rejects a deeper one', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const deep = (levels: number) => `{"model":"a/b","messages":[{"content":${nested(levels)}}]}`;
    expect(parseChatRequest(deep(97)).model).toBe('a/b');
    for (const levels of [98, 300_000]) {
      expect(() => parseChatRequest(deep(levels))).toThrow(
        expect.objectContaining({
          status: 400,
          param: 'body',
          message: 'The request body must not be nested deeper than 100 levels',
        }),
      );
    }
  });

  it('reads stream and include_usage', () => {
    const stream = parseChatRequest(
      '{"model":"a/b","messages":[],"stream":true,"stream_options":{"include_usage":true}}',
    );
    expect(stream).toMatchObject({ stream: true, includeUsage: true });
    expect(parseChatRequest('{"model":"a/b","messages":[],"stream":null}')).toMatchObject({
      stream: false,
      includeUsage: false,
    });
  });
});

describe('rewriteChatRequest', () => {
  it('replaces the model and changes no other byte', () => {
    const text =
      ' {"temperature" : 1.0,\n\t"seed":9007199254740993, "model" :"openai/gpt-4o" , "x":{"model":"openai/gpt-4o"},' +
      '"messages":[{"role":"user","content":"\\u00e9 \\"model\\": \\ud800 é 😀"}],"a":1,"a":2,"e":1E+2,"n":null}\r\n';
    expect(rewrite(text)).toBe(text.replace('"model" :"openai/gpt-4o" ', '"model" :"gpt-4o" '));
  });

  it('finds a model whose key or value contains escapes', () => {
    expect(rewrite('{"mod\\u0065l":"openai\\/gpt\\u002d4o","messages":[]}')).toBe(
      '{"mod\\u0065l":"gpt-4o","messages":[]}',
    );
  });

  it('replaces both values of a duplicate model key', () => {
    expect(rewrite('{"model":"demo/x","messages":[],"model":"openai/gpt-4o"}')).toBe(
      '{"model":"gpt-4o","messages":[],"model":"gpt-4o"}',
    );
  });

  it('replaces model keys in any letter case, which some parsers ignore', () => {
    expect(rewrite('{"model":"openai/gpt-4o","messages":[],"MODEL":"o1-pro","mOdel":7,"model_x":1}')).toBe(
      '{"model":"gpt-4o","messages":[],"MODEL":"gpt-4o","mOdel":"gpt-4o","model_x":1}',
    );
  });

  it('rejects so many model keys that replacing them could enlarge the body', () => {
    const body = (times: number) => `{${'"model":"openai/gpt-4o",'.repeat(times)}"messages":[]}`;
    expect(rewrite(body(16))).toBe(body(16).replaceAll('openai/gpt-4o', 'gpt-4o'));
    expect(() => rewrite(body(17))).toThrow(
      expect.objectContaining({ status: 400, param: 'model', message: 'model must be given once' }),
    );
  });

  const start = '{"model":"gpt-4o","messages":[],"stream":true';
  it.each([
    ['without stream options', '}', ',"stream_options":{"include_usage":true}}'],
    ['with empty stream options', ',"stream_options":{ }}', ',"stream_options":{"include_usage":true }}'],
    ['with null as stream options', ',"stream_options":null }', ',"stream_options":{"include_usage":true} }'],
    [
      'with another option',
      ',"stream_options":{"include_obfuscation":false}}',
      ',"stream_options":{"include_usage":true,"include_obfuscation":false}}',
    ],
    [
      'with include_usage false',
      ',"stream_options":{"a":1.0,"include_usage":false}}',
      ',"stream_options":{"a":1.0,"include_usage":true}}',
    ],
  ])('enables usage %s', (_, rest, expected) => {
    expect(rewrite(start.replace('gpt-4o', 'openai/gpt-4o') + rest, true)).toBe(start + expected);
  });

  it('leaves stream options unchanged that are not an object', () => {
    const rest = ',"stream_options":"x"}';
    expect(rewrite(start.replace('gpt-4o', 'openai/gpt-4o') + rest, true)).toBe(start + rest);
  });

  it('preserves all other members and their order in any object', () => {
    const member = fc.tuple(fc.string({ unit: 'grapheme' }), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(member), fc.array(member), fc.nat(3), (before, after, indent) => {
        const serialize = ([key, value]: [string, unknown]) =>
          `${JSON.stringify(key)}${' '.repeat(indent)}:${JSON.stringify(value, null, indent)}`;
        const others = [...before, ...after].filter(([key]) => !isReserved(key));
        const parts = others.map(serialize);
        const at = Math.min(before.length, parts.length);
        const body = (model: string) =>
          `{${[...parts.slice(0, at), `"model":${JSON.stringify(model)}`, '"messages":[]', ...parts.slice(at)].join(' ,')}}`;
        expect(rewrite(body('openai/gpt-4o'))).toBe(body('gpt-4o'));
        const withUsage: unknown = JSON.parse(rewrite(body('openai/gpt-4o'), true));
        expect(withUsage).toEqual({ ...JSON.parse(body('gpt-4o')), stream_options: { include_usage: true } });
      }),
    );
  });
});

function isReserved(key: string): boolean {
  return ['model', 'messages', 'stream', 'stream_options', '__proto__'].includes(key);
}
