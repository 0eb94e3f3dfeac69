import type { APIGatewayProxyEvent } from 'aws-lambda';

/** The prefix makes browsers require `Secure` and `Path=/` and refuse `Domain`: no other host can set the cookie. */
type CookieName = `__Host-${string}`;

interface CookieOptions {
  sameSite: 'Strict' | 'Lax';
  maxAgeSeconds: number;
}

export function setCookie(
  name: CookieName,
  value: string,
  { sameSite, maxAgeSeconds }: CookieOptions,
): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; Secure; SameSite=${sameSite}`;
}

export function clearCookie(name: CookieName, sameSite: CookieOptions['sameSite']): string {
  return setCookie(name, '', { sameSite, maxAgeSeconds: 0 });
}

type HeaderFields = Pick<APIGatewayProxyEvent, 'headers' | 'multiValueHeaders'>;

/**
 * Reads each header line by itself: if they were joined by commas, the value of another cookie could contain ours. A name
 * that occurs with two values is left out.
 */
export function readCookies({ headers, multiValueHeaders }: HeaderFields): ReadonlyMap<string, string> {
  const multiple = Object.entries(multiValueHeaders ?? {});
  const lines = (multiple.length > 0 ? multiple : Object.entries(headers ?? {}))
    .filter(([name]) => name.toLowerCase() === 'cookie')
    .flatMap(([, values]) => values ?? []);
  const cookies = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const pair of lines.flatMap((line) => line.split(';'))) {
    const equalsAt = pair.indexOf('=');
    // Browsers apply the rules of the prefix only to the exact name, so nothing may become it here.
    if (equalsAt === -1) continue;
    const name = pair.slice(0, equalsAt).replace(/^ /, '');
    const value = pair.slice(equalsAt + 1);
    if (cookies.has(name) && cookies.get(name) !== value) ambiguous.add(name);
    cookies.set(name, value);
  }
  for (const name of ambiguous) cookies.delete(name);
  return cookies;
}
