/** Collects the facts for the log from the events of a stream, or from a whole response. */
import { readFinish } from '#lambdas/inference/completion/finish-reasons.ts';
import type { NativeContext } from '#lambdas/inference/providers/native/origin.ts';
import { readReportedCost } from '#lambdas/inference/providers/reported-cost.ts';
import { createUsageFrames } from '#lambdas/inference/providers/usage-frames.ts';
import { usageWarningsOf } from '#lambdas/inference/providers/usage-warnings.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { readOpenAiUsage, statedTotalOf } from '../usage.ts';
import { createOutputItems } from './output-items.ts';

interface FactsReader {
  /** Reads an event of a stream that is not the last one. */
  readEvent(type: string, event: JsonObject): void;
  /** Reads a whole response, which is also that of a stream's last event. */
  readFinal(response: JsonObject): void;
}

export function isResponse({ object, output }: JsonObject): boolean {
  return object === 'response' || Array.isArray(output);
}

export function createFactsReader({ origin, facts }: NativeContext): FactsReader {
  const frames = createUsageFrames();
  const items = createOutputItems();

  const readResponse = (response: JsonObject) => {
    facts.responseModel = stringOrEmpty(response.model) || facts.responseModel;
    facts.responseId ??= stringOrEmpty(response.id) || null;
    facts.serviceTier = stringOrEmpty(response.service_tier) || facts.serviceTier;
    if (!isJsonObject(response.usage)) return;
    frames.add(toChatUsage(response.usage));
    facts.usageWarnings = usageWarningsOf(frames, statedTotalOf(frames.usage));
    facts.reportedCostUsd = readReportedCost(frames.usage, origin.reportedCost) ?? facts.reportedCostUsd;
  };
  const addItem = (item: unknown, index: number) => {
    if (isJsonObject(item)) items.add(item, index);
  };
  const readCharges = () => {
    facts.unitCounts = items.unitCounts();
    facts.pricingGaps = items.gaps();
  };
  return {
    readEvent(type, { response, item, output_index: index }) {
      if (isJsonObject(response)) readResponse(response);
      else if (type === 'response.output_item.done') {
        addItem(item, Number(index));
        readCharges();
      }
    },
    readFinal(response) {
      readResponse(response);
      const { output } = response;
      if (Array.isArray(output)) output.forEach(addItem);
      items.readStated(response);
      readCharges();
      const usage = readOpenAiUsage(frames.usage);
      facts.usage = usage && { ...usage, ...facts.unitCounts };
      facts.finishReason = finishReasonOf(response, items.endsWithCalls());
      facts.kept = {
        id: stringOrEmpty(response.id),
        ...items.ids(),
        isStored: response.store !== false,
      };
    },
  };
}

/**
 * Returns the counts with the names of chat, which Fireworks uses here too.
 * https://platform.openai.com/docs/api-reference/responses/object
 */
function toChatUsage({
  input_tokens,
  output_tokens,
  input_tokens_details,
  output_tokens_details,
  ...others
}: JsonObject): JsonObject {
  return {
    ...others,
    ...(input_tokens !== undefined && { prompt_tokens: input_tokens }),
    ...(output_tokens !== undefined && { completion_tokens: output_tokens }),
    ...(input_tokens_details !== undefined && { prompt_tokens_details: input_tokens_details }),
    ...(output_tokens_details !== undefined && { completion_tokens_details: output_tokens_details }),
  };
}

/** In the words of the other operations, so that entries can be compared. */
function finishReasonOf(
  { status, incomplete_details: details }: JsonObject,
  endsWithCalls: boolean,
): string | null {
  const reason = stringOrEmpty(objectOrEmpty(details).reason);
  if (reason !== '') {
    const finish = readFinish(reason);
    return finish.kind === 'known' ? finish.reason : reason;
  }
  const word = stringOrEmpty(status);
  if (word === 'completed') return endsWithCalls ? 'tool_calls' : 'stop';
  return word === '' ? null : word;
}
