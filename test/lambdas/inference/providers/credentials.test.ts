import { afterEach, describe, expect, it } from 'vitest';
import {
  createCredentialSource,
  createProviderSecretReader,
  type ProviderCredentials,
  parseProviderSecret,
} from '#lambdas/inference/providers/credentials.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import { type FakeSecretsManager, startFakeSecretsManager } from '#test/support/aws/fake-secrets-manager.ts';
import { awsAccessAt } from '#test/support/aws/scripted-service.ts';

describe('parseProviderSecret', () => {
  it('returns credentials by provider name, including unknown fields', () => {
    const secret = { openai: { api_key: 'one' }, azure: { api_key: 'two', tenant: 'three' } };

    expect({ ...parseProviderSecret(JSON.stringify(secret)) }).toEqual(secret);
  });

  it('accepts an empty object', () => {
    expect(Object.keys(parseProviderSecret('{}'))).toEqual([]);
  });

  it('returns no entry for names inherited from Object', () => {
    const credentials = parseProviderSecret('{"openai":{"api_key":"one"}}');

    expect(credentials.constructor).toBeUndefined();
    expect(credentials.toString).toBeUndefined();
  });

  it('treats __proto__ and constructor as ordinary names', () => {
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
    ['an array', []],
    ['a string', 'hidden-value'],
  ])('rejects %s in place of the credentials object', (_case, secret) => {
    expect(() => parseProviderSecret(JSON.stringify(secret))).toThrow(
      new Error('The provider credentials must be a JSON object keyed by provider name'),
    );
  });

  it.each([
    ['a string', { openai: 'hidden-value' }],
    ['null', { openai: null }],
    ['an object without a key', { openai: { token: 'hidden-value' } }],
    ['an empty key', { openai: { api_key: '' } }],
    ['a number as the key', { openai: { api_key: 12345 } }],
  ])('rejects %s as a credential, with an error that names the provider but no value', (_case, secret) => {
    expect(() => parseProviderSecret(JSON.stringify(secret))).toThrow(
      new Error('The credential of the provider "openai" must be an object with a non-empty "api_key"'),
    );
  });
});

describe('createProviderSecretReader', () => {
  let service: FakeSecretsManager;
  afterEach(() => service.stop());

  async function startReader(value?: string, secretId?: string) {
    service = await startFakeSecretsManager(value);
    const access = awsAccessAt(service.endpoint);
    const secretsManager = createJsonService({ service: 'secretsmanager', access, now: () => new Date() });
    return createProviderSecretReader(secretsManager, secretId ?? service.secretId);
  }

  it('reads the credentials by provider', async () => {
    const read = await startReader('{"openai":{"api_key":"one"},"groq":{"api_key":"two"}}');

    expect({ ...(await read()) }).toEqual({ openai: { api_key: 'one' }, groq: { api_key: 'two' } });
    expect(service.requests).toMatchObject([
      { operation: 'GetSecretValue', body: JSON.stringify({ SecretId: service.secretId }) },
    ]);
  });

  it('reads the current value on every call', async () => {
    const read = await startReader('{}');
    await read();
    service.value = '{"openai":{"api_key":"rotated"}}';

    expect({ ...(await read()) }).toEqual({ openai: { api_key: 'rotated' } });
  });

  it.each([
    ['no value', undefined],
    ['a value that is not JSON', 'hidden-value'],
  ])('rejects %s without quoting it', async (_, value) => {
    const read = await startReader(value);

    await expect(read()).rejects.toThrow(
      new Error('The secret with the provider credentials is not valid JSON'),
    );
  });

  it('rethrows the error of Secrets Manager', async () => {
    const read = await startReader('{}', 'another');

    await expect(read()).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      $metadata: { httpStatusCode: 400 },
    });
  });
});

