/** Converts Anthropic's errors in responses and streams. https://platform.claude.com/docs/en/api/errors */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { parseProviderError } from '../error-body.ts';
import { statusInBody } from '../error-status.ts';
import { toGatewayError } from '../errors.ts';
import type { ResponseHeaders } from '../http/client.ts';
import type { ProviderCall } from '../provider.ts';

interface MessagesFailure {
  provider: string;
  call: ProviderCall;
  body: JsonObject | null;
  /** Undefined in a stream, where the error type implies it. */
  status?: number;
  headers?: ResponseHeaders;
}

export function messagesError({ provider, call, body, status, headers }: MessagesFailure): GatewayError {
  const error = parseProviderError(body);
  const errorStatus = status ?? (body === null ? null : statusInBody(body)) ?? 500;
  const param = error === null || errorStatus !== 400 ? null : findParam(error.message, call.request.body);
  return toGatewayError({
    provider,
    model: call.model,
    status: error !== null && emptyAccount.test(error.message) ? 402 : errorStatus,
    error: error && { ...error, ...(param !== null && { param }) },
    ...(headers !== undefined && { headers }),
  });
}

/** Anthropic reports an exhausted account with status 400, which is treated as 402 since the request is valid. */
const emptyAccount = /^your credit balance is too low/i;

const paramsByMessage: readonly [RegExp, string][] = [
  [/^`?max_tokens/, 'max_tokens'],
  [/^`?(temperature|top_p|top_k)/, '$1'],
  [/^stop_sequences/, 'stop'],
  [/^`?tool_choice|tool_choice forces/, 'tool_choice'],
  [/^tools\.(\d+)/, 'tools[$1]'],
  [/^tools\b/, 'tools'],
  [/^(system|messages)\b/, 'messages'],
  [/^output_config\.format\.schema/, 'response_format.json_schema.schema'],
  [/^'?output_config\.format/, 'response_format'],
  [/^output_config\.effort|the effort parameter/, 'reasoning_effort'],
  [/^"?thinking|adaptive thinking/, 'reasoning_effort'],
  [/^metadata\.user_id/, 'user'],
  [/^([\w.]+): extra inputs are not permitted/i, '$1'],
];

/** Alternatives that the caller may have used: Anthropic's field, or another parameter of OpenAI's. */
const alternativeNames: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ['max_completion_tokens'],
  reasoning_effort: ['thinking', 'output_config'],
  response_format: ['output_config'],
  user: ['safety_identifier', 'metadata'],
};

function findParam(message: string, body: JsonObject): string | null {
  for (const [pattern, name] of paramsByMessage) {
    const match = pattern.exec(message);
    if (match === null) continue;
    const param = name.replace('$1', match[1] ?? '');
    if (body[param] !== undefined) return param;
    return alternativeNames[param]?.find((name) => body[name] !== undefined) ?? param;
  }
  return null;
}
