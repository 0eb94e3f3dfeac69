/**
 * Scripted turns in the format of the Gemini API, with signatures that Gemini 3 requires back at their call:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { Content } from '../google/request-schema.ts';
import { errorResponse, jsonResponse, streamResponse } from '../google/responses.ts';
import type { Respond } from '../upstream-responses.ts';
import { isSignatureOf, signatureOf } from './signatures.ts';
import {
  type CompletionTurn,
  type Failure,
  type Part,
  splitText,
  type Turn,
  uniqueLetters,
  untilBroken,
} from './turns.ts';

interface Asked {
  requestId: string;
  model: string;
  streamed: boolean;
  includesThoughts: boolean;
}

const failures: Record<Failure, [code: number, status: string, message: string]> = {
  overloaded: [
    503,
    'UNAVAILABLE',
    'This model is currently experiencing high demand. Spikes in demand are usually temporary. Please try again later.',
  ],
  rate_limited: [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  server_error: [500, 'INTERNAL', 'An internal error has occurred. Please retry.'],
  context_full: [
    400,
    'INVALID_ARGUMENT',
    'The input token count (1210342) exceeds the maximum number of tokens allowed (1048576).',
  ],
};

export function respondWithGoogleTurn(turn: Turn, asked: Asked): Respond {
  if (!('parts' in turn)) return errorResponse(...failures[turn.failure]);
  const parts = turn.parts.flatMap((part, position) => toGoogleParts(part, position, turn, asked));
  const last: JsonObject = turn.parts.some(({ type }) => type === 'call')
    ? { text: '' }
    : { text: '', thoughtSignature: signatureOf(asked.requestId, 'text') };
  if (!asked.streamed) {
    const whole = parts.flatMap(({ whole: part }) => part);
    return jsonResponse({ status: 200, body: chunkOf([...whole, last], turn, asked, 'STOP') });
  }
  const chunks = [
    ...parts.flatMap(({ deltas }) => deltas.map((part) => chunkOf([part], turn, asked))),
    chunkOf([last], turn, asked, 'STOP'),
  ];
  const sent = untilBroken(turn, chunks, () => true);
  return streamResponse(sent, { truncated: turn.broken !== undefined });
}

/** Only the first of parallel calls has a signature. */
function toGoogleParts(
  part: Part,
  position: number,
  turn: CompletionTurn,
  { requestId, includesThoughts }: Asked,
): { whole: JsonObject[]; deltas: JsonObject[] } {
  if (part.type === 'call') {
    const isFirst = turn.parts.findIndex(({ type }) => type === 'call') === position;
    const call = { name: part.name, args: part.input, id: uniqueLetters(requestId, position, 8) };
    const signature = isFirst ? { thoughtSignature: signatureOf(requestId, part.name) } : {};
    return { whole: [{ functionCall: call, ...signature }], deltas: [{ functionCall: call, ...signature }] };
  }
  const isThought = part.type === 'reasoning';
  if (isThought && !includesThoughts) return { whole: [], deltas: [] };
  const toPart = (text: string) => ({ text, ...(isThought && { thought: true }) });
  return { whole: [toPart(part.text)], deltas: splitText(part.text).map(toPart) };
}

function chunkOf(
  parts: JsonObject[],
  { usage: { input, output, cached, reasoning = 0 } }: CompletionTurn,
  { requestId, model }: Asked,
  finishReason?: string,
): JsonObject {
  return {
    candidates: [{ content: { parts, role: 'model' }, finishReason, index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output - reasoning,
      totalTokenCount: input + output,
      cachedContentTokenCount: cached,
      thoughtsTokenCount: reasoning,
      serviceTier: 'standard',
    },
    modelVersion: model,
    responseId: requestId.slice(-17),
  };
}

/** The API's own placeholder for signatures of other providers. */
const placeholder = 'skip_thought_signature_validator';

/** Refuses signatures that are changed, or that stand at another part than the one for which they were made. */
export function changedSignatureRejection(contents: readonly Content[]): string | null {
  const signed = contents.flatMap(({ parts }) => parts).filter((part) => part.thoughtSignature !== undefined);
  const isUnchanged = signed.every(
    ({ thoughtSignature = '', functionCall }) =>
      thoughtSignature === placeholder || isSignatureOf(thoughtSignature, functionCall?.name ?? 'text'),
  );
  return isUnchanged ? null : 'Thought signature is not valid.';
}
