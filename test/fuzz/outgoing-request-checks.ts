import type { OutgoingRequest } from '#lambdas/inference/providers/http/client.ts';
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';

const allowedHeaders = new Set([
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

export function outgoingRequestProblems({ url, headers, body }: OutgoingRequest): string[] {
  return [
    ...(url.host === '127.0.0.1:1' ? [] : [`the request goes to ${url}`]),
    ...(/^\/(chat\/completions|messages|(models|tunedModels)\/[^/]+|model\/[^/]+\/converse(-stream)?)$/.test(
      url.pathname,
    )
      ? []
      : [`the request goes to ${url.pathname}`]),
    ...(isJsonObject(parseJson(body)) ? [] : ['the body is not a JSON object']),
    ...Object.entries(headers).flatMap(([name, value]) =>
      allowedHeaders.has(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
        ? []
        : [`unexpected header ${name}: ${value}`],
    ),
    ...(/pt_live_/.test(JSON.stringify([url, headers, body]))
      ? ["the request contains the caller's key"]
      : []),
  ];
}
