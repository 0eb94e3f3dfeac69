/** Fields that several request bodies have. */
import * as z from 'zod/mini';

/** Neither control characters nor line breaks, so that a name is one line wherever it is shown. */
const namePattern = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,100}$/u;

/** The name of a user, an organization or a key. */
export const nameField = z
  .string({ error: 'name must be text' })
  .check(z.trim(), z.regex(namePattern, { error: 'name must have 1 to 100 characters, all printable' }));

/** The limit of SMTP: https://www.rfc-editor.org/errata/eid1690 */
const maxAddressLength = 254;
const addressPattern = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

/** Becomes lower case. */
export const emailField = z
  .string({ error: 'email must be text' })
  .check(
    z.trim(),
    z.toLowerCase(),
    z.maxLength(maxAddressLength, { error: `email must have at most ${maxAddressLength} characters` }),
    z.regex(addressPattern, { error: 'email must be an address, such as name@example.com' }),
  );
