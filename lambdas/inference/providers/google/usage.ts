/** Reads from a `GenerateContentResponse` what it is billed for. https://ai.google.dev/api/generate-content#UsageMetadata */

import type { BillingFacts } from '#lambdas/inference/completion/facts.ts';
import { filterObjects, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { noUsage, type TokenUsage, type UsageKind } from '#lambdas/pricing/usage.ts';
import { createCountReader } from '../count-reader.ts';
import type { ResponseHeaders } from '../http/client.ts';
import { createUsageFrames } from '../usage-frames.ts';
import { type StatedTotal, usageWarningsOf } from '../usage-warnings.ts';
import { createGroundingReader, type Grounding } from './grounding.ts';

/**
 * Each response requires its own reader, which receives all of its chunks: their usage is cumulative.
 */
export function createBillingReader(
  headers: ResponseHeaders,
): (response: JsonObject) => Partial<BillingFacts> {
  const groundingReader = createGroundingReader();
  const frames = createUsageFrames();
  return ({ usageMetadata, candidates, promptFeedback }) => {
    frames.add(usageMetadata);
    const metadata = frames.usage ?? {};
    for (const candidate of filterObjects(candidates)) groundingReader.read(candidate);
    const grounding = groundingReader.grounding();
    const usage = readUsageMetadata(metadata, grounding);
    const isBlocked = stringOrEmpty(objectOrEmpty(promptFeedback).blockReason) !== '';
    return {
      ...(usage !== null && { usage }),
      usageWarnings: usageWarningsOf(frames, statedTotalOf(metadata)),
      // A prompt that was blocked is charged only as far as the usage shows.
      reportedCostUsd: isBlocked && usage === null ? '0' : null,
      serviceTier: readServiceTier(metadata, headers),
      pricingGaps: grounding.usesMaps ? ['maps_grounding'] : [],
    };
  };
}

/**
 * The tier that served the request: the Gemini API names it in the usage, and older versions in a header only; Vertex AI
 * names a traffic type instead.
 * https://ai.google.dev/gemini-api/docs/priority-inference
 * https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/GenerateContentResponse#TrafficType
 */
function readServiceTier(
  { serviceTier, trafficType }: JsonObject,
  { 'x-gemini-service-tier': header }: ResponseHeaders,
): string | null {
  const names = [serviceTier, header, trafficType].map((name) => stringOrEmpty(name).trim());
  return names.find((name) => name !== '' && !name.toLowerCase().endsWith('unspecified')) ?? null;
}

/** There are five. Every chunk reads the lists again. */
const maxModalities = 20;

/**
 * The prompt tokens include cached tokens; the results of Google's built-in tools are counted separately. They are input
 * too, except those of a search. If a response used a search and another tool, their shares are unknown and all of it
 * counts as input. https://ai.google.dev/gemini-api/docs/pricing
 *
 * The candidates exclude thoughts, unless the total shows the opposite.
 */
function readUsageMetadata(metadata: JsonObject, grounding: Grounding): TokenUsage | null {
  const { webSearches, hasFreeToolInput } = grounding;
  const counts = createCountReader();
  const prompt = counts.require(metadata.promptTokenCount, 'input_tokens') ?? 0;
  const toolInput = counts.read(metadata.toolUsePromptTokenCount, 'input_tokens');
  const candidates = counts.read(metadata.candidatesTokenCount, 'output_tokens');
  const thoughts = counts.read(metadata.thoughtsTokenCount, 'reasoning_tokens');
  if (prompt + toolInput + candidates + thoughts === 0) return null;
  // https://github.com/BerriAI/litellm/issues/11017
  const includesThoughts =
    metadata.totalTokenCount === prompt + toolInput + candidates && candidates >= thoughts;
  const input = hasFreeToolInput ? prompt : prompt + toolInput;
  const cached = Math.min(input, counts.read(metadata.cachedContentTokenCount, 'cached_input_tokens'));
  const modality = (name: Modality, kind: UsageKind, ...lists: unknown[]) =>
    lists
      .flatMap((list) => filterObjects(list).slice(0, maxModalities))
      .reduce<number>(
        (sum, detail) => sum + (detail.modality === name ? counts.read(detail.tokenCount, kind) : 0),
        0,
      );
  const { cacheTokensDetails, candidatesTokensDetails } = metadata;
  const inputDetails = [
    metadata.promptTokensDetails,
    ...(hasFreeToolInput ? [] : [metadata.toolUsePromptTokensDetails]),
  ];
  const audio = Math.min(input, modality('AUDIO', 'audio_input_tokens', ...inputDetails));
  const image = Math.min(input - audio, modality('IMAGE', 'image_input_tokens', ...inputDetails));
  const cachedAudio = modality('AUDIO', 'audio_input_tokens', cacheTokensDetails);
  const cachedImage = modality('IMAGE', 'image_input_tokens', cacheTokensDetails);
  if (grounding.isIncomplete) counts.markMissing('web_searches');
  return {
    ...noUsage,
    freshInputTokens: input - cached,
    cachedInputTokens: cached,
    outputTokens: includesThoughts ? candidates : candidates + thoughts,
    reasoningTokens: thoughts,
    audioInputTokens: audio,
    cachedAudioInputTokens: Math.min(cached, audio, cachedAudio),
    imageInputTokens: image,
    cachedImageInputTokens: Math.min(cached, image, cachedImage),
    audioOutputTokens: Math.min(
      candidates,
      modality('AUDIO', 'audio_output_tokens', candidatesTokensDetails),
    ),
    imageOutputTokens: Math.min(
      candidates,
      modality('IMAGE', 'image_output_tokens', candidatesTokensDetails),
    ),
    ...(webSearches > 0 && { webSearches }),
    ...counts.missing(),
  };
}

/** Some models do not count thoughts, or the input of tools, in the total. */
function statedTotalOf(metadata: JsonObject): StatedTotal {
  const { totalTokenCount: total, promptTokenCount: input, candidatesTokenCount: output = 0 } = metadata;
  const { toolUsePromptTokenCount, thoughtsTokenCount } = metadata;
  return { total, input, output, others: [toolUsePromptTokenCount, thoughtsTokenCount] };
}

type Modality = 'AUDIO' | 'IMAGE';
