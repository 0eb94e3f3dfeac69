/**
 * How e-mail addresses are compared, wherever two of them meet: domains in their ASCII form (UTS 46), local parts without regard to
 * the case of ASCII letters. Tags, dots and all other characters count. Addresses are stored, shown and mailed as people write them.
 */

/** The longest path of an address in SMTP, without its brackets: https://www.rfc-editor.org/errata/eid1690 */
export const maxAddressLength = 254;

/** A URL would take more than a name: a port, percent-encoding, a path. It also drops tabs and line breaks. */
const urlSyntax = /[^a-z\d.\-\u0080-\u{10ffff}]/iu;

/** At least two labels, as in DNS. The top one begins with a letter, so that no IP address is a domain. */
const asciiDomainPattern = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/;
const maxDomainLength = 253;

/** Returns the form that DNS has, such as `xn--mller-kva.example` for `Müller.example`; `null` for text that is no domain. */
export function asciiDomain(domain: string): string | null {
  const host = `http://${domain}`;
  if (urlSyntax.test(domain) || !URL.canParse(host)) return null;
  const { hostname } = new URL(host);
  return hostname.length <= maxDomainLength && asciiDomainPattern.test(hostname) ? hostname : null;
}

/** Returns the ASCII form of the part after the last `@`, without a final dot. Empty if that is no domain. */
export function domainOf(address: string): string {
  return asciiDomain(splitAddress(address).domain) ?? '';
}

/** Returns the form that all spellings of an address share. Text that is no address only becomes ASCII lower case. */
export function canonicalAddress(address: string): string {
  const { localPart, domain } = splitAddress(address);
  return lowerCaseAscii(localPart) + (asciiDomain(domain) ?? lowerCaseAscii(domain));
}

export function isSameAddress(one: string, other: string): boolean {
  return canonicalAddress(one) === canonicalAddress(other);
}

/**
 * Returns the address as every mail server takes it, with the domain in ASCII. `null` if the local part is not ASCII, which needs
 * SMTPUTF8: https://docs.aws.amazon.com/ses/latest/APIReference/API_Destination.html
 */
export function smtpAddress(address: string): string | null {
  const { localPart, domain } = splitAddress(address);
  const ascii = asciiDomain(domain);
  return ascii !== null && /^[!-~]+$/.test(localPart) ? localPart + ascii : null;
}

/** `localPart` includes the `@`. A final dot of the domain says only that it is complete. */
function splitAddress(address: string): { localPart: string; domain: string } {
  const start = address.lastIndexOf('@') + 1 || address.length;
  return { localPart: address.slice(0, start), domain: address.slice(start).replace(/\.$/, '') };
}

/** Unlike `toLowerCase`, it makes no other letter an ASCII one, such as the Kelvin sign a `k`. */
function lowerCaseAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
