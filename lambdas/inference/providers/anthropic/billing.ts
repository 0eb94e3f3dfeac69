/** Reads everything that determines the price of a message from the events of its stream. */
import { type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { type BilledParts, totalUsage } from '#lambdas/pricing/usage.ts';
import type { BillingFacts } from '../provider.ts';
import type { CompletionSink } from '../translation/sink.ts';
import { mergeUsageFrames } from '../usage-frames.ts';
import { type BilledMessage, listBilledParts, type RefusalCategory } from './billed-parts.ts';
import { createCodeExecutionReader } from './code-execution.ts';
import { readUsage } from './usage.ts';

export interface BillingReader {
  read(event: JsonObject): void;
}

interface MessageState extends Omit<BilledMessage, 'usage'> {
  usage: JsonObject;
  declines: Map<string, RefusalCategory>;
  /** True when the model that serves the message, so far, has written content. */
  hasOutput: boolean;
}

export function createBillingReader(sink: CompletionSink, requestedModel: string): BillingReader {
  const codeExecution = createCodeExecutionReader();
  const message: MessageState = {
    requestedModel,
    responseModel: requestedModel,
    usage: {},
    declines: new Map(),
    hasOutput: false,
    refusal: null,
  };
  return {
    read(event) {
      switch (event.type) {
        case 'message_start': {
          const { model, usage, container } = objectOrEmpty(event.message);
          message.responseModel = stringOrEmpty(model) || requestedModel;
          message.usage = mergeUsage(message.usage, usage);
          codeExecution.readContainer(container);
          sink.billing({ ...readFacts(message), pricingGaps: codeExecution.gaps() });
          break;
        }
        case 'content_block_start': {
          const block = objectOrEmpty(event.content_block);
          readBlock(message, block);
          codeExecution.readBlock(block);
          sink.billing({ pricingGaps: codeExecution.gaps() });
          break;
        }
        case 'message_delta': {
          const { stop_reason, stop_details, container } = objectOrEmpty(event.delta);
          if (stop_reason === 'refusal' && !message.hasOutput)
            message.refusal = stringOrEmpty(objectOrEmpty(stop_details).category);
          message.usage = mergeUsage(message.usage, event.usage);
          codeExecution.readContainer(container);
          sink.billing({ ...readFacts(message), pricingGaps: codeExecution.gaps() });
        }
      }
    },
  };
}

/** A `fallback` block follows the content of a model that declined. A summary is not content of the message. */
function readBlock(message: MessageState, { type, from, to, trigger }: JsonObject): void {
  if (type === 'compaction') return;
  message.hasOutput = type !== 'fallback';
  if (type !== 'fallback') return;
  const declinedModel = stringOrEmpty(objectOrEmpty(from).model);
  message.declines.set(declinedModel, stringOrEmpty(objectOrEmpty(trigger).category));
  message.responseModel = stringOrEmpty(objectOrEmpty(to).model) || message.responseModel;
}

/**
 * The counts of a frame that lists the rounds are the totals, also those that are 0: the start of the message has the counts
 * of the first round only.
 */
function mergeUsage(earlier: JsonObject, later: unknown): JsonObject {
  const merged = mergeUsageFrames(earlier, later);
  const { iterations, ...counts } = objectOrEmpty(later);
  if (!Array.isArray(iterations)) return merged;
  const counted = Object.entries(counts).filter(([, value]) => value !== null);
  return { ...merged, ...Object.fromEntries(counted) };
}

/** When nothing is billed, the usage is reported at no cost. */
function readFacts(message: MessageState): Partial<BillingFacts> {
  const { service_tier, speed, inference_geo } = message.usage;
  const usage = readUsage(message.usage);
  const [first, ...others] = listBilledParts({ ...message, usage });
  const context = {
    serviceTier: stringOrEmpty(service_tier) || null,
    speed: stringOrEmpty(speed) || null,
    inferenceGeo: stringOrEmpty(inference_geo) || null,
  };
  if (first === undefined) {
    const isFree = usage.totals !== null || message.refusal !== null;
    return { ...context, usage: usage.totals, billedParts: null, reportedCostUsd: isFree ? '0' : null };
  }
  const parts: BilledParts = [first, ...others];
  return {
    ...context,
    usage: totalUsage(parts),
    billedParts: others.length === 0 && first.model === null ? null : parts,
    reportedCostUsd: null,
  };
}
