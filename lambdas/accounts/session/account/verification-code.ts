import * as z from 'zod/mini';

/** The body of requests that verify a code, from an e-mail or an authenticator app. */
export const verificationCode = z.strictObject({
  code: z
    .string({ error: 'code must be text' })
    .check(z.regex(/^\d{6}$/, { error: 'code must have 6 digits' })),
});
