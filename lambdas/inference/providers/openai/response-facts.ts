/** The facts that the log needs from an OpenAI-format response or chunk, and the errors that it can hold. */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, objectOf, textOf } from '#lambdas/platform/json/json.ts';
import { addUsd, type Usd, usdFromNumber } from '#lambdas/platform/money.ts';
import { readOpenAiUsage } from '#lambdas/pricing/usage.ts';
import type { ReportedCostField } from '../catalog.ts';
import { findErrorInBody, toGatewayError } from '../errors.ts';
import { noFacts, type ResponseFacts } from '../provider.ts';

/** Where a response comes from. */
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
    responseModel: textOf(response.model) || null,
    finishReason: reason == null ? null : loggedReason(reason),
  };
}

/** Usage is in `usage`, in Groq's `x_groq.usage`, or in a choice (Moonshot). */
function usageFacts(
  response: JsonObject,
  reportedCost: ReportedCostField | null,
): Pick<ResponseFacts, 'usage' | 'reportedCostUsd'> {
  const places = [response, response.x_groq, ...choicesOf(response)];
  for (const place of places) {
    const usage = isJsonObject(place) ? readOpenAiUsage(place.usage) : null;
    if (usage !== null && isJsonObject(place)) {
      return { usage, reportedCostUsd: readReportedCost(place.usage, reportedCost) };
    }
  }
  return { usage: null, reportedCostUsd: null };
}

/**
 * An error in a response with status 2xx: in place of the choices, in one of them (OpenRouter), under `x_groq`, or as a
 * finish reason.
 */
export function errorIn(response: JsonObject, { provider, model }: ResponseOrigin): GatewayError | null {
  const { x_groq: groq } = response;
  const holders = [response, ...(isJsonObject(groq) ? [{ error: groq.error }] : []), ...choicesOf(response)];
  for (const holder of holders) {
    const found = isJsonObject(holder) ? findErrorInBody(holder, { provider, model }) : null;
    if (found !== null) return found;
  }
  for (const reason of choicesOf(response).map(finishReasonOf)) {
    const status = statusOfFailure(reason);
    const error = { message: `The provider ${provider} ended its answer with "${reason}"` };
    if (status !== null) return toGatewayError({ provider, model, status, error });
  }
  return null;
}

/** Whether a chunk holds usage and no piece of the completion, as OpenAI's last one if usage was requested. */
export function isUsageChunk(chunk: JsonObject): boolean {
  return choicesOf(chunk).length === 0 && isJsonObject(chunk.usage);
}

/** The indexes of the choices that this chunk finishes. */
export function finishedChoices(chunk: JsonObject): number[] {
  return choicesOf(chunk).flatMap((choice, place) => {
    if (finishReasonOf(choice) === null) return [];
    return [isJsonObject(choice) && typeof choice.index === 'number' ? choice.index : place];
  });
}

function choicesOf(response: JsonObject): unknown[] {
  return Array.isArray(response.choices) ? response.choices : [];
}

function finishReasonOf(choice: unknown): string | null {
  return textOf(objectOf(choice).finish_reason) || null;
}

/** https://platform.openai.com/docs/api-reference/chat/object */
const openAiReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'];

/** The finish reasons of other providers; an unknown one counts as `stop`. */
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

/** Finish reasons of failures, with their HTTP status: `error` at OpenRouter and Mistral, lack of capacity at DeepSeek. */
const failures: ReadonlyMap<string, number> = new Map([
  ['error', 500],
  ['network_error', 502],
  ['insufficient_system_resource', 503],
]);

/** `null` for a reason of OpenAI's, otherwise OpenAI's equivalent. */
export function normalizedReason(reason: string): string | null {
  if (openAiReasons.includes(reason)) return null;
  return translations.get(reason.toLowerCase()) ?? 'stop';
}

/** The log keeps unknown reasons as they are. */
function loggedReason(reason: string): string {
  return translations.get(reason.toLowerCase()) ?? reason;
}

/** `null` for a reason that is no failure. */
function statusOfFailure(reason: unknown): number | null {
  return typeof reason === 'string' ? (failures.get(reason) ?? null) : null;
}

/** The cost that a provider states in `usage`; `null` if it states none. */
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
 * OpenRouter's credit is a dollar. With the account's own key for the model's provider, `cost` is OpenRouter's fee only
 * and the provider's cost comes on top; otherwise both fields state the same amount.
 * https://openrouter.ai/docs/use-cases/usage-accounting
 */
function costInCredits({ cost, is_byok: ownKey, cost_details: details }: JsonObject): Usd | null {
  const fee = readAmount(cost);
  if (ownKey !== true || fee === null) return fee;
  const upstream = readAmount(isJsonObject(details) ? details.upstream_inference_cost : null);
  return upstream === null ? null : addUsd(fee, upstream);
}

/** No request costs more; far larger numbers have no plain decimal notation. */
const maxUsd = 1_000_000_000;

function readAmount(value: unknown): Usd | null {
  return typeof value === 'number' && value >= 0 && value <= maxUsd ? usdFromNumber(value) : null;
}

/** 10¹⁰ ticks make a dollar: https://docs.x.ai/developers/cost-tracking */
function costInTicks({ cost_in_usd_ticks: ticks }: JsonObject): Usd | null {
  if (typeof ticks !== 'number' || !Number.isSafeInteger(ticks) || ticks < 0) return null;
  const digits = String(ticks).padStart(11, '0');
  const fraction = digits.slice(-10).replace(/(?<!0)0+$/, '');
  return fraction === '' ? digits.slice(0, -10) : `${digits.slice(0, -10)}.${fraction}`;
}
