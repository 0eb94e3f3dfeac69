import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { seededRandom } from './random.ts';

describe('a proxy that brings faults about', () => {
  const done: string[] = [];
  const service = createServer((request, response) => {
    done.push(String(request.headers['x-amz-target']));
    request.resume().on('end', () => response.end('{"done":true}'));
  });
  let proxy: FaultProxy;
  beforeAll(async () => {
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo;
    proxy = await startFaultProxy(() => `http://127.0.0.1:${port}`, seededRandom(1));
  });
  beforeEach(async () => {
    await proxy.set(null);
    done.length = 0;
  });
  afterAll(async () => {
    await proxy.stop();
    service.close();
    service.closeAllConnections();
  });

  const call = async (operation = 'PutItem') => {
    const headers = { 'x-amz-target': `DynamoDB_20120810.${operation}` };
    const response = await fetch(proxy.endpoint, { method: 'POST', headers, body: '{}' });
    return { status: response.status, body: await response.json() };
  };

  it('passes calls on, and counts them', async () => {
    const before = proxy.calls('PutItem');
    expect(await call()).toEqual({ status: 200, body: { done: true } });
    expect(proxy.calls('PutItem')).toBe(before + 1);
    expect(done).toEqual(['DynamoDB_20120810.PutItem']);
  });

  it('refuses connections, and takes them again at the same address', async () => {
    await proxy.set({ kind: 'refused' });
    await expect(call()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await proxy.set(null);
    expect((await call()).status).toBe(200);
  });

  it('breaks a call off before it is done, or after', async () => {
    await proxy.set({ kind: 'reset' });
    await expect(call()).rejects.toThrow('fetch failed');
    expect(done).toEqual([]);
    await proxy.set({ kind: 'swallowed' });
    await expect(call()).rejects.toThrow('fetch failed');
    expect(done).toEqual(['DynamoDB_20120810.PutItem']);
  });

  it('throttles as DynamoDB does', async () => {
    await proxy.set({ kind: 'throttled' });
    expect(await call()).toEqual({
      status: 400,
      body: {
        __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
        message: 'The level of configured provisioned throughput for the table was exceeded.',
      },
    });
    expect(done).toEqual([]);
  });

  it('meets the operations and the share of calls that it is told to', async () => {
    await proxy.set({ kind: 'throttled', operations: ['PutItem'], share: 0.5 });
    expect((await call('GetItem')).status).toBe(200);
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await call()).status));
    const throttled = statuses.filter((status) => status === 400).length;
    expect(throttled).toBeGreaterThan(30);
    expect(throttled).toBeLessThan(70);
  });
});
