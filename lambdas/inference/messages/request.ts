/** Reads a Messages request. https://platform.claude.com/docs/en/api/messages/create */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { type NativeRequest, parseNativeRequest } from '../providers/native/request.ts';

/** Leaves most fields to the provider. Throws a `GatewayError` (400) that names the invalid field. */
export function parseMessagesRequest(text: string): NativeRequest {
  const request = parseNativeRequest(text);
  if (!Array.isArray(request.body.messages))
    throw invalidRequestError('messages', 'messages must be an array of messages');
  return request;
}
