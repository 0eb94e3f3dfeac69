import { describe, expect, it } from 'vitest';
import { parseProviderCredentials } from '#lambdas/inference/providers/credentials.ts';

describe('parseProviderCredentials', () => {
  it('keeps credentials by provider name, unknown fields included', () => {
    const secret = { openai: { api_key: 'one' }, azure: { api_key: 'two', tenant: 'three' } };

    expect({ ...parseProviderCredentials(secret) }).toEqual(secret);
  });

  it('accepts that there are none', () => {
    expect(Object.keys(parseProviderCredentials({}))).toEqual([]);
  });

  it('has no entry for a name that objects inherit', () => {
    const credentials = parseProviderCredentials(JSON.parse('{"openai":{"api_key":"one"}}'));

    expect(credentials.constructor).toBeUndefined();
    expect(credentials.toString).toBeUndefined();
  });

  it('takes nothing from the prototype that a secret names', () => {
    const secret = JSON.parse('{"__proto__":{"api_key":"one"},"constructor":{"api_key":"two"}}');
    const credentials = parseProviderCredentials(secret);

    expect(Object.entries(credentials)).toEqual([
      ['__proto__', { api_key: 'one' }],
      ['constructor', { api_key: 'two' }],
    ]);
    expect(credentials.api_key).toBeUndefined();
    expect(() => parseProviderCredentials(JSON.parse('{"openai":{"__proto__":{"api_key":"one"}}}'))).toThrow(
      'The credential of the provider "openai" must be an object with a non-empty "api_key"',
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', 'hidden-value'],
  ])('refuses %s as a whole', (_case, secret) => {
    expect(() => parseProviderCredentials(secret)).toThrow(
      new Error('The provider credentials must be a JSON object by provider name'),
    );
  });

  it.each([
    ['a bare text', { openai: 'hidden-value' }],
    ['null', { openai: null }],
    ['an object without a key', { openai: { token: 'hidden-value' } }],
    ['an empty key', { openai: { api_key: '' } }],
    ['a number as the key', { openai: { api_key: 12345 } }],
  ])('refuses %s as a credential, naming the provider and no value', (_case, secret) => {
    expect(() => parseProviderCredentials(secret)).toThrow(
      new Error('The credential of the provider "openai" must be an object with a non-empty "api_key"'),
    );
  });
});
