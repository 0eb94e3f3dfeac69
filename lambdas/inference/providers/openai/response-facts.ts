/** What the log needs of an OpenAI-format answer, or of one chunk of it. */
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { isJsonObject, type JsonObject, objectOf, textOf } from '#lambdas/platform/json/json.ts';
import { addUsd, type Usd, usdFromNumber } from '#lambdas/platform/money.ts';
import { readOpenAiUsage } from '#lambdas/pricing/usage.ts';
import type { StatedCostField } from '../catalog.ts';
import { errorInsideAnswer, errorOf } from '../errors.ts';
import { type AnswerFacts, noFacts } from '../provider.ts';
export interface Asked {
  provider: string;
  model: string;
  statedCost: StatedCostField | null;
}

export function factsOfAnswer(answer: JsonObject, { statedCost }: Pick<Asked, 'statedCost'>): AnswerFacts {
  const reason = choicesOf(answer)
    .map(finishReasonOf)
    .find((said) => said !== null && statusOfFailure(said) === null);
  return {
    ...noFacts,
    ...usageFacts(answer, statedCost),
    responseModel: textOf(answer.model) || null,
    finishReason: reason == null ? null : loggedReason(reason),
  };
}

/** Usage stands in `usage`, in Groq's `x_groq.usage`, or (Moonshot) beside a choice. */
function usageFacts(
  answer: JsonObject,
  statedCost: StatedCostField | null,
): Pick<AnswerFacts, 'usage' | 'statedCostUsd'> {
  const places = [answer, answer.x_groq, ...choicesOf(answer)];
  for (const place of places) {
    const usage = isJsonObject(place) ? readOpenAiUsage(place.usage) : null;
    if (usage !== null && isJsonObject(place)) {
      return { usage, statedCostUsd: readStatedCost(place.usage, statedCost) };
    }
  }
  return { usage: null, statedCostUsd: null };
}

/**
 * An error in an answer with a status of 2xx: in place of the choices, in one of them (OpenRouter), under `x_groq`, or
 * in the word for how the answer ended.
 */
export function failureInside(answer: JsonObject, { provider, model }: Asked): GatewayError | null {
  const { x_groq: groq } = answer;
  const holders = [answer, ...(isJsonObject(groq) ? [{ error: groq.error }] : []), ...choicesOf(answer)];
  for (const holder of holders) {
    const failure = isJsonObject(holder) ? errorInsideAnswer(holder, { provider, model }) : null;
    if (failure !== null) return failure;
  }
  for (const reason of choicesOf(answer).map(finishReasonOf)) {
    const status = statusOfFailure(reason);
    const said = { message: `The provider ${provider} ended its answer with "${reason}"` };
    if (status !== null) return errorOf({ provider, model, status, said });
  }
  return null;
}

/** Whether a chunk holds usage and no piece of an answer: what OpenAI sends last when it is asked for usage. */
export function isUsageChunk(chunk: JsonObject): boolean {
  return choicesOf(chunk).length === 0 && isJsonObject(chunk.usage);
}

/** The choices that this chunk ends, by their index. */
export function finishedChoices(chunk: JsonObject): number[] {
  return choicesOf(chunk).flatMap((choice, place) => {
    if (finishReasonOf(choice) === null) return [];
    return [isJsonObject(choice) && typeof choice.index === 'number' ? choice.index : place];
  });
}

function choicesOf(answer: JsonObject): unknown[] {
  return Array.isArray(answer.choices) ? answer.choices : [];
}

function finishReasonOf(choice: unknown): string | null {
  return textOf(objectOf(choice).finish_reason) || null;
}

// Why an answer ended, in the words of OpenAI: https://platform.openai.com/docs/api-reference/chat/object

const openAiReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'];

/** What other providers say; a reason that nobody has heard of counts as `stop`. */
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

/** The answer did not end, it failed: OpenRouter and Mistral say `error`, DeepSeek that it had no room. */
const failures: ReadonlyMap<string, number> = new Map([
  ['error', 500],
  ['network_error', 502],
  ['insufficient_system_resource', 503],
]);

/** `null` when the reason is one of OpenAI's, else the one that is meant. */
export function translatedReason(reason: string): string | null {
  if (openAiReasons.includes(reason)) return null;
  return translations.get(reason.toLowerCase()) ?? 'stop';
}

/** As it goes into the log: a reason that nobody has heard of stays as it was said. */
export function loggedReason(reason: string): string {
  return translations.get(reason.toLowerCase()) ?? reason;
}

/** The HTTP status that stands for the failure; `null` when the answer just ended. */
export function statusOfFailure(reason: unknown): number | null {
  return typeof reason === 'string' ? (failures.get(reason) ?? null) : null;
}

// What a provider itself says that a request cost, in the `usage` of its answer.

/** `null` when it does not say. */
export function readStatedCost(usage: unknown, field: StatedCostField | null): Usd | null {
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
 * OpenRouter's credit is a dollar. With a key of one's own there, `cost` is the fee alone, and what the model's provider
 * takes stands beside it; without one both say the same money.
 * https://openrouter.ai/docs/use-cases/usage-accounting
 */
function costInCredits({ cost, is_byok: ownKey, cost_details: details }: JsonObject): Usd | null {
  const fee = readAmount(cost);
  if (ownKey !== true || fee === null) return fee;
  const upstream = readAmount(isJsonObject(details) ? details.upstream_inference_cost : null);
  return upstream === null ? null : addUsd(fee, upstream);
}

/** No request costs more; a number that is far larger has no plain decimal notation. */
const mostUsd = 1_000_000_000;

function readAmount(value: unknown): Usd | null {
  return typeof value === 'number' && value >= 0 && value <= mostUsd ? usdFromNumber(value) : null;
}

/** 10¹⁰ ticks make a dollar: https://docs.x.ai/developers/cost-tracking */
function costInTicks({ cost_in_usd_ticks: ticks }: JsonObject): Usd | null {
  if (typeof ticks !== 'number' || !Number.isSafeInteger(ticks) || ticks < 0) return null;
  const digits = String(ticks).padStart(11, '0');
  const fraction = digits.slice(-10).replace(/(?<!0)0+$/, '');
  return fraction === '' ? digits.slice(0, -10) : `${digits.slice(0, -10)}.${fraction}`;
}
