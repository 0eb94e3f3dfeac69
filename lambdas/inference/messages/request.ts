/** Reads a Messages request. https://platform.claude.com/docs/en/api/messages/create */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { isAbsent } from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { CallerRequest } from '../providers/provider.ts';
import { parseBody, readModel } from '../request-body.ts';

export interface MessagesRequest extends CallerRequest {
  readonly text: string;
  /** Parsed from `text`, for reading only: parsing rounds numbers that JavaScript cannot represent. */
  readonly body: JsonObject;
  /** `<provider>/<model>`. */
  readonly model: string;
}

/** Leaves the other fields to the provider. Throws a `GatewayError` (400) that names the invalid field. */
export function parseMessagesRequest(text: string): MessagesRequest {
  const body = parseBody(text);
  const model = readModel(body);
  const { messages, stream } = body;
  if (!Array.isArray(messages))
    throw invalidRequestError('messages', 'messages must be an array of messages');
  if (!isAbsent(stream) && typeof stream !== 'boolean')
    throw invalidRequestError('stream', 'stream must be true or false');
  return { text, body, model, stream: stream === true };
}
