/**
 * A provider on loopback that speaks Bedrock's Converse and ConverseStream and refuses what they refuse.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Fixture } from '../fixture.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { type Answer, jsonAnswer, type RecordedRequest, streamAnswer } from '../upstream-answers.ts';
import { converseAnswer, converseEvents, type Question } from './bedrock-answers.ts';
import { type BedrockRole, checkCaller } from './bedrock-credentials.ts';
import { BedrockRefusal, bedrockErrorAnswer, bedrockHeaders } from './bedrock-errors.ts';
import { bedrockFrame, bedrockStreamType } from './bedrock-event-stream.ts';
import { checkForModel } from './bedrock-model-checks.ts';
import { findModel } from './bedrock-models.ts';
import type { ConverseRequest } from './bedrock-request.ts';
import { converseRequest } from './bedrock-request-shape.ts';
import { checkShape } from './bedrock-shapes.ts';
import { checkConversation } from './bedrock-turn-checks.ts';

export interface BedrockBehaviour extends ProviderBehaviour {
  /** Requests may also be signed by it; the signature is computed anew. */
  expectedRole?: BedrockRole;
}

export type BedrockUpstream = Upstream<BedrockBehaviour>;

export function startBedrockUpstream(behaviour: BedrockBehaviour = {}): Promise<BedrockUpstream> {
  return startUpstream({ path: '', answer: bedrockAnswer }, behaviour);
}

function bedrockAnswer(request: RecordedRequest, behaviour: BedrockBehaviour): Answer {
  try {
    const { modelId, streamed } = readOperation(request);
    checkCaller(request, behaviour);
    const question = readQuestion(request, { modelId, behaviour });
    if (behaviour.fixture !== undefined) return replay(behaviour.fixture, streamed);
    const headers = bedrockHeaders(request);
    if (!streamed) return jsonAnswer(converseAnswer(question), { headers });
    const frames = converseEvents(question).map(bedrockFrame);
    return streamAnswer(frames, { headers: { 'content-type': bedrockStreamType, ...headers } });
  } catch (error) {
    if (error instanceof BedrockRefusal) return bedrockErrorAnswer(error.kind, error.message);
    throw error;
  }
}

function readOperation({ method, url }: RecordedRequest): { modelId: string; streamed: boolean } {
  const [, modelId, operation] = /^\/model\/([^/]+)\/(converse|converse-stream)$/.exec(url) ?? [];
  if (method !== 'POST' || modelId === undefined) {
    throw new BedrockRefusal('UnknownOperationException', 'The requested operation is not known.');
  }
  return { modelId: decodeURIComponent(modelId), streamed: operation === 'converse-stream' };
}

function readQuestion(
  { body }: RecordedRequest,
  { modelId, behaviour }: { modelId: string; behaviour: BedrockBehaviour },
): Question {
  const json = parseJson(body.toString('utf8'));
  if (!isJsonObject(json)) {
    throw new BedrockRefusal('SerializationException', 'The request body is not a JSON object.');
  }
  checkShape(json, converseRequest);
  // Its shape was checked just now.
  const request = json as ConverseRequest;
  const model = findModel(modelId, behaviour.unknownModels);
  checkConversation(request);
  checkForModel(request, model);
  return { request, model, behaviour };
}

function replay({ plain, stream }: Fixture, streamed: boolean): Answer {
  const recorded = streamed ? stream : plain;
  if (recorded === null) throw new Error('The fixture has no answer of this form');
  const { status, headers } = recorded;
  if (!('events' in recorded)) return jsonAnswer(recorded.body, { status, headers });
  const ending = recorded.cut === true ? 'close' : 'complete';
  return streamAnswer(recorded.events.map(bedrockFrame), { status, headers, ending });
}
