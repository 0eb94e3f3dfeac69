/** Extracts the facts for the log, and errors, from a completion or chunk in OpenAI's format. */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { addUsd, type Usd, usdFromNumber } from '#lambdas/platform/money.ts';
import { readOpenAiUsage } from '#lambdas/pricing/usage.ts';
import type { ReportedCostField } from '../catalog.ts';
import { findErrorInBody, toGatewayError } from '../errors.ts';
import { noFacts, type ResponseFacts } from '../provider.ts';

export interface ResponseOrigin {
  provider: string;
  model: string;
  reportedCost: ReportedCostField | null;
}

export function factsOf(
  response: JsonObject,
  { reportedCost }: Pick<ResponseOrigin, 'reportedCost'>,
): ResponseFacts {
  const reason = choicesOf(response)
    .map(finishReasonOf)
    .find((candidate) => candidate !== null && statusOfFailure(candidate) === null);
  return {
    ...noFacts,
    ...usageFacts(response, reportedCost),
    responseModel: stringOrEmpty(response.model) || null,
    finishReason: reason == null ? null : loggedReason(reason),
  };
}

/** Reads `usage`, Groq's `x_groq.usage`, or the usage in a choice (Moonshot). */
function usageFacts(
  response: JsonObject,
  reportedCost: ReportedCostField | null,
): Pick<ResponseFacts, 'usage' | 'reportedCostUsd'> {
  const candidates = [response, response.x_groq, ...choicesOf(response)];
  for (const parent of candidates) {
    const usage = isJsonObject(parent) ? readOpenAiUsage(parent.usage) : null;
    if (usage !== null && isJsonObject(parent)) {
      return { usage, reportedCostUsd: readReportedCost(parent.usage, reportedCost) };
    }
  }
  return { usage: null, reportedCostUsd: null };
}

/** Finds an error in a 2xx response: at the top level, in a choice (OpenRouter), in `x_groq`, or as a finish reason. */
export function findError(response: JsonObject, { provider, model }: ResponseOrigin): GatewayError | null {
  const { x_groq: groq } = response;
  const candidates = [
    response,
    ...(isJsonObject(groq) ? [{ error: groq.error }] : []),
    ...choicesOf(response),
  ];
  for (const parent of candidates) {
    const found = isJsonObject(parent) ? findErrorInBody(parent, { provider, model }) : null;
    if (found !== null) return found;
  }
  for (const reason of choicesOf(response).map(finishReasonOf)) {
    const status = statusOfFailure(reason);
    const error = { message: `The provider ${provider} ended its response with "${reason}"` };
    if (status !== null) return toGatewayError({ provider, model, status, error });
  }
  return null;
}

/** True for a chunk with usage and without choices, such as OpenAI's last one with `include_usage`. */
export function isUsageChunk(chunk: JsonObject): boolean {
  return choicesOf(chunk).length === 0 && isJsonObject(chunk.usage);
}

export function finishedChoices(chunk: JsonObject): number[] {
  return choicesOf(chunk).flatMap((choice, position) => {
    if (finishReasonOf(choice) === null) return [];
    return [isJsonObject(choice) && typeof choice.index === 'number' ? choice.index : position];
  });
}

function choicesOf(response: JsonObject): unknown[] {
  return Array.isArray(response.choices) ? response.choices : [];
}

function finishReasonOf(choice: unknown): string | null {
  return stringOrEmpty(objectOrEmpty(choice).finish_reason) || null;
}

/** https://platform.openai.com/docs/api-reference/chat/object */
const openAiReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'];

/** OpenAI's equivalents of other providers' finish reasons. An unknown reason counts as `stop`. */
const translations: ReadonlyMap<string, string> = new Map([
  // Together: https://docs.together.ai/reference/chat-completions-1
  ['eos', 'stop'],
  // Mistral: https://docs.mistral.ai/api/#tag/chat
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['safety', 'content_filter'],
  ['sensitive', 'content_filter'],
  ['tool_use', 'tool_calls'],
]);

/**
 * Finish reasons that report an error, and their HTTP status. OpenRouter and Mistral send `error`, DeepSeek
 * `insufficient_system_resource`.
 */
const failures: ReadonlyMap<string, number> = new Map([
  ['error', 500],
  ['network_error', 502],
  ['insufficient_system_resource', 503],
]);

/** Returns OpenAI's equivalent of a finish reason; `null` when the reason is already one of OpenAI's. */
export function normalizedReason(reason: string): string | null {
  if (openAiReasons.includes(reason)) return null;
  return translations.get(reason.toLowerCase()) ?? 'stop';
}

function loggedReason(reason: string): string {
  return translations.get(reason.toLowerCase()) ?? reason;
}

function statusOfFailure(reason: unknown): number | null {
  return typeof reason === 'string' ? (failures.get(reason) ?? null) : null;
}

export function readReportedCost(usage: unknown, field: ReportedCostField | null): Usd | null {
  if (!isJsonObject(usage)) return null;
  switch (field) {
    case null:
      return null;
    case 'cost':
      return costInCredits(usage);
    case 'cost_in_usd_ticks':
      return costInTicks(usage);
    default:
      return field satisfies never;
  }
}

/**
 * A credit of OpenRouter is one US dollar. With the account's own key for the upstream provider (BYOK), `cost` is only
 * OpenRouter's fee, to which the upstream cost is added; otherwise both fields contain the same amount.
 * https://openrouter.ai/docs/use-cases/usage-accounting
 */
function costInCredits({ cost, is_byok: ownKey, cost_details: details }: JsonObject): Usd | null {
  const fee = readAmount(cost);
  if (ownKey !== true || fee === null) return fee;
  const upstream = readAmount(isJsonObject(details) ? details.upstream_inference_cost : null);
  return upstream === null ? null : addUsd(fee, upstream);
}

/** A plausibility limit; JavaScript writes far larger numbers with an exponent. */
const maxUsd = 1_000_000_000;

function readAmount(value: unknown): Usd | null {
  return typeof value === 'number' && value >= 0 && value <= maxUsd ? usdFromNumber(value) : null;
}

/** A dollar has 10¹⁰ ticks: https://docs.x.ai/developers/cost-tracking */
function costInTicks({ cost_in_usd_ticks: ticks }: JsonObject): Usd | null {
  if (typeof ticks !== 'number' || !Number.isSafeInteger(ticks) || ticks < 0) return null;
  const digits = String(ticks).padStart(11, '0');
  const fraction = digits.slice(-10).replace(/(?<!0)0+$/, '');
  return fraction === '' ? digits.slice(0, -10) : `${digits.slice(0, -10)}.${fraction}`;
}
