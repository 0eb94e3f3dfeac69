/** Schemas of domains and e-mail addresses. They become the form in which they are compared: ASCII in lower case. */

import { z } from 'zod';
import { asciiDomain, canonicalAddress } from '#lambdas/accounts/email-address.ts';
import { messageWithInput } from './validation.ts';

/** Patterns for editors, which know no more than JSON Schema. The checks that follow are exact. */
const domainText = /^[^\s@/:]+$/;
const addressText = /^[^\s@]+@[^\s@/:]+$/;
const addressOrDomainText = /^(?:[^\s@]+@)?[^\s@/:]+$/;

/** The characters that RFC 5322 allows without quotes. */
const localPartPattern = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@/;

export function domain() {
  return z
    .string(messageWithInput('must be a domain, such as gateway.acme.example'))
    .regex(domainText, { abort: true })
    .overwrite((text) => asciiDomain(text) ?? text)
    .refine(isDomain);
}

export function emailAddress() {
  return z
    .string(messageWithInput('must be an e-mail address, such as gateway@acme.example'))
    .regex(addressText, { abort: true })
    .overwrite(canonicalAddress)
    .refine(isEmailAddress);
}

/** An address, or the domain of addresses. */
export function emailAddressOrDomain() {
  return z
    .string(messageWithInput('must be an e-mail address or a domain, such as acme.example'))
    .regex(addressOrDomainText, { abort: true })
    .overwrite((text) => asciiDomain(text) ?? canonicalAddress(text))
    .refine((text) => isDomain(text) || isEmailAddress(text));
}

function isDomain(text: string): boolean {
  return asciiDomain(text) === text;
}

/** The length of the whole address is not checked. */
function isEmailAddress(text: string): boolean {
  const [start = ''] = localPartPattern.exec(text) ?? [];
  return start !== '' && isDomain(text.slice(start.length));
}
