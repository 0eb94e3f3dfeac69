import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { readBody } from '#lambdas/accounts/http/request.ts';

const schema = z.strictObject({
  budget: z.strictObject({ amount_usd: z.string({ error: 'amount_usd must be text' }) }),
  tags: z.optional(z.array(z.string({ error: 'tags must be text' }))),
});

describe('readBody', () => {
  it.each([
    [{ budget: { amount_usd: 7 } }, 'amount_usd', 'amount_usd must be text'],
    [{ budget: { amount_usd: '7', x: 1 } }, 'x', 'x is not a field of this request'],
    [{ budget: { amount_usd: '7' }, tags: [7] }, 'tags', 'tags must be text'],
    [[], 'body', 'The request body must be a JSON object'],
  ])('names the innermost field of %j', async (body, param, message) => {
    const request = {
      method: 'POST',
      path: '/',
      headers: {},
      readQuery: () => ({}),
      readBody: () => JSON.stringify(body),
    };
    await expect(readBody(request, schema)).rejects.toMatchObject({ param, message });
  });
});
