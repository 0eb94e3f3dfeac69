import { afterEach, describe, expect, it } from 'vitest';
import {
  createCredentialSource,
  createProviderSecretReader,
  type ProviderCredentials,
  parseProviderSecret,
} from '#lambdas/inference/providers/credentials.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { type FakeSecretsManager, startFakeSecretsManager } from '#test/support/fake-secrets-manager.ts';
import { accessTo } from '#test/support/scripted-service.ts';

describe('the secret of provider credentials', () => {
  it('keeps credentials by provider name, unknown fields included', () => {
    const secret = { openai: { api_key: 'one' }, azure: { api_key: 'two', tenant: 'three' } };

    expect({ ...parseProviderSecret(JSON.stringify(secret)) }).toEqual(secret);
  });

  it('accepts that there are none', () => {
    expect(Object.keys(parseProviderSecret('{}'))).toEqual([]);
  });

  it('has no entry for a name that objects inherit', () => {
    const credentials = parseProviderSecret('{"openai":{"api_key":"one"}}');

    expect(credentials.constructor).toBeUndefined();
    expect(credentials.toString).toBeUndefined();
  });

  it('takes nothing from the prototype that a secret names', () => {
    const secret = '{"__proto__":{"api_key":"one"},"constructor":{"api_key":"two"}}';
    const credentials = parseProviderSecret(secret);

    expect(Object.entries(credentials)).toEqual([
      ['__proto__', { api_key: 'one' }],
      ['constructor', { api_key: 'two' }],
    ]);
    expect(credentials.api_key).toBeUndefined();
    expect(() => parseProviderSecret('{"openai":{"__proto__":{"api_key":"one"}}}')).toThrow(
      'The credential of the provider "openai" must be an object with a non-empty "api_key"',
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', 'hidden-value'],
  ])('refuses %s as a whole', (_case, secret) => {
    expect(() => parseProviderSecret(JSON.stringify(secret))).toThrow(
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
    expect(() => parseProviderSecret(JSON.stringify(secret))).toThrow(
      new Error('The credential of the provider "openai" must be an object with a non-empty "api_key"'),
    );
  });
});

describe('reading the secret', () => {
  let service: FakeSecretsManager;
  afterEach(() => service.stop());

  async function readerOf(value?: string, secretId?: string) {
    service = await startFakeSecretsManager(value);
    const access = accessTo(service.endpoint);
    const secretsManager = createJsonService({ service: 'secretsmanager', access, now: () => new Date() });
    return createProviderSecretReader(secretsManager, secretId ?? service.secretId);
  }

  it('reads the credentials by provider', async () => {
    const read = await readerOf('{"openai":{"api_key":"one"},"groq":{"api_key":"two"}}');

    expect({ ...(await read()) }).toEqual({ openai: { api_key: 'one' }, groq: { api_key: 'two' } });
    expect(service.requests).toEqual([
      { operation: 'GetSecretValue', body: JSON.stringify({ SecretId: service.secretId }) },
    ]);
  });

  it('reads what another wrote, each time', async () => {
    const read = await readerOf('{}');
    await read();
    service.value = '{"openai":{"api_key":"rotated"}}';

    expect({ ...(await read()) }).toEqual({ openai: { api_key: 'rotated' } });
  });

  it.each([
    ['no value', undefined],
    ['what is not JSON', 'hidden-value'],
  ])('refuses %s without quoting it', async (_, value) => {
    const read = await readerOf(value);

    await expect(read()).rejects.toThrow(new Error('The secret of provider credentials does not hold JSON'));
  });

  it("passes on the service's own error", async () => {
    const read = await readerOf('{}', 'another');

    await expect(read()).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      $metadata: { httpStatusCode: 400 },
    });
  });
});

function setUp(...versions: (ProviderCredentials | Error)[]) {
  let nowMs = 0;
  let reads = 0;
  const failures: unknown[] = [];
  const source = createCredentialSource({
    now: () => new Date(nowMs),
    onFailure: (error) => failures.push(error),
    read: async () => {
      const version = versions[reads++] ?? new Error('read too often');
      if (version instanceof Error) throw version;
      return version;
    },
  });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { source, reads: () => reads, failures, advance };
}

const required = (name: string) => ({ name, credential: 'required' as const });

