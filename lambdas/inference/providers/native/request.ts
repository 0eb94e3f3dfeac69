/** Reads a request that is forwarded in the caller's own format, which leaves most fields to the provider. */

import { bodyMembers, parseBody, readModel } from '#lambdas/inference/request-body.ts';
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { isAbsent } from '#lambdas/platform/json/fields.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { JsonMember } from '#lambdas/platform/json/members.ts';
import type { CallerRequest } from '../provider.ts';

export interface NativeRequest extends CallerRequest {
  readonly text: string;
  /** Parsed from `text`, for reading only: parsing rounds numbers that JavaScript cannot represent. */
  readonly body: JsonObject;
  /** The members of `text`, with duplicates. */
  readonly members: readonly JsonMember[];
  /** `<provider>/<model>`. */
  readonly model: string;
  /** The caller's names of what was left out; nothing by default. */
  readonly ignored?: readonly string[];
}

/** Throws a `GatewayError` (400) that names the invalid field. */
export function parseNativeRequest(text: string): NativeRequest {
  const body = parseBody(text);
  const model = readModel(body);
  const { stream } = body;
  if (!isAbsent(stream) && typeof stream !== 'boolean')
    throw invalidRequestError('stream', 'stream must be true or false');
  return { text, body, members: bodyMembers(text), model, stream: stream === true };
}
