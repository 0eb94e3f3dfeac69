/** Reads everything that determines the price of a message from the events of its stream. */
import type { BillingFacts } from '#lambdas/inference/completion/facts.ts';
import type { CompletionSink } from '#lambdas/inference/completion/sink.ts';
import { type JsonObject, numberOr, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { type BilledParts, totalUsage } from '#lambdas/pricing/usage.ts';
import { createUsageFrames, type UsageFrames } from '../usage-frames.ts';
import { usageWarningsOf } from '../usage-warnings.ts';
import { type BilledMessage, listBilledParts, type RefusalCategory } from './billed-parts.ts';
import { createCodeExecutionReader } from './code-execution.ts';
import { readUsage } from './usage.ts';

interface BillingReader {
  read(event: JsonObject): void;
}

interface MessageState extends Omit<BilledMessage, 'usage'> {
  frames: UsageFrames;
  declines: Map<string, RefusalCategory>;
  /** True when the model that serves the message, so far, has written content. */
  hasOutput: boolean;
}

export function createBillingReader(
  sink: Pick<CompletionSink, 'billing'>,
  requestedModel: string,
): BillingReader {
  const codeExecution = createCodeExecutionReader();
  const message: MessageState = {
    requestedModel,
    responseModel: requestedModel,
    frames: createUsageFrames(),
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
          message.frames.add(usage);
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
          addUsageOfDelta(message.frames, objectOrEmpty(event.usage));
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

const inputNames = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/**
 * The counts of a frame that lists the rounds are the totals, also those that are lower or 0: the start of the message has
 * the counts of the first round only. The end may also split the input that the start counts as a whole, as at Kimi and Qwen:
 * https://github.com/maximhq/bifrost/pull/5355
 */
function addUsageOfDelta(frames: UsageFrames, usage: JsonObject): void {
  const { iterations, ...totals } = usage;
  if (Array.isArray(iterations)) frames.replace(withoutNulls(totals));
  else if (inputOf(usage) >= inputOf(objectOrEmpty(frames.usage))) {
    frames.replace(withoutNulls(usage, inputNames));
  }
  frames.add(usage);
}

function inputOf(usage: JsonObject): number {
  return inputNames.reduce((sum, name) => sum + numberOr(usage[name], 0), 0);
}

function withoutNulls(counts: JsonObject, names = Object.keys(counts)): JsonObject {
  const given = names.filter((name) => counts[name] !== undefined && counts[name] !== null);
  return Object.fromEntries(given.map((name) => [name, counts[name]]));
}

/** When nothing is billed, the usage is reported at no cost. */
function readFacts(message: MessageState): Partial<BillingFacts> {
  const reported = message.frames.usage ?? {};
  const { service_tier, speed, inference_geo } = reported;
  const usage = readUsage(reported);
  const [first, ...others] = listBilledParts({ ...message, usage });
  const shown = {
    serviceTier: stringOrEmpty(service_tier) || null,
    speed: stringOrEmpty(speed) || null,
    inferenceGeo: stringOrEmpty(inference_geo) || null,
    usageWarnings: usageWarningsOf(message.frames, null),
  };
  if (first === undefined) {
    const isFree = usage.totals !== null || message.refusal !== null;
    return { ...shown, usage: usage.totals, billedParts: null, reportedCostUsd: isFree ? '0' : null };
  }
  const parts: BilledParts = [first, ...others];
  return {
    ...shown,
    usage: totalUsage(parts),
    billedParts: others.length === 0 && first.model === null ? null : parts,
    reportedCostUsd: null,
  };
}
