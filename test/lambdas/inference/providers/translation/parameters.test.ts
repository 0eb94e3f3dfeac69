import { describe, expect, it } from 'vitest';
import { withProviderFields } from '#lambdas/inference/providers/translation/parameters.ts';
import { parseExactJsonObject } from '#lambdas/platform/json/exact-json.ts';

describe('withProviderFields', () => {
  it('appends the fields to the translated request', () => {
    const merged = withProviderFields({ model: 'm', max_tokens: 5 }, { mcp_servers: [] });
    expect(JSON.stringify(merged)).toBe('{"model":"m","max_tokens":5,"mcp_servers":[]}');
  });

  it('merges objects at any depth, and replaces scalars and arrays', () => {
    const translated = { thinking: { type: 'enabled', budget: { tokens: 1 } }, stop: ['a', 'b'], top_k: 1 };
    const fields = { thinking: { budget: { tokens: 2, kind: 'x' } }, stop: ['c'], top_k: { of: 2 } };
    expect(withProviderFields(translated, fields)).toEqual({
      thinking: { type: 'enabled', budget: { tokens: 2, kind: 'x' } },
      stop: ['c'],
      top_k: { of: 2 },
    });
  });

  it.each([null, false, 0, '', []])('replaces an object with %j', (value) => {
    expect(withProviderFields({ thinking: { type: 'enabled' } }, { thinking: value })).toEqual({
      thinking: value,
    });
  });

  it('does not modify its arguments', () => {
    const translated = { a: { b: 1 } };
    const fields = { a: { c: 2 } };
    withProviderFields(translated, fields);
    expect([translated, fields]).toEqual([{ a: { b: 1 } }, { a: { c: 2 } }]);
  });

  it('preserves the digits of numbers', () => {
    const translated = parseExactJsonObject('{"a":{"b":1.0},"c":1.0}') ?? {};
    const fields = parseExactJsonObject('{"a":{"d":2.0},"c":3.0}') ?? {};
    expect(JSON.stringify(withProviderFields(translated, fields))).toBe('{"a":{"b":1.0,"d":2.0},"c":3.0}');
    expect(JSON.stringify(withProviderFields({ c: {} }, fields))).toBe('{"c":3.0,"a":{"d":2.0}}');
  });

  it('merges __proto__ and constructor as ordinary fields', () => {
    const text =
      '{"a":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const merged = withProviderFields({ a: { b: 1 } }, JSON.parse(text));
    expect(JSON.stringify(merged)).toBe(text.replace('{"__proto__"', '{"b":1,"__proto__"'));
    expect('polluted' in {}).toBe(false);
    expect('polluted' in merged).toBe(false);
  });
});
