/**
 * Finds out which of Google's built-in tools a response used, since each of them is charged differently.
 * https://ai.google.dev/api/generate-content#GroundingMetadata, https://ai.google.dev/gemini-api/docs/pricing
 */
import { filterObjects, isJsonObject, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';

/** Each response requires its own reader, which receives the candidates of all of its chunks, also repeated ones. */
interface GroundingReader {
  read(candidate: JsonObject): void;
  grounding(): Grounding;
}

export interface Grounding {
  /** The distinct queries, or 1 for a web search whose queries the response does not show. */
  webSearches: number;
  usesMaps: boolean;
  /** True when the model received the results of searches only, which are not charged as input. */
  hasFreeToolInput: boolean;
  /** True when the queries could not be read, so that `webSearches` may be too low. */
  isIncomplete: boolean;
}

type Evidence = 'web' | 'maps' | 'url' | 'document' | 'code';

/** By the member of a grounding chunk or a part. */
const evidenceOf: readonly [member: string, kind: Evidence][] = [
  ['web', 'web'],
  ['image', 'web'],
  ['maps', 'maps'],
  ['retrievedContext', 'document'],
  ['executableCode', 'code'],
  ['codeExecutionResult', 'code'],
];

export function createGroundingReader(): GroundingReader {
  const queries = new Set<string>();
  const evidence = new Set<Evidence>();
  let isIncomplete = false;
  const addQueries = (list: unknown) => {
    const isReadable = Array.isArray(list) && list.every((query) => typeof query === 'string');
    if (!isReadable) isIncomplete = true;
    // Google does not charge for empty queries, and charges once for repeated ones.
    else for (const query of list) if (query !== '') queries.add(query);
  };
  return {
    read(candidate) {
      const { groundingChunks, ...metadata } = objectOrEmpty(candidate.groundingMetadata);
      addQueries(metadata.webSearchQueries ?? []);
      addQueries(metadata.imageSearchQueries ?? []);
      const { urlMetadata } = objectOrEmpty(candidate.urlContextMetadata);
      if (filterObjects(urlMetadata).length > 0) evidence.add('url');
      for (const element of [
        ...filterObjects(groundingChunks),
        ...filterObjects(objectOrEmpty(candidate.content).parts),
      ]) {
        for (const [member, kind] of evidenceOf) if (isJsonObject(element[member])) evidence.add(kind);
      }
    },
    grounding() {
      const usesMaps = evidence.has('maps');
      const webSearches = countWebSearches(queries.size, evidence);
      const hasBilledInput = evidence.has('url') || evidence.has('document') || evidence.has('code');
      const hasFreeToolInput = (webSearches > 0 || usesMaps) && !hasBilledInput;
      return { webSearches, usesMaps, hasFreeToolInput, isIncomplete };
    },
  };
}

/**
 * If all places come from Google Maps, so do the queries, which have another price. Pages that the URL context tool
 * fetched are web chunks too, without a search: https://ai-sdk.dev/providers/ai-sdk-providers/google#url-context
 */
function countWebSearches(queries: number, evidence: ReadonlySet<Evidence>): number {
  if (queries === 0) return evidence.has('web') && !evidence.has('url') ? 1 : 0;
  return evidence.has('maps') && !evidence.has('web') ? 0 : queries;
}
