/** A fake of the Gemini API (`generateContent` and `streamGenerateContent`) that refuses what the API refuses. */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Fixture } from '../fixture.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import type { Answer, RecordedRequest } from '../upstream-answers.ts';
import {
  badRequest,
  invalidArgument,
  noKey,
  notAToken,
  notJson,
  unknownModel,
  wrongKey,
} from './google-errors.ts';
import { type FieldViolation, parseMessage } from './google-message-parser.ts';
import { answerChunks, wholeAnswer } from './google-model-answer.ts';
import { googleModel } from './google-models.ts';
import { googleList, googleReply, googleStream } from './google-replies.ts';
import { type GenerateContentRequest, requestRefusal } from './google-request-rules.ts';

export type GoogleBehaviour = ProviderBehaviour;

export type GoogleUpstream = Upstream<GoogleBehaviour>;

export function startGoogleUpstream(behaviour: GoogleBehaviour = {}): Promise<GoogleUpstream> {
  return startUpstream({ path: '/v1beta', answer: googleAnswer }, behaviour);
}

/** The parts of the URL; `null` for one that is no method of a model. */
interface Call {
  model: string;
  method: 'generateContent' | 'streamGenerateContent';
  query: URLSearchParams;
}

function googleAnswer(request: RecordedRequest, behaviour: GoogleBehaviour): Answer {
  const call = readCall(request);
  if (call === null) return notFoundPage;
  // The body is read before the key is looked at.
  const json = parseJson(request.body.toString());
  if (!isJsonObject(json)) return notJson();
  const violations: FieldViolation[] = [];
  const message = parseMessage('GenerateContentRequest', json, violations);
  if (violations.length > 0) return badRequest(violations);
  const keyRefusal = refuseKey(request, call, behaviour);
  if (keyRefusal !== null) return keyRefusal;
  if (!hasModel(call.model, behaviour)) return unknownModel(call.model, call.method);
  return answerMessage(request, call, { message, behaviour });
}

function answerMessage(
  { requestId }: RecordedRequest,
  { model: name, method, query }: Call,
  { message, behaviour }: { message: JsonObject; behaviour: GoogleBehaviour },
): Answer {
  const model = googleModel(name);
  // The parser has seen to every field's type.
  const request = message as GenerateContentRequest;
  const refusal = requestRefusal(request, model);
  if (refusal !== null) return invalidArgument(refusal);
  if (behaviour.fixture !== undefined) return replay(behaviour.fixture, method);
  const asked = { request, model, behaviour, requestId };
  const tier = { 'x-gemini-service-tier': 'standard' };
  if (method === 'generateContent') return googleReply({ headers: tier, body: wholeAnswer(asked) });
  const chunks = answerChunks(asked);
  return query.get('alt') === 'sse' ? googleStream({ headers: tier, chunks }) : googleList(chunks);
}

function readCall({ method, url }: RecordedRequest): Call | null {
  const { pathname, searchParams } = new URL(url, 'http://upstream');
  const [, model, name] = /^\/v1beta\/models\/([^/:]+):(\w+)$/.exec(pathname) ?? [];
  if (method !== 'POST' || model === undefined) return null;
  if (name !== 'generateContent' && name !== 'streamGenerateContent') return null;
  return { model: decodeURIComponent(model), method: name, query: searchParams };
}

function refuseKey({ headers }: RecordedRequest, { query }: Call, behaviour: GoogleBehaviour): Answer | null {
  const { expectedApiKey } = behaviour;
  const key = headers['x-goog-api-key'] ?? query.get('key');
  if (key === null && headers.authorization !== undefined) return notAToken();
  if (expectedApiKey === undefined || key === expectedApiKey) return null;
  return key === null ? noKey() : wrongKey();
}

function hasModel(name: string, { unknownModels = [] }: GoogleBehaviour): boolean {
  return /^(gemini|gemma|learnlm)-/.test(name) && !unknownModels.includes(name);
}

function replay({ plain, stream }: Fixture, method: Call['method']): Answer {
  const recorded = method === 'generateContent' ? plain : stream;
  if (recorded === null) throw new Error(`The fixture has no answer to ${method}`);
  if ('events' in recorded) return googleStream({ ...recorded, chunks: recorded.events });
  return googleReply(recorded);
}

const notFoundPage: Answer = ({ response }) => {
  response
    .writeHead(404, { 'content-type': 'text/html; charset=UTF-8' })
    .end('<title>Error 404 (Not Found)!!1</title>');
};
