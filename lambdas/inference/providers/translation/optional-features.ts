/** Finds the features of messages and tools that can be left out, because a provider does not support them. */
import type { ContentPart } from '#lambdas/inference/completion/content.ts';
import {
  type AssistantPart,
  assistantMessages,
  callsIn,
  type Turn,
} from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

interface OptionalFeatures {
  /** The reported names of those that no native API supports. */
  ignored: string[];
  filenames: boolean;
  cacheBreakpoints: { inMessages: boolean; inTools: boolean };
}

export function findOptionalFeatures({ system, turns, tools, names }: CompletionRequest): OptionalFeatures {
  const media = turns.flatMap(listContent).filter((part) => part.type === 'media');
  const assistant = assistantMessages(turns);
  const calls = callsIn(assistant).filter((call) => call.type === 'call');
  const features: [string, boolean][] = [
    [names.imageDetail, media.some(({ detail }) => (detail ?? 'auto') !== 'auto')],
    [names.generatedImages, assistant.some(({ hasImages }) => hasImages)],
    [names.callArguments, calls.some(({ hasInvalidArguments }) => hasInvalidArguments)],
  ];
  const breakpoints = [...system.map(({ cacheControl }) => cacheControl), ...turns.flatMap(listBreakpoints)];
  return {
    ignored: features.filter(([, isUsed]) => isUsed).map(([name]) => name),
    filenames: media.some(({ filename }) => filename !== null),
    cacheBreakpoints: {
      inMessages: breakpoints.some((breakpoint) => breakpoint !== null),
      inTools: tools.some((tool) => tool.type === 'function' && tool.cacheControl !== null),
    },
  };
}

function listContent(turn: Turn): (ContentPart | AssistantPart)[] {
  switch (turn.role) {
    case 'user':
      return [...turn.toolResults.flatMap(({ parts }) => parts), ...turn.parts];
    case 'assistant':
      return turn.messages.flatMap(({ parts }) => parts);
    case 'system':
      return turn.parts;
    default:
      return turn satisfies never;
  }
}

function listBreakpoints(turn: Turn): (JsonObject | null)[] {
  const ofResults = turn.role === 'user' ? turn.toolResults.map(({ cacheControl }) => cacheControl) : [];
  const ofParts = listContent(turn).map((part) => (part.type === 'reasoning' ? null : part.cacheControl));
  return [...ofResults, ...ofParts];
}
