/** The Gemini API (`generateContent` and `streamGenerateContent`) on loopback, which refuses what the real one refuses. */
import { parseJson } from '#lambdas/platform/json/json.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import type { RecordedRequest, Respond } from '../upstream-responses.ts';
import { type GenerateContentRequest, generateContentRequest, wordsOf } from './generate-content.ts';
import { countOf, declaredIn, refusalOf } from './generate-rules.ts';

export type GoogleUpstream = Upstream<ProviderBehaviour>;

export function startGoogleUpstream(behaviour: ProviderBehaviour = {}): Promise<GoogleUpstream> {
  return startUpstream({ path: '/v1beta', respond: googleAnswer }, behaviour);
}

function googleAnswer(request: RecordedRequest, behaviour: ProviderBehaviour): Respond {
  const { pathname, searchParams } = new URL(request.url, 'http://upstream');
  const [, name = '', method] =
    /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(pathname) ?? [];
  if (request.method !== 'POST' || method === undefined) return refuse(404, 'NOT_FOUND', 'Not found');
  const model = decodeURIComponent(name);
  // The body is read before the key is looked at.
  const { data, error } = generateContentRequest.safeParse(parseJson(request.body.toString()));
  if (error !== undefined) return refuse(400, 'INVALID_ARGUMENT', wordsOf(error));
  const key = request.headers['x-goog-api-key'];
  if (behaviour.expectedApiKey !== undefined && key !== behaviour.expectedApiKey) return wrongKey;
  if (!/^(gemini|gemma|learnlm)-/.test(model)) {
    return refuse(404, 'NOT_FOUND', `models/${model} is not found for API version v1beta`);
  }
  const refusal = refusalOf(data, model);
  if (refusal !== null) return refuse(400, 'INVALID_ARGUMENT', refusal);
  const streamed = method === 'streamGenerateContent';
  if (streamed && searchParams.get('alt') !== 'sse') {
    throw new Error('Without alt=sse the API streams a JSON list, which the gateway cannot read');
  }
  if (behaviour.fixture !== undefined) {
    const recorded = streamed ? behaviour.fixture.stream : behaviour.fixture.plain;
    if (recorded === null) throw new Error(`The fixture has no answer to ${method}`);
    return 'events' in recorded ? googleStream(recorded.events, recorded) : googleReply(recorded);
  }
  const { parts, last, whole } = partsOf(data, model, behaviour);
  const chunk = (part: Part, finishReason?: string) => ({
    candidates: [{ content: { parts: [part], role: 'model' }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 5, totalTokenCount: 16 },
    modelVersion: model,
    responseId: request.requestId.slice(-17),
  });
  return streamed
    ? googleStream([...parts.map((part) => chunk(part)), chunk(last, 'STOP')])
    : googleReply({ status: 200, body: chunk(whole, 'STOP') });
}

/** No answer has a request id. */
const headers = { server: 'scaffolding on HTTPServer2', 'x-gemini-service-tier': 'standard' };

/** An error that comes instead of a stream is one JSON text, under the stream's content type. */
function googleReply({
  status,
  body,
  headers: own,
}: {
  status: number;
  body: unknown;
  headers?: object;
}): Respond {
  return ({ request, response }) => {
    const instead = status !== 200 && request.url.includes('alt=sse');
    const type = instead ? 'text/event-stream' : 'application/json; charset=UTF-8';
    response
      .writeHead(status, { 'content-type': type, ...headers, ...own })
      .end(JSON.stringify(body, null, 2));
  };
}

/** With `cut` the connection closes after the last chunk, before the body's end. */
function googleStream(
  chunks: readonly unknown[],
  { headers: own = {}, cut = false }: { headers?: object; cut?: boolean } = {},
): Respond {
  return async ({ response, cut: breakOff }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers, ...own });
    for (const chunk of chunks) {
      if (response.destroyed) return;
      await new Promise<void>((resolve) => {
        response.write(`data: ${JSON.stringify(chunk)}\r\n\r\n`, () => resolve());
      });
    }
    if (cut) breakOff('close');
    else response.end();
  };
}

/** A `google.rpc.Status`. */
function refuse(code: number, status: string, message: string, details?: object[]): Respond {
  return googleReply({
    status: code,
    body: { error: { code, message, status, ...(details && { details }) } },
  });
}

const wrongKey = refuse(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
  {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'API_KEY_INVALID',
    domain: 'googleapis.com',
  },
]);

interface Part {
  text?: string;
  functionCall?: object;
  thoughtSignature?: string;
}

/** Of a stream, whose last part is an empty text, and of a whole answer. Only Gemini 3 gives ids to calls, and signs. */
function partsOf(request: GenerateContentRequest, model: string, behaviour: ProviderBehaviour) {
  const said = simulateCompletion(promptOf(request), behaviour);
  const isGemini3 = !/^gemini-[12]|^gemma/.test(model);
  const signed = isGemini3
    ? { thoughtSignature: 'EpEgCo4gAb4+9vvWwdN+NkNiCCwrqvFI8uf9IiD2A47Bm4Sga0kUTm4e' }
    : {};
  if (said.kind === 'text') {
    const parts: Part[] = said.pieces.map((text) => ({ text }));
    return { parts, last: { text: '', ...signed }, whole: { text: said.pieces.join(''), ...signed } };
  }
  const call = { name: said.name, args: said.input, ...(isGemini3 && { id: 'lpndqlku' }) };
  const part: Part = { functionCall: call, ...signed };
  return { parts: [part], last: { text: '' }, whole: part };
}

function promptOf(request: GenerateContentRequest) {
  const { contents, toolConfig, generationConfig = {} } = request;
  const { mode, allowedFunctionNames = [] } = toolConfig?.functionCallingConfig ?? {};
  const last = contents.at(-1);
  const mayCall = mode !== 'NONE' && (last === undefined || countOf(last, 'functionResponse') === 0);
  const name = allowedFunctionNames[0] ?? declaredIn(request)[0];
  const { responseMimeType, responseSchema, responseJsonSchema } = generationConfig;
  const schema = responseSchema ?? responseJsonSchema ?? { type: 'object' };
  return {
    tool: mayCall && name !== undefined ? { name } : undefined,
    schema: responseMimeType === 'application/json' ? schema : undefined,
    lastUserText: (last?.parts ?? []).map(({ text = '' }) => text).join(''),
  };
}