function startSource(...versions: (ProviderCredentials | Error)[]) {
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

describe('createCredentialSource', () => {
  it('caches the secret for five minutes', async () => {
    const { source, reads, advance } = startSource(
      { openai: { api_key: 'old' } },
      { openai: { api_key: 'new' } },
    );
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

  it('returns null for a provider without a credential, even one named constructor', async () => {
    const { source } = startSource({});
    expect(await source.find(required('openai'))).toBeNull();
    expect(await source.find(required('constructor'))).toBeNull();
  });

  it('re-reads the secret for a missing credential, at most every five seconds', async () => {
    const { source, reads, advance } = startSource({}, { openai: { api_key: 'k' } });
    expect(await source.find(required('openai'))).toBeNull();
    advance(4_999);
    expect(await source.find(required('openai'))).toBeNull();
    expect(reads()).toBe(1);
    advance(1);
    expect(await source.find(required('openai'))).toBe('k');
    expect(reads()).toBe(2);
  });

  it('re-reads the secret immediately for a credential missing from an early prefetch', async () => {
    const set = { openai: { api_key: 'k' } };
    const { source, reads } = startSource({}, set);
    source.prefetchEarly();
    expect(await source.find(required('openai'))).toBe('k');
    expect(reads()).toBe(2);

    const early = startSource(set, set);
    early.source.prefetchEarly();
    early.advance(60_000);
    expect(await early.source.find(required('openai'))).toBe('k');
    expect(early.reads()).toBe(1);
  });

  it('lists provider names that are at most five seconds old', async () => {
    const { source, reads, advance } = startSource({}, { openai: { api_key: 'k' }, groq: { api_key: 'g' } });
    expect(await source.providerNames()).toEqual([]);
    advance(4_999);
    expect(await source.providerNames()).toEqual([]);
    expect(reads()).toBe(1);
    advance(1);
    expect(await source.providerNames()).toEqual(['openai', 'groq']);
  });

  it('does not re-read the secret for a missing optional credential', async () => {
    const { source, reads, advance } = startSource({});
    await source.find({ name: 'vllm', credential: 'optional' });
    advance(60_000);
    expect(await source.find({ name: 'vllm', credential: 'optional' })).toBeNull();
    expect(reads()).toBe(1);
  });

  it('keeps using the cached secret after a failed re-read', async () => {
    const { source, reads, advance } = startSource({ openai: { api_key: 'k' } }, new Error('throttled'));
    expect(await source.find(required('openai'))).toBe('k');
    advance(5_000);
    await expect(source.providerNames()).rejects.toThrow('throttled');

    expect(await source.find(required('openai'))).toBe('k');
    expect(reads()).toBe(2);
  });

  it('keeps using the cached secret after concurrent failed re-reads', async () => {
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

    const rereads = [5_000, 10_000].map((ms) => {
      nowMs = ms;
      return source.providerNames();
    });
    for (const number of [1, 2]) reads[number]?.reject(new Error('throttled'));
    await Promise.allSettled(rereads);

    expect(await source.find(required('openai'))).toBe('k');
  });

  it('retries after a failed first read', async () => {
    const { source } = startSource(new Error('throttled'), { openai: { api_key: 'k' } });
    await expect(source.find(required('openai'))).rejects.toThrow('throttled');
    expect(await source.find(required('openai'))).toBe('k');
  });

  it('uses an expired secret when re-reading fails, and retries after 30 seconds', async () => {
    const throttled = new Error('throttled');
    const { source, reads, failures, advance } = startSource({ openai: { api_key: 'k' } }, throttled, {
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

describe('createCredentialSource refresh', () => {
  const openai = { name: 'openai' };

  it('re-reads the secret immediately for a rejected key, however recent the cached key is', async () => {
    const { source, reads } = startSource({ openai: { api_key: 'old' } }, { openai: { api_key: 'new' } });
    expect(await source.find(required('openai'))).toBe('old');
    expect(await source.refresh(openai, 'old')).toBe('new');
    expect(await source.find(required('openai'))).toBe('new');
    expect(reads()).toBe(2);
  });

  it('reads the secret once for concurrent refreshes', async () => {
    const { source, reads } = startSource({ openai: { api_key: 'old' } }, { openai: { api_key: 'new' } });
    await source.find(required('openai'));
    const keys = await Promise.all(Array.from({ length: 10 }, () => source.refresh(openai, 'old')));
    expect(keys).toEqual(Array.from({ length: 10 }, () => 'new'));
    expect(reads()).toBe(2);
  });

  it('returns null while the secret still has the rejected key, and re-reads it at most every five seconds', async () => {
    const old = { openai: { api_key: 'old' } };
    const { source, reads, advance } = startSource(old, old, { openai: { api_key: 'new' } });
    await source.find(required('openai'));
    expect(await source.refresh(openai, 'old')).toBeNull();
    advance(4_999);
    expect(await source.refresh(openai, 'old')).toBeNull();
    expect(reads()).toBe(2);
    advance(1);
    expect(await source.refresh(openai, 'old')).toBe('new');
  });

  it('returns the cached key without a read when the rejected key is older', async () => {
    const { source, reads } = startSource({ openai: { api_key: 'old' } }, { openai: { api_key: 'new' } });
    await source.find(required('openai'));
    expect(await source.refresh(openai, 'old')).toBe('new');
    expect(await source.refresh(openai, 'old')).toBe('new');
    expect(reads()).toBe(2);
  });

  it('returns null when the credential was removed or the secret cannot be read', async () => {
    const { source, failures, advance } = startSource(
      { openai: { api_key: 'k' } },
      {},
      new Error('throttled'),
    );
    await source.find(required('openai'));
    expect(await source.refresh(openai, 'k')).toBeNull();
    advance(5_000);
    expect(await source.refresh(openai, 'k')).toBeNull();
    expect(failures).toEqual([new Error('throttled')]);
  });
});
