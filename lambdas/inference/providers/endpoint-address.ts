/** What kind of network a URL leads to, as far as its host says so. A name says nothing: who answers to it may change. */

export type EndpointReach = 'loopback' | 'link-local' | 'private' | 'public' | 'name';

/** `host` as `URL` gives it in `hostname`: there every way to write an address has become one. */
export function reachOfHost(host: string): EndpointReach {
  const text = host.replace(/\.$/, '');
  if (/^(.+\.)?localhost$/.test(text)) return 'loopback';
  if (text.startsWith('[')) return reachOfIpv6(text.slice(1, -1));
  return /^\d+(\.\d+){3}$/.test(text) ? reachOfIpv4(text.split('.').map(Number)) : 'name';
}

/** https://www.iana.org/assignments/iana-ipv4-special-registry: 100.64.0.0/10 is what clouds take when 10/8 is full. */
function reachOfIpv4([first = 0, second = 0]: number[]): EndpointReach {
  if (first === 127) return 'loopback';
  if (first === 169 && second === 254) return 'link-local';
  const isPrivate =
    first === 10 ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 100 && second >= 64 && second < 128);
  return isPrivate ? 'private' : 'public';
}

/**
 * https://www.iana.org/assignments/iana-ipv6-special-registry. AWS keeps fd00:ec2::/32 for services of an instance,
 * its credentials among them: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
 */
function reachOfIpv6(text: string): EndpointReach {
  const embedded = /^(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text);
  if (embedded !== null) return reachOfIpv4(embedded.slice(1).flatMap(bytesOfGroup));
  if (text === '::1') return 'loopback';
  if (/^fe[89ab]/.test(text) || text.startsWith('fd00:ec2:')) return 'link-local';
  return /^f[cd]/.test(text) ? 'private' : 'public';
}

function bytesOfGroup(group: string): number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}
