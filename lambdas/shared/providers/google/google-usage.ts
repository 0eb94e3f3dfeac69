/** Token usage of the Gemini API: https://ai.google.dev/api/generate-content#UsageMetadata */
import { isJsonObject, type JsonObject, objectsIn } from '../../domain/json.ts';
import { noUsage, readTokenCount, type TokenUsage } from '../../domain/usage.ts';

/**
 * For all chunks of one answer, of which each counts what was used until then. What a later one does not name stays as
 * it was. What Google charges for a search is not among it: how many are still free, no answer tells.
 */
export function createGoogleUsageReader(): (response: JsonObject) => TokenUsage | null {
  let metadata: JsonObject = {};
  return ({ usageMetadata }) => {
    if (isJsonObject(usageMetadata)) metadata = { ...metadata, ...usageMetadata };
    return readGoogleUsage(metadata);
  };
}

/**
 * `null` when nothing was counted. The prompt includes what was cached; beside it stand the prompts that tools of
 * Google's own made, which are input too. Thoughts are beside the candidates, unless the total says otherwise.
 */
function readGoogleUsage(metadata: JsonObject): TokenUsage | null {
  const count = (name: string) => readTokenCount(metadata[name]) ?? 0;
  const input = count('promptTokenCount') + count('toolUsePromptTokenCount');
  const candidates = count('candidatesTokenCount');
  const thoughts = count('thoughtsTokenCount');
  if (input + candidates + thoughts === 0) return null;
  // https://github.com/BerriAI/litellm/issues/11017
  const includesThoughts = metadata.totalTokenCount === input + candidates && candidates >= thoughts;
  const cached = Math.min(input, count('cachedContentTokenCount'));
  const audio = Math.min(
    input,
    tokensOf('AUDIO', metadata.promptTokensDetails) + tokensOf('AUDIO', metadata.toolUsePromptTokensDetails),
  );
  return {
    ...noUsage,
    freshInputTokens: input - cached,
    cachedInputTokens: cached,
    outputTokens: includesThoughts ? candidates : candidates + thoughts,
    reasoningTokens: thoughts,
    audioInputTokens: audio,
    cachedAudioInputTokens: Math.min(cached, audio, tokensOf('AUDIO', metadata.cacheTokensDetails)),
    audioOutputTokens: Math.min(candidates, tokensOf('AUDIO', metadata.candidatesTokensDetails)),
    imageOutputTokens: Math.min(candidates, tokensOf('IMAGE', metadata.candidatesTokensDetails)),
  };
}

function tokensOf(wanted: 'AUDIO' | 'IMAGE', details: unknown): number {
  const counts = objectsIn(details).filter(({ modality }) => modality === wanted);
  return counts.reduce((sum, { tokenCount }) => sum + (readTokenCount(tokenCount) ?? 0), 0);
}
