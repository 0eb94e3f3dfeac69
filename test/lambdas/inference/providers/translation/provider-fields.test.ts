import { describe, expect, it } from 'vitest';
import { withProviderFields } from '#lambdas/inference/providers/translation/parameters.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';

describe("the caller's own fields for the provider", () => {
  it('stand beside what was written, after it', () => {
    const joined = withProviderFields({ model: 'm', max_tokens: 5 }, { mcp_servers: [] });
    expect(JSON.stringify(joined)).toBe('{"model":"m","max_tokens":5,"mcp_servers":[]}');
  });

  it('are joined with objects at any depth, and replace single values and lists', () => {
    const written = { thinking: { type: 'enabled', budget: { tokens: 1 } }, stop: ['a', 'b'], top_k: 1 };
    const fields = { thinking: { budget: { tokens: 2, kind: 'x' } }, stop: ['c'], top_k: { of: 2 } };
    expect(withProviderFields(written, fields)).toEqual({
      thinking: { type: 'enabled', budget: { tokens: 2, kind: 'x' } },
      stop: ['c'],
      top_k: { of: 2 },
    });
  });

  it.each([null, false, 0, '', []])('can take an object away with %j', (value) => {
    expect(withProviderFields({ thinking: { type: 'enabled' } }, { thinking: value })).toEqual({
      thinking: value,
    });
  });

  it('leave both sides as they were', () => {
    const written = { a: { b: 1 } };
    const fields = { a: { c: 2 } };
    withProviderFields(written, fields);
    expect([written, fields]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });

  it('keep the digits of their numbers', () => {
    const written = parseExactJsonObject('{"a":{"b":1.0},"c":1.0}') ?? {};
    const fields = parseExactJsonObject('{"a":{"d":2.0},"c":3.0}') ?? {};
    expect(JSON.stringify(withProviderFields(written, fields))).toBe('{"a":{"b":1.0,"d":2.0},"c":3.0}');
    expect(JSON.stringify(withProviderFields({ c: {} }, fields))).toBe('{"c":3.0,"a":{"d":2.0}}');
  });

  it('do no harm with keys that JavaScript has a meaning for', () => {
    const text =
      '{"a":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const joined = withProviderFields({ a: { b: 1 } }, JSON.parse(text));
    expect(JSON.stringify(joined)).toBe(text.replace('{"__proto__"', '{"b":1,"__proto__"'));
    expect('polluted' in {}).toBe(false);
    expect('polluted' in joined).toBe(false);
  });
});
