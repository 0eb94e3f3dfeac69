/** What holds of every request to a provider, whatever the caller sent. */

import type { OutgoingRequest } from '#lambdas/inference/providers/http/client.ts';
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';

const allowed = new Set([
  'accept',
  'accept-encoding',
  'amz-sdk-invocation-id',
  'amz-sdk-request',
  'anthropic-beta',
  'anthropic-version',
  'api-key',
  'authorization',
  'content-type',
  'host',
  'openai-beta',
  'user-agent',
  'x-amz-user-agent',
  'x-api-key',
  'x-goog-api-key',
]);

/** What is wrong with it; empty when nothing is. */
export function outgoingProblems({ url, headers, body }: OutgoingRequest): string[] {
  return [
    ...(url.host === '127.0.0.1:1' ? [] : [`it goes to ${url}`]),
    ...(/^\/(chat\/completions|messages|(models|tunedModels)\/[^/]+|model\/[^/]+\/converse(-stream)?)$/.test(
      url.pathname,
    )
      ? []
      : [`it goes to ${url.pathname}`]),
    ...(isJsonObject(parseJson(body)) ? [] : ['its body is no JSON object']),
    ...Object.entries(headers).flatMap(([name, value]) =>
      allowed.has(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? [] : [`the header ${name}: ${value}`],
    ),
    ...(/pt_live_/.test(JSON.stringify([url, headers, body])) ? ["the caller's key leaves"] : []),
  ];
}
