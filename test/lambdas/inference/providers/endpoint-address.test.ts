import { describe, expect, it } from 'vitest';
import { reachOfHost } from '#lambdas/inference/providers/endpoint-address.ts';

const reachOf = (address: string) => reachOfHost(new URL(`http://${address}/`).hostname);

describe('where a host leads to', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['0x7f.1', 'loopback'],
    ['[::1]', 'loopback'],
    ['[::ffff:127.0.0.1]', 'loopback'],
    ['localhost', 'loopback'],
    ['LOCALHOST.', 'loopback'],
    ['llm.localhost', 'loopback'],
    ['notlocalhost', 'name'],
    ['localhost.example.com', 'name'],
    ['llm.example.com', 'name'],
    ['1.2.3.example', 'name'],
    ['169.254.169.254', 'link-local'],
    ['2852039166', 'link-local'],
    ['0xa9.0xfe.0xa9.0xfe', 'link-local'],
    ['[::ffff:169.254.169.254]', 'link-local'],
    ['[64:ff9b::169.254.169.254]', 'link-local'],
    ['[fe80::1]', 'link-local'],
    ['[febf::1]', 'link-local'],
    ['[fec0::1]', 'public'],
    ['[fd00:ec2::254]', 'link-local'],
    ['[FD00:0EC2:0::254]', 'link-local'],
    ['[fd00:ec20::254]', 'private'],
    ['[fc00::1]', 'private'],
    ['[fdff::1]', 'private'],
    ['[fbff::1]', 'public'],
    ['[2001:db8::1]', 'public'],
    ['[::]', 'public'],
    ['10.0.0.5', 'private'],
    ['9.255.255.255', 'public'],
    ['11.0.0.0', 'public'],
    ['172.15.255.255', 'public'],
    ['172.16.0.0', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.0', 'public'],
    ['192.167.255.255', 'public'],
    ['192.168.0.1', 'private'],
    ['192.169.0.0', 'public'],
    ['100.63.255.255', 'public'],
    ['100.64.0.0', 'private'],
    ['100.127.255.255', 'private'],
    ['100.128.0.0', 'public'],
    ['169.253.255.255', 'public'],
    ['169.255.0.0', 'public'],
    ['0.0.0.0', 'public'],
    ['[::ffff:10.1.2.3]', 'private'],
    ['[::ffff:192.0.2.1]', 'public'],
  ])('%s: %s', (address, reach) => {
    expect(reachOf(address)).toBe(reach);
  });
});
