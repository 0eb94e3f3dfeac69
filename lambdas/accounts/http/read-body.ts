import type * as z from 'zod/mini';
import { GatewayError, invalidRequest } from '#lambdas/platform/errors.ts';
import { type HttpRequest, readBodyText } from '#lambdas/platform/http/request.ts';
import { parseJsonObject } from '#lambdas/platform/json/json.ts';

const maxBodyBytes = 8192;

/** Throws a `GatewayError` (400, 413 or 415) that names the field. */
export async function readBody<Schema extends z.ZodMiniType>(
  request: HttpRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await readBodyText(request);
  if (Buffer.byteLength(text) > maxBodyBytes) {
    const message = `The request body must have at most ${maxBodyBytes} bytes`;
    throw new GatewayError('request_too_large', { param: 'body', message });
  }
  const body = parseJsonObject(text);
  if (body === null) throw invalidRequest('body', 'The request body must be a JSON object');
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const [field = 'body'] = issue.keys;
    throw invalidRequest(field, `${field} is not a field of this request`);
  }
  // The innermost name: the positions in lists are numbers.
  const field = issue?.path.findLast((part) => typeof part === 'string') ?? 'body';
  throw invalidRequest(field, issue?.message ?? 'The request body is not valid');
}
