/** A fake Gemini API (`generateContent`, `streamGenerateContent`, `batchEmbedContents`) that rejects the requests the real API rejects. */
import { parseJson } from '#lambdas/platform/json/json.ts';
import { changedSignatureRejection, respondWithGoogleTurn } from '../scripted/google.ts';
import { signatureOf } from '../scripted/signatures.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import type { RecordedRequest, Respond } from '../upstream-responses.ts';
import { batchEmbedContentsRequest, embeddingsBody, findEmbeddingsRejection } from './embeddings.ts';
import { countParts, declaredFunctions, findRejection } from './request-rules.ts';
import { formatIssues, type GenerateContentRequest, generateContentRequest } from './request-schema.ts';
import { errorResponse, jsonResponse, streamResponse } from './responses.ts';

export type GoogleUpstream = Upstream<ProviderBehaviour>;

export function startGoogleUpstream(behaviour: ProviderBehaviour = {}): Promise<GoogleUpstream> {
  return startUpstream({ path: '/v1beta', respond }, behaviour);
}

function respond(request: RecordedRequest, behaviour: ProviderBehaviour): Respond {
  const { pathname, searchParams } = new URL(request.url, 'http://upstream');
  const [, name = '', method] =
    /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent|batchEmbedContents)$/.exec(
      pathname,
    ) ?? [];
  if (request.method !== 'POST' || method === undefined) return errorResponse(404, 'NOT_FOUND', 'Not found');
  const model = decodeURIComponent(name);
  if (method === 'batchEmbedContents') return respondWithEmbeddings(request, model, behaviour);
  // The API validates the body before the key.
  const { data, error } = generateContentRequest.safeParse(parseJson(request.body.toString()));
  if (error !== undefined) return errorResponse(400, 'INVALID_ARGUMENT', formatIssues(error));
  if (hasInvalidKey(request, behaviour)) return invalidKeyResponse;
  if (!/^(gemini|gemma|learnlm)-/.test(model)) {
    return errorResponse(404, 'NOT_FOUND', `models/${model} is not found for API version v1beta`);
  }
  const rejection = findRejection(data, model);
  if (rejection !== null) return errorResponse(400, 'INVALID_ARGUMENT', rejection);
  const streamed = method === 'streamGenerateContent';
  if (streamed && searchParams.get('alt') !== 'sse') {
    throw new Error('Without alt=sse the API streams a JSON array, which the gateway cannot parse');
  }
  if (behaviour.fixture !== undefined) {
    const recorded = streamed ? behaviour.fixture.stream : behaviour.fixture.plain;
    if (recorded === null) throw new Error(`The fixture has no response to ${method}`);
    return 'events' in recorded ? streamResponse(recorded.events, recorded) : jsonResponse(recorded);
  }
  if (behaviour.nextCompletion !== undefined) {
    const changed = changedSignatureRejection(data.contents);
    if (changed !== null) return errorResponse(400, 'INVALID_ARGUMENT', changed);
    const { requestId } = request;
    const asked = { hasTools: declaredFunctions(data).length > 0, stream: streamed };
    const turn = behaviour.nextCompletion(asked, requestId);
    const includesThoughts = data.generationConfig?.thinkingConfig?.includeThoughts === true;
    if (turn !== undefined)
      return respondWithGoogleTurn(turn, { requestId, model, streamed, includesThoughts });
  }
  const { parts, last, completionPart } = simulateParts(
    data,
    { model, requestId: request.requestId },
    behaviour,
  );
  const chunk = (part: Part, finishReason?: string) => ({
    candidates: [{ content: { parts: [part], role: 'model' }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 },
    modelVersion: model,
    responseId: request.requestId.slice(-17),
  });
  return streamed
    ? streamResponse([...parts.map((part) => chunk(part)), chunk(last, 'STOP')])
    : jsonResponse({ status: 200, body: chunk(completionPart, 'STOP') });
}

function hasInvalidKey({ headers }: RecordedRequest, { expectedApiKey }: ProviderBehaviour): boolean {
  return expectedApiKey !== undefined && headers['x-goog-api-key'] !== expectedApiKey;
}

function respondWithEmbeddings(
  request: RecordedRequest,
  model: string,
  behaviour: ProviderBehaviour,
): Respond {
  const { data, error } = batchEmbedContentsRequest.safeParse(parseJson(request.body.toString()));
  if (error !== undefined) return errorResponse(400, 'INVALID_ARGUMENT', formatIssues(error));
  if (hasInvalidKey(request, behaviour)) return invalidKeyResponse;
  if (!/^(gemini|text)-embedding-/.test(model)) {
    const message = `models/${model} is not found for API version v1beta, or is not supported for embedContent.`;
    return errorResponse(404, 'NOT_FOUND', message);
  }
  const rejection = findEmbeddingsRejection(data, model);
  if (rejection !== null) return errorResponse(400, 'INVALID_ARGUMENT', rejection);
  return jsonResponse({ status: 200, body: embeddingsBody(data, model) });
}

const invalidKeyResponse = errorResponse(
  400,
  'INVALID_ARGUMENT',
  'API key not valid. Please pass a valid API key.',
  [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
    },
  ],
);

interface Part {
  text?: string;
  functionCall?: object;
  thoughtSignature?: string;
}

/** Parts of a stream, its final part, and the single part of a completion. Only Gemini 3 sends call ids and signatures. */
function simulateParts(
  request: GenerateContentRequest,
  { model, requestId }: { model: string; requestId: string },
  behaviour: ProviderBehaviour,
) {
  const simulated = simulateCompletion(toPrompt(request), behaviour);
  const isGemini3 = !/^gemini-[12]|^gemma/.test(model);
  const owner = simulated.kind === 'text' ? 'text' : simulated.name;
  const signed = isGemini3 ? { thoughtSignature: signatureOf(requestId, owner) } : {};
  if (simulated.kind === 'text') {
    const parts: Part[] = simulated.chunks.map((text) => ({ text }));
    return {
      parts,
      last: { text: '', ...signed },
      completionPart: { text: simulated.chunks.join(''), ...signed },
    };
  }
  const call = { name: simulated.name, args: simulated.input, ...(isGemini3 && { id: 'lpndqlku' }) };
  const part: Part = { functionCall: call, ...signed };
  return { parts: [part], last: { text: '' }, completionPart: part };
}

function toPrompt(request: GenerateContentRequest) {
  const { contents, toolConfig, generationConfig = {} } = request;
  const { mode, allowedFunctionNames = [] } = toolConfig?.functionCallingConfig ?? {};
  const last = contents.at(-1);
  const mayCall = mode !== 'NONE' && (last === undefined || countParts(last, 'functionResponse') === 0);
  const name = allowedFunctionNames[0] ?? declaredFunctions(request)[0];
  const declared = request.tools?.flatMap((tool) => tool.functionDeclarations ?? []) ?? [];
  const declaration = declared.find((candidate) => candidate.name === name);
  const { responseMimeType, responseSchema, responseJsonSchema } = generationConfig;
  const schema = responseSchema ?? responseJsonSchema ?? { type: 'object' };
  return {
    tool: mayCall && name !== undefined ? { name, schema: declaration?.parametersJsonSchema } : undefined,
    schema: responseMimeType === 'application/json' ? schema : undefined,
    lastUserText: (last?.parts ?? []).map(({ text = '' }) => text).join(''),
  };
}
