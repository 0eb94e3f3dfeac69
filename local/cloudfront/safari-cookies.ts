/**
 * Safari refuses `Secure` cookies, and therefore those with the prefix `__Host-`, over http, even on this machine
 * (https://bugs.webkit.org/show_bug.cgi?id=281149). For Safari alone, the local distribution changes them on their way
 * to the browser and back. Other browsers treat the loopback addresses like https.
 */

const prefix = '__Host-';

/** Replaces `__Host-`; browsers have no rules for it. */
const safariPrefix = 'Host-';

export function isSafari(userAgent: string | undefined): boolean {
  return /Safari\//.test(userAgent ?? '') && !/Chrome|Chromium|CriOS|FxiOS|Edg/.test(userAgent ?? '');
}

/** Changes the value of a `Set-Cookie` header. */
export function toSafariCookie(setCookie: string): string {
  const [pair = '', ...attributes] = setCookie.split(';');
  const others = attributes.filter((attribute) => attribute.trim().toLowerCase() !== 'secure');
  const name = pair.startsWith(prefix) ? `${safariPrefix}${pair.slice(prefix.length)}` : pair;
  return [name, ...others].join(';');
}

/** Changes the value of a `Cookie` header. */
export function fromSafariCookies(cookie: string): string {
  return cookie
    .split(/;\s*/)
    .map((pair) => (pair.startsWith(safariPrefix) ? `${prefix}${pair.slice(safariPrefix.length)}` : pair))
    .join('; ');
}
