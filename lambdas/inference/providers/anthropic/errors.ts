/** Converts Anthropic's errors in responses and streams. https://platform.claude.com/docs/en/api/errors */
import type {
  CompletionRequest,
  ParameterName,
  ParameterNames,
} from '#lambdas/inference/completion/request.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { parseProviderError } from '../error-body.ts';
import { statusInBody } from '../error-status.ts';
import { toGatewayError } from '../errors.ts';
import type { ResponseHeaders } from '../http/client.ts';
import { firstGiven, namesGiven } from '../translation/error-param.ts';

interface MessagesFailure {
  provider: string;
  model: string;
  /** `null` for a caller whose format has no parameter to name. */
  request: CompletionRequest | null;
  body: JsonObject | null;
  /** Undefined in a stream, where the error type implies it. */
  status?: number;
  headers?: ResponseHeaders;
}

/** Anthropic reports an exhausted account with status 400, which is treated as 402 since the request is valid. */
const emptyAccount = /^your credit balance is too low/i;

export function messagesError({
  provider,
  model,
  request,
  body,
  status,
  headers,
}: MessagesFailure): GatewayError {
  const error = parseProviderError(body);
  const errorStatus = status ?? (body === null ? null : statusInBody(body)) ?? 500;
  const param =
    error === null || request === null || errorStatus !== 400 ? null : findParam(error.message, request);
  return toGatewayError({
    provider,
    model,
    status: error !== null && emptyAccount.test(error.message) ? 402 : errorStatus,
    error: error && { ...error, ...(param !== null && { param }) },
    ...(request !== null && { promptParam: request.names.messages }),
    ...(headers !== undefined && { headers }),
  });
}

type Target = ParameterName | ((part: string, names: ParameterNames) => string);

const targetsByMessage: readonly [RegExp, Target][] = [
  [/^`?max_tokens/, 'maxTokens'],
  [/^`?temperature/, 'temperature'],
  [/^`?top_p/, 'topP'],
  [/^`?top_k/, 'topK'],
  [/^stop_sequences/, 'stop'],
  [/^`?tool_choice|tool_choice forces/, 'toolChoice'],
  [/^tools\.(\d+)/, (position, { tools }) => `${tools}[${position}]`],
  [/^tools\b/, 'tools'],
  [/^(system|messages)\b/, 'messages'],
  [/^output_config\.format\.schema/, 'responseSchema'],
  [/^'?output_config\.format/, 'responseFormat'],
  [/^output_config\.effort|the effort parameter/, 'reasoningEffort'],
  [/^"?thinking|adaptive thinking/, 'reasoningEffort'],
  [/^metadata\.user_id/, 'user'],
  [/^([\w.]+): extra inputs are not permitted/i, (field) => field],
];

/** Fields in Anthropic's format that the caller may have used instead. */
const anthropicFields: Partial<Record<ParameterName, readonly string[]>> = {
  reasoningEffort: ['thinking', 'output_config'],
  responseFormat: ['output_config'],
  user: ['metadata'],
};

function findParam(message: string, request: CompletionRequest): string | null {
  for (const [pattern, target] of targetsByMessage) {
    const match = pattern.exec(message);
    if (match === null) continue;
    if (typeof target === 'function') return target(match[1] ?? '', request.names);
    const given = namesGiven(request, target).at(-1) ?? firstGiven(request, anthropicFields[target] ?? []);
    return given ?? request.names[target];
  }
  return null;
}
