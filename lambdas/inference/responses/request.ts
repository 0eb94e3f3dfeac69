/** Reads a Responses request. https://platform.openai.com/docs/api-reference/responses/create */
import { GatewayError, invalidRequestError } from '#lambdas/platform/errors.ts';
import { isAbsent } from '#lambdas/platform/json/fields.ts';
import { foldCase } from '#lambdas/platform/json/loose-json.ts';
import { type NativeRequest, parseNativeRequest } from '../providers/native/request.ts';

/** Leaves most fields to the provider. Throws a `GatewayError` (400) that names the invalid field. */
export function parseResponsesRequest(text: string): NativeRequest {
  const request = parseNativeRequest(text);
  const { input } = request.body;
  if (!isAbsent(input) && typeof input !== 'string' && !Array.isArray(input))
    throw invalidRequestError('input', 'input must be a string or an array of items');
  if (asksForBackground(request)) throw backgroundError();
  return request;
}

/** In any letter case and with duplicates: the provider may read any of them. */
function asksForBackground({ text, members }: NativeRequest): boolean {
  const values = members.filter(({ key }) => foldCase(key) === 'background');
  return values.some(({ start, end }) => !['false', 'null'].includes(text.slice(start, end)));
}

function backgroundError(): GatewayError {
  return new GatewayError('unsupported_parameter', {
    param: 'background',
    message:
      'background is not supported: the result of a background response, and its usage, come with a later retrieval, which the gateway does not serve. Send the request without background, with stream for long responses.',
  });
}
