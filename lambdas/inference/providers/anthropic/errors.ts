/** What Anthropic says of a request that failed. https://platform.claude.com/docs/en/api/errors */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { readSaidError, statusInside } from '../error-body.ts';
import { errorOf } from '../errors.ts';
import type { ProviderCall } from '../provider.ts';

export interface MessagesFailure {
  provider: string;
  call: ProviderCall;
  /** `null` when the body is none of the API's. */
  body: JsonObject | null;
  /** `undefined` inside a stream, where the kind of error stands for it. */
  status?: number;
  retryAfter?: string | undefined;
}

/** The gateway's account is empty, which is nothing that the caller's request could mend: as if it were a 402. */
const emptyAccount = /^your credit balance is too low/i;

export function messagesError({ provider, call, body, status, retryAfter }: MessagesFailure): GatewayError {
  const said = readSaidError(body);
  const ownStatus = status ?? (body === null ? null : statusInside(body)) ?? 500;
  const param = said === null || ownStatus !== 400 ? null : paramOf(said.message, call.request.body);
  return errorOf({
    provider,
    model: call.model,
    status: said !== null && emptyAccount.test(said.message) ? 402 : ownStatus,
    said: said && { ...said, ...(param !== null && { param }) },
    retryAfter,
  });
}

/** What the caller wrote where the message speaks of Anthropic's field; the first that fits. */
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

/** Where the caller used Anthropic's own word, or another of OpenAI's for the same, that is the one. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ['max_completion_tokens'],
  reasoning_effort: ['thinking', 'output_config'],
  response_format: ['output_config'],
  user: ['safety_identifier', 'metadata'],
};

function paramOf(message: string, body: JsonObject): string | null {
  for (const [pattern, name] of paramsByMessage) {
    const match = pattern.exec(message);
    if (match === null) continue;
    const param = name.replace('$1', match[1] ?? '');
    if (body[param] !== undefined) return param;
    return otherNames[param]?.find((other) => body[other] !== undefined) ?? param;
  }
  return null;
}
