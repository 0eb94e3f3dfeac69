/** Schemas of domains and e-mail addresses, which are compared in lower case. */

import { z } from 'zod';
import { messageWithInput } from './validation.ts';

/** A host name of at least two labels. The length of an address with such a domain is not checked further. */
export const domainPattern = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/;

/** The characters that RFC 5322 allows without quotes. */
const localPartPattern = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@/;

export const emailAddressPattern = new RegExp(localPartPattern.source + domainPattern.source.slice(1));

export function domain() {
  return z
    .string(messageWithInput('must be a domain, such as gateway.acme.example'))
    .toLowerCase()
    .max(253)
    .regex(domainPattern);
}

export function emailAddress() {
  return z
    .string(messageWithInput('must be an e-mail address, such as gateway@acme.example'))
    .toLowerCase()
    .regex(emailAddressPattern);
}
