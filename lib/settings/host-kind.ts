/** Classifies the host of a URL by the network of its IP address. A host name can resolve to any network. */

import { BlockList, isIP } from 'node:net';

type HostKind = 'loopback' | 'link-local' | 'private' | 'public' | 'hostname';

/**
 * Networks from https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry. Private
 * cloud networks also use 100.64.0.0/10, when 10.0.0.0/8 is exhausted. AWS reserves fd00:ec2::/32, a part of fc00::/7,
 * for services local to an EC2 instance, such as the metadata service, which returns the instance's credentials:
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
 */
const networks = [
  ['loopback', blockList('127.0.0.0/8', '::1/128')],
  ['link-local', blockList('169.254.0.0/16', 'fe80::/10', 'fd00:ec2::/32')],
  ['private', blockList('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7')],
] as const;

/** `host` must be the `hostname` of a `URL`, which has normalized all notations of an IP address. */
export function classifyHost(host: string): HostKind {
  const address = host.replace(/\.$/, '').replace(/^\[|\]$/g, '');
  if (/^(.+\.)?localhost$/.test(address)) return 'loopback';
  const version = isIP(address);
  if (version === 0) return 'hostname';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return networks.find(([, network]) => network.check(address, family))?.[0] ?? 'public';
}

/** Adds the NAT64 form of IPv4 networks. `BlockList` matches their IPv4-mapped form by itself. */
function blockList(...subnets: string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6');
    if (isIP(network) === 4) list.addSubnet(`64:ff9b::${network}`, 96 + Number(prefix), 'ipv6');
  }
  return list;
}
