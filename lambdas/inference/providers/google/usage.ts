/** Reads from a `GenerateContentResponse` what it is billed for. https://ai.google.dev/api/generate-content#UsageMetadata */
import { filterObjects, type JsonObject, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { noUsage, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { createCountReader } from '../count-reader.ts';
import type { ResponseHeaders } from '../http/client.ts';
import type { BillingFacts } from '../provider.ts';
import { mergeUsageFrames } from '../usage-frames.ts';
import { createGroundingReader, type Grounding } from './grounding.ts';

/**
 * Each response requires its own reader, which receives all of its chunks: their usage is cumulative, and counts that
 * later chunks omit are kept.
 */
export function createBillingReader(
  headers: ResponseHeaders,
): (response: JsonObject) => Partial<BillingFacts> {
  const groundingReader = createGroundingReader();
  let metadata: JsonObject = {};
  return ({ usageMetadata, candidates }) => {
    metadata = mergeUsageFrames(metadata, usageMetadata);
    for (const candidate of filterObjects(candidates)) groundingReader.read(candidate);
    const grounding = groundingReader.grounding();
    const usage = readUsageMetadata(metadata, grounding);
    return {
      ...(usage !== null && { usage }),
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
  const count = (name: string) => counts.read(metadata[name]);
  const prompt = count('promptTokenCount');
  const toolInput = count('toolUsePromptTokenCount');
  const candidates = count('candidatesTokenCount');
  const thoughts = count('thoughtsTokenCount');
  const { isIncomplete } = counts.completeness();
  if (prompt + toolInput + candidates + thoughts === 0 && !isIncomplete) return null;
  // https://github.com/BerriAI/litellm/issues/11017
  const includesThoughts =
    metadata.totalTokenCount === prompt + toolInput + candidates && candidates >= thoughts;
  const input = hasFreeToolInput ? prompt : prompt + toolInput;
  const cached = Math.min(input, count('cachedContentTokenCount'));
  const modality = (name: Modality, ...lists: unknown[]) =>
    lists
      .flatMap((list) => filterObjects(list).slice(0, maxModalities))
      .reduce<number>(
        (sum, detail) => sum + (detail.modality === name ? counts.read(detail.tokenCount) : 0),
        0,
      );
  const { cacheTokensDetails, candidatesTokensDetails } = metadata;
  const inputDetails = [
    metadata.promptTokensDetails,
    ...(hasFreeToolInput ? [] : [metadata.toolUsePromptTokensDetails]),
  ];
  const audio = Math.min(input, modality('AUDIO', ...inputDetails));
  const image = Math.min(input - audio, modality('IMAGE', ...inputDetails));
  return {
    ...noUsage,
    freshInputTokens: input - cached,
    cachedInputTokens: cached,
    outputTokens: includesThoughts ? candidates : candidates + thoughts,
    reasoningTokens: thoughts,
    audioInputTokens: audio,
    cachedAudioInputTokens: Math.min(cached, audio, modality('AUDIO', cacheTokensDetails)),
    imageInputTokens: image,
    cachedImageInputTokens: Math.min(cached, image, modality('IMAGE', cacheTokensDetails)),
    audioOutputTokens: Math.min(candidates, modality('AUDIO', candidatesTokensDetails)),
    imageOutputTokens: Math.min(candidates, modality('IMAGE', candidatesTokensDetails)),
    ...(webSearches > 0 && { webSearches }),
    // A prompt is never empty, while counts of 0 are left out.
    ...((grounding.isIncomplete || prompt === 0) && { isIncomplete: true }),
    ...counts.completeness(),
  };
}

type Modality = 'AUDIO' | 'IMAGE';

/** There are five. Every chunk reads the lists again. */
const maxModalities = 20;
