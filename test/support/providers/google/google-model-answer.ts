/** What the fake's small model answers to a request that passed the checks, whole or in chunks. */

import { answerPieces, exampleOf, type ProviderBehaviour } from '../provider-behaviour.ts';
import { type Content, countOf, type Part } from './google-conversation.ts';
import type { GoogleModel } from './google-models.ts';
import { declarationsOf, type GenerateContentRequest, wantsJson } from './google-request-rules.ts';

interface Asked {
  request: GenerateContentRequest;
  model: GoogleModel;
  behaviour: ProviderBehaviour;
  /** Of the exchange; what the API makes up for each answer is made of it. */
  requestId: string;
}

const signature = 'EpEgCo4gAb4+9vvWwdN+NkNiCCwrqvFI8uf9IiD2A47Bm4Sga0kUTm4e';

const promptTokens = 11;

export function wholeAnswer(asked: Asked): unknown {
  const chunks = answerParts(asked);
  const parts = joinTexts(chunks.flat().filter((part) => part.text !== ''));
  const signed = signLast(parts, asked.model);
  return response(asked, {
    parts: signed,
    finishReason: finishReasonOf(parts),
    candidatesTokens: chunks.length,
  });
}

/** The last chunk has an empty text, and the signature where the model signs. */
export function answerChunks(asked: Asked): unknown[] {
  const chunks = answerParts(asked);
  const last: Part = { text: '' };
  const isCall = chunks.flat().some(({ functionCall }) => functionCall !== undefined);
  return [
    ...chunks.map((parts, index) => response(asked, { parts, candidatesTokens: index + 1 })),
    response(asked, {
      parts: isCall ? [last] : signLast([last], asked.model),
      finishReason: finishReasonOf(chunks.flat()),
      candidatesTokens: chunks.length,
    }),
  ];
}

/** The parts of each chunk. */
function answerParts({ request, model, behaviour, requestId }: Asked): Part[][] {
  const { contents = [], generationConfig = {} } = request;
  const call = calledFunction(request);
  if (call !== undefined) {
    const functionCall = { name: call, args: { city: 'Oslo' } };
    // Only Gemini 3 gives ids, and signs.
    if (!model.signsCalls) return [[{ functionCall }]];
    return [[{ functionCall: { ...functionCall, id: requestId.slice(-8) }, thoughtSignature: signature }]];
  }
  if (wantsJson(generationConfig)) {
    const { responseSchema, responseJsonSchema, responseFormat } = generationConfig;
    const schema = responseSchema ?? responseJsonSchema ?? responseFormat?.text?.schema ?? { type: 'object' };
    const text = JSON.stringify(exampleOf(schema));
    const middle = Math.ceil(text.length / 2);
    return [[{ text: text.slice(0, middle) }], [{ text: text.slice(middle) }]];
  }
  return answerPieces(behaviour, lastUserText(contents)).map((text) => [{ text }]);
}

function calledFunction(request: GenerateContentRequest): string | undefined {
  const { mode, allowedFunctionNames = [] } = request.toolConfig?.functionCallingConfig ?? {};
  const last = request.contents?.at(-1);
  if (mode === 'NONE' || (last !== undefined && countOf(last, 'functionResponse') > 0)) return undefined;
  return allowedFunctionNames[0] ?? declarationsOf(request)[0]?.name;
}

function lastUserText(contents: Content[]): string {
  const texts = contents
    .filter(({ role }) => role !== 'model')
    .map(({ parts = [] }) => parts.map(({ text = '' }) => text).join(''));
  return texts.findLast((text) => text !== '') ?? '';
}

function joinTexts(parts: Part[]): Part[] {
  const texts = parts.filter(({ text }) => text !== undefined);
  return texts.length < 2 ? parts : [{ text: texts.map(({ text }) => text).join('') }];
}

function signLast(parts: Part[], model: GoogleModel): Part[] {
  if (!model.signsCalls) return parts;
  return parts.map((part, index) =>
    index === parts.length - 1 ? { ...part, thoughtSignature: signature } : part,
  );
}

function finishReasonOf(parts: Part[]): Record<string, string> {
  const calls = parts.some(({ functionCall }) => functionCall !== undefined);
  return { finishReason: 'STOP', ...(calls && { finishMessage: 'Model generated function call(s).' }) };
}

interface ResponseFields {
  parts: Part[];
  /** With its message; left out while the answer goes on. */
  finishReason?: Record<string, string>;
  candidatesTokens: number;
}

function response(
  { request, model, requestId }: Asked,
  { parts, finishReason = {}, candidatesTokens }: ResponseFields,
) {
  const count = request.generationConfig?.candidateCount ?? 1;
  const tokens = candidatesTokens * count;
  return {
    candidates: Array.from({ length: count }, (_, index) => ({
      content: { parts, role: 'model' },
      ...finishReason,
      index,
    })),
    usageMetadata: {
      promptTokenCount: promptTokens,
      candidatesTokenCount: tokens,
      totalTokenCount: promptTokens + tokens,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
      serviceTier: 'standard',
    },
    modelVersion: model.version,
    responseId: Buffer.from(requestId.slice(-17)).toString('base64url'),
  };
}
