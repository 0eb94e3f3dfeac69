import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { type HttpListener, openLocalhostListener } from '#local/listeners/http-listener.ts';

const listeners: HttpListener[] = [];

afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close();
});

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => address?.address === '::1');

describe('openLocalhostListener', () => {
  it('serves localhost and both loopback addresses at the same port', async () => {
    const listener = await openLocalhostListener(0);
    listeners.push(listener);
    listener.serve((_, response) => response.end('served'));
    const addresses = ['localhost', '127.0.0.1', ...(hasIpv6 ? ['[::1]'] : [])];
    const bodies = await Promise.all(
      addresses.map(async (address) => (await fetch(`http://${address}:${listener.port}`)).text()),
    );

    expect(listener.origin).toBe(`http://localhost:${listener.port}`);
    expect(bodies).toEqual(addresses.map(() => 'served'));
  });

  it('reports a port that another program uses at one of the addresses, and frees the other', async () => {
    const other = createServer().listen(0, hasIpv6 ? '::1' : '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;

    await expect(openLocalhostListener(port)).rejects.toThrow(`Port ${port} is in use`);
    other.close();
    await once(other, 'close');
    listeners.push(await openLocalhostListener(port));
  });
});
