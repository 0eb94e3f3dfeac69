/** Fields that several request bodies have. */
import * as z from 'zod/mini';
import { asciiDomain, canonicalAddress, maxAddressLength } from '../email-address.ts';

/**
 * Neither control characters nor line breaks, so that a name is one line wherever it is shown, nor characters that are invisible
 * or change the direction of the text, so that no name looks like another one. The zero-width joiner is part of emojis.
 */
const namePattern = /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]|\u200D){1,100}$/u;
const visiblePattern = /[\p{L}\p{N}\p{P}\p{S}]/u;
const nameError = { error: 'The name must have 1 to 100 characters, all printable' };

/** The name of a user, an organization or a key. Becomes NFC, with single spaces. */
export const nameField = z.string({ error: 'name must be text' }).check(
  z.overwrite((name) =>
    name
      .trim()
      .replaceAll(/\p{Zs}+/gu, ' ')
      .normalize('NFC'),
  ),
  z.regex(namePattern, nameError),
  z.regex(visiblePattern, nameError),
);

const addressPattern = /^[^\s@]+@[^\s@]+$/;
/** One address for every mail program: no list of addresses, no display name or comment, and nothing invisible. */
const addressCharacters = /^[^\p{C}\u115F\u1160\u2800\u3164\uFFA0<>()[\],;:"\\]+$/u;
const addressError = { error: 'email must be one address, such as name@example.com' };
const lengthError = { error: `email must have at most ${maxAddressLength} characters` };

/** Stays as it is written, without surrounding spaces. Its domain has an ASCII form. */
export const emailField = z.string({ error: 'email must be text' }).check(
  z.trim(),
  z.maxLength(maxAddressLength, lengthError),
  z.regex(addressPattern, addressError),
  z.regex(addressCharacters, addressError),
  z.refine((address) => asciiDomain(address.slice(address.lastIndexOf('@') + 1)) !== null, addressError),
  z.refine((address) => canonicalAddress(address).length <= maxAddressLength, lengthError),
);

const timeZonePattern = /^[A-Za-z]\w*(?:[+-]\w+)*(?:\/\w+(?:[+-]\w+)*){0,2}$/;
const timeZoneError = { error: 'time_zone must be an IANA time zone, such as Europe/Berlin, or null' };

/** A name of the IANA time zone database that this runtime knows, in any case; `null` for none. */
export const timeZoneField = z.nullable(
  z.string(timeZoneError).check(
    z.maxLength(64, timeZoneError),
    z.regex(timeZonePattern, timeZoneError),
    z.refine((name) => canonicalTimeZone(name) !== null, timeZoneError),
    z.overwrite((name) => canonicalTimeZone(name) ?? name),
  ),
);

/** An alias, such as Asia/Kolkata, stays as it is: its canonical name may be the older one. `null` for an unknown name. */
function canonicalTimeZone(name: string): string | null {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return timeZone === 'UTC' || timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