describe('the credential source', () => {
  it('reads once for many requests, and again after five minutes', async () => {
    const { source, reads, advance } = setUp({ openai: { api_key: 'old' } }, { openai: { api_key: 'new' } });
    source.prefetch();
    expect(await Promise.all([source.find(required('openai')), source.find(required('openai'))])).toEqual([
      'old',
      'old',
    ]);
    advance(299_999);
    expect(await source.find(required('openai'))).toBe('old');
    expect(reads()).toBe(1);
    advance(1);
    expect(await source.find(required('openai'))).toBe('new');
  });

  it('has nothing for a provider that is not there, whatever its name', async () => {
    const { source } = setUp({});
    expect(await source.find(required('openai'))).toBeNull();
    expect(await source.find(required('constructor'))).toBeNull();
  });

  it('looks again for one that is missing, at most every five seconds', async () => {
    const { source, reads, advance } = setUp({}, { openai: { api_key: 'k' } });
    expect(await source.find(required('openai'))).toBeNull();
    advance(4_999);
    expect(await source.find(required('openai'))).toBeNull();
    expect(reads()).toBe(1);
    advance(1);
    expect(await source.find(required('openai'))).toBe('k');
    expect(reads()).toBe(2);
  });

  it('looks again at once for one that was missing before anybody asked', async () => {
    const set = { openai: { api_key: 'k' } };
    const { source, reads } = setUp({}, set);
    source.prefetchEarly();
    expect(await source.find(required('openai'))).toBe('k');
    expect(reads()).toBe(2);

    const early = setUp(set, set);
    early.source.prefetchEarly();
    early.advance(60_000);
    expect(await early.source.find(required('openai'))).toBe('k');
    expect(early.reads()).toBe(1);
  });

  it('names those that are there, as they were at most five seconds ago', async () => {
    const { source, reads, advance } = setUp({}, { openai: { api_key: 'k' }, groq: { api_key: 'g' } });
    expect(await source.names()).toEqual([]);
    advance(4_999);
    expect(await source.names()).toEqual([]);
    expect(reads()).toBe(1);
    advance(1);
    expect(await source.names()).toEqual(['openai', 'groq']);
  });

  it('does not look again for one that need not be there', async () => {
    const { source, reads, advance } = setUp({});
    await source.find({ name: 'vllm', credential: 'optional' });
    advance(60_000);
    expect(await source.find({ name: 'vllm', credential: 'optional' })).toBeNull();
    expect(reads()).toBe(1);
  });

  it('goes on with what it has when a look for more fails', async () => {
    const { source, reads, advance } = setUp({ openai: { api_key: 'k' } }, new Error('throttled'));
    expect(await source.find(required('openai'))).toBe('k');
    advance(5_000);
    await expect(source.names()).rejects.toThrow('throttled');

    expect(await source.find(required('openai'))).toBe('k');
    expect(reads()).toBe(2);
  });

  it('does so however many looks fail, in whatever order', async () => {
    let nowMs = 0;
    const reads: PromiseWithResolvers<ProviderCredentials>[] = [];
    const source = createCredentialSource({
      now: () => new Date(nowMs),
      onFailure: () => {},
      read() {
        const reading = Promise.withResolvers<ProviderCredentials>();
        reads.push(reading);
        return reading.promise;
      },
    });
    source.prefetch();
    reads[0]?.resolve({ openai: { api_key: 'k' } });
    expect(await source.find(required('openai'))).toBe('k');

    const looks = [5_000, 10_000].map((ms) => {
      nowMs = ms;
      return source.names();
    });
    for (const number of [1, 2]) reads[number]?.reject(new Error('throttled'));
    await Promise.allSettled(looks);

    expect(await source.find(required('openai'))).toBe('k');
  });

  it('tries again after a failure', async () => {
    const { source } = setUp(new Error('throttled'), { openai: { api_key: 'k' } });
    await expect(source.find(required('openai'))).rejects.toThrow('throttled');
    expect(await source.find(required('openai'))).toBe('k');
  });

  it('uses what it has when that is old and cannot be read again, and does not try with each request', async () => {
    const throttled = new Error('throttled');
    const { source, reads, failures, advance } = setUp({ openai: { api_key: 'k' } }, throttled, {
      openai: { api_key: 'new' },
    });
    source.prefetch();
    expect(await source.find(required('openai'))).toBe('k');
    advance(300_000);
    source.prefetch();
    expect(await source.find(required('openai'))).toBe('k');
    advance(29_999);
    source.prefetch();
    expect(await source.find(required('openai'))).toBe('k');
    expect([reads(), failures]).toEqual([2, [throttled]]);
    advance(1);
    expect(await source.find(required('openai'))).toBe('new');
  });
});

describe('A key that its provider refuses', () => {
  const openai = { name: 'openai' };

  it('is looked for afresh at once, however new it is', async () => {
    const { source, reads } = setUp({ openai: { api_key: 'old' } }, { openai: { api_key: 'new' } });
    expect(await source.find(required('openai'))).toBe('old');
    expect(await source.refresh(openai, 'old')).toBe('new');
    expect(await source.find(required('openai'))).toBe('new');
    expect(reads()).toBe(2);
  });

  it('is read once for all who ask at the same time', async () => {
    const { source, reads } = setUp({ openai: { api_key: 'old' } }, { openai: { api_key: 'new' } });
    await source.find(required('openai'));
    const keys = await Promise.all(Array.from({ length: 10 }, () => source.refresh(openai, 'old')));
    expect(keys).toEqual(Array.from({ length: 10 }, () => 'new'));
    expect(reads()).toBe(2);
  });

  it('is nobody’s replacement while the secret has the same one, and is read once in five seconds', async () => {
    const old = { openai: { api_key: 'old' } };
    const { source, reads, advance } = setUp(old, old, { openai: { api_key: 'new' } });
    await source.find(required('openai'));
    expect(await source.refresh(openai, 'old')).toBeNull();
    advance(4_999);
    expect(await source.refresh(openai, 'old')).toBeNull();
    expect(reads()).toBe(2);
    advance(1);
    expect(await source.refresh(openai, 'old')).toBe('new');
  });

  it('has been replaced for those whose key was older', async () => {
    const { source, reads } = setUp({ openai: { api_key: 'old' } }, { openai: { api_key: 'new' } });
    await source.find(required('openai'));
    expect(await source.refresh(openai, 'old')).toBe('new');
    expect(await source.refresh(openai, 'old')).toBe('new');
    expect(reads()).toBe(2);
  });

  it('is not replaced when the provider is no longer there, or the secret cannot be read', async () => {
    const { source, failures, advance } = setUp({ openai: { api_key: 'k' } }, {}, new Error('throttled'));
    await source.find(required('openai'));
    expect(await source.refresh(openai, 'k')).toBeNull();
    advance(5_000);
    expect(await source.refresh(openai, 'k')).toBeNull();
    expect(failures).toEqual([new Error('throttled')]);
  });
});
