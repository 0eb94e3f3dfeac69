/** Collects what a response in OpenAI's format is billed for: from a completion, or from all chunks of a stream. */
import type { ChatCall } from '#lambdas/inference/chat/body.ts';
import {
  type BillingFacts,
  noBilling,
  type ReaderFacts,
  type UnitCounts,
} from '#lambdas/inference/completion/facts.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { PricingGap } from '#lambdas/pricing/price-context.ts';
import { type BilledParts, type TokenUsage, totalUsage } from '#lambdas/pricing/usage.ts';
import type { CatalogEntry } from '../catalog.ts';
import { readReportedCost } from '../reported-cost.ts';
import { createUsageFrames } from '../usage-frames.ts';
import { usageWarningsOf } from '../usage-warnings.ts';
import { choicesOf } from './response-facts.ts';
import { readOpenAiUsage, statedTotalOf } from './usage.ts';

interface BillingFormat extends Pick<CatalogEntry, 'reportedCost' | 'toolCharges'> {
  /** Set for a provider whose responses list the tools that they have used. */
  createToolReader: (() => ToolReader) | null;
}

export interface ResponseOrigin extends BillingFormat {
  provider: string;
  model: string;
}

export interface ReaderContext {
  origin: ResponseOrigin;
  call: ChatCall;
  facts: ReaderFacts;
}

export interface ToolReader {
  /** Expects a completion or a chunk. */
  read(response: JsonObject): void;
  unitCounts(): UnitCounts;
  gaps(): readonly PricingGap[];
  /** Returns `null` when all of the usage is billed at one price. */
  partsOf(usage: TokenUsage): BilledParts | null;
}

interface BillingReader {
  /** Returns true when the completion or chunk contains usage. */
  read(response: JsonObject): boolean;
  facts(): BillingFacts;
  /** The usage as the provider reports it, merged from all chunks so far; `null` if there is none. */
  reportedUsage(): JsonObject | null;
  /** The charged units so far. They are a part of the usage once there is one. */
  unitCounts(): UnitCounts;
}

const noUnits: UnitCounts = {};

export function createBillingReader(
  { reportedCost, toolCharges, createToolReader }: BillingFormat,
  requestedModel: string,
): BillingReader {
  const tools = createToolReader?.() ?? null;
  const searches = (model: string) => toolCharges === 'search_models' && isSearchModel(model);
  let hasSearched = searches(requestedModel);
  let serviceTier: string | null = null;
  const frames = createUsageFrames();
  const unitCounts = () => (hasSearched ? { webSearches: 1 } : (tools?.unitCounts() ?? noUnits));
  return {
    read(response) {
      serviceTier = stringOrEmpty(response.service_tier) || serviceTier;
      hasSearched ||= searches(stringOrEmpty(response.model));
      tools?.read(response);
      const found = findUsageObject(response);
      frames.add(found);
      return found !== null;
    },
    facts() {
      const { usage: reported } = frames;
      const shown = {
        ...noBilling,
        serviceTier,
        usageWarnings: usageWarningsOf(frames, statedTotalOf(reported)),
        pricingGaps: tools?.gaps() ?? noBilling.pricingGaps,
        reportedCostUsd: readReportedCost(reported, reportedCost),
      };
      const usage = readOpenAiUsage(withBilledUnits(reported));
      if (usage === null) return shown;
      const billedParts = tools?.partsOf(usage) ?? null;
      return {
        ...shown,
        usage: billedParts === null ? { ...usage, ...unitCounts() } : totalUsage(billedParts),
        billedParts,
      };
    },
    reportedUsage: () => frames.usage,
    unitCounts,
  };
}

/**
 * OpenAI's search models search the web before every response, and do not report how many searches they made.
 * https://platform.openai.com/docs/guides/tools-web-search
 */
function isSearchModel(model: string): boolean {
  return /-search-(?:api|preview)/.test(model);
}

/** Finds `usage`, Groq's `x_groq.usage`, or the usage in a choice (Moonshot). */
export function findUsageObject(response: JsonObject): JsonObject | null {
  for (const parent of [response, response.x_groq, ...choicesOf(response)]) {
    const { usage } = objectOrEmpty(parent);
    if (isJsonObject(usage)) return usage;
  }
  return null;
}

/**
 * Cohere bills fewer units than the tokens of a prompt, to which it adds its own text.
 * https://github.com/cohere-ai/cohere-developer-experience/issues/399
 */
function withBilledUnits(usage: unknown): unknown {
  if (!isJsonObject(usage) || !isJsonObject(usage.billed_units)) return usage;
  const { input_tokens = usage.prompt_tokens, output_tokens = usage.completion_tokens } = usage.billed_units;
  return { ...usage, prompt_tokens: input_tokens, completion_tokens: output_tokens };
}
