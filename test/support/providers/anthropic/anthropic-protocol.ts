/**
 * A provider on loopback that speaks Anthropic's Messages API and refuses what it refuses.
 * https://platform.claude.com/docs/en/api/messages/create
 */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Fixture, RecordedAnswer, RecordedStream } from '../fixture.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import {
  type Answer,
  eventStream,
  jsonAnswer,
  type RecordedRequest,
  streamAnswer,
} from '../upstream-answers.ts';
import { messageEvents, plainMessage, type Question } from './anthropic-answers.ts';
import { AnthropicRefusal, refusalAnswer, refuse } from './anthropic-errors.ts';
import { checkForModel } from './anthropic-model-checks.ts';
import { rulesOf } from './anthropic-model-rules.ts';
import { checkParameters } from './anthropic-parameter-checks.ts';
import { checkToolChoice, checkToolsAreDefined, readTools } from './anthropic-tool-checks.ts';
import { readTurns } from './anthropic-turn-checks.ts';

export type AnthropicBehaviour = ProviderBehaviour;
export type AnthropicUpstream = Upstream<AnthropicBehaviour>;

export function startAnthropicUpstream(behaviour: AnthropicBehaviour = {}): Promise<AnthropicUpstream> {
  return startUpstream({ path: '/v1', answer: anthropicAnswer }, behaviour);
}

function anthropicAnswer(request: RecordedRequest, behaviour: AnthropicBehaviour): Answer {
  try {
    const question = readQuestion(request, behaviour);
    const streamed = question.body.stream === true;
    if (behaviour.fixture !== undefined) return fixtureAnswer(behaviour.fixture, streamed);
    const headers = headersOf(request);
    return streamed
      ? streamAnswer(messageEvents(question, behaviour).map(anthropicEvent), {
          headers: { ...eventStream, ...headers },
        })
      : jsonAnswer(plainMessage(question, behaviour), { headers });
  } catch (error) {
    if (error instanceof AnthropicRefusal) return refusalAnswer(error, request);
    throw error;
  }
}

function readQuestion(
  request: RecordedRequest,
  { expectedApiKey, unknownModels }: AnthropicBehaviour,
): Question {
  checkEnvelope(request, expectedApiKey);
  const body = parseJson(request.body.toString('utf8'));
  if (!isJsonObject(body)) refuse('The request body is not valid JSON.');
  checkParameters(body, { beta: request.headers['anthropic-beta'] !== undefined });
  const tools = readTools(body.tools);
  checkToolChoice(body.tool_choice, body.tools);
  const turns = readTurns(body.messages);
  checkToolsAreDefined(body.tools, turns);
  const model = String(body.model);
  const rules = unknownModels?.includes(model) ? null : rulesOf(model);
  if (rules === null) throw new AnthropicRefusal('not_found_error', `model: ${model}`);
  checkForModel(body, turns, rules);
  const marks = countCacheMarks(body);
  if (marks > 4) refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
  return { request, body, tools, turns };
}

function checkEnvelope({ method, url, headers }: RecordedRequest, expectedApiKey: string | undefined): void {
  const { pathname } = new URL(url, 'http://upstream');
  if (method !== 'POST' || pathname !== '/v1/messages') {
    throw new AnthropicRefusal('not_found_error', 'Not found');
  }
  const apiKey = headers['x-api-key'];
  if (apiKey === undefined)
    throw new AnthropicRefusal('authentication_error', 'x-api-key header is required');
  if (apiKey !== (expectedApiKey ?? apiKey)) {
    throw new AnthropicRefusal('authentication_error', 'invalid x-api-key');
  }
  const version = headers['anthropic-version'];
  if (version === undefined) refuse('anthropic-version: header is required');
  if (version !== '2023-06-01') refuse(`anthropic-version: "${version}" is not a valid version`);
  if (headers['content-type'] !== 'application/json') refuse('content-type: must be application/json');
}

/** Wherever they stand: on the request itself, the system prompt, tools, and blocks at any depth. */
function countCacheMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countCacheMarks(item), 0);
  if (!isJsonObject(value)) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => {
    // A tool's input and schema may have a field of that name.
    if (key === 'input' || key === 'input_schema') return sum;
    return sum + (key === 'cache_control' && item !== null ? 1 : countCacheMarks(item));
  }, 0);
}

export function anthropicEvent(event: JsonObject): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function fixtureAnswer({ plain, stream }: Fixture, streamed: boolean): Answer {
  const recorded = streamed ? stream : plain;
  if (recorded === null) throw new AnthropicRefusal('api_error', 'The fixture has no such form');
  return isStream(recorded) ? recordedStream(recorded) : recordedAnswer(recorded);
}

type EventStream = Extract<RecordedStream, { events: unknown[] }>;

function isStream(recorded: RecordedStream): recorded is EventStream {
  return 'events' in recorded;
}

function recordedAnswer({ status, headers, body }: RecordedAnswer): Answer {
  return jsonAnswer(body, { status, headers });
}

function recordedStream({ status, headers, events, cut = false }: EventStream): Answer {
  const chunks = events.map((event) => {
    if (!isJsonObject(event))
      throw new AnthropicRefusal('api_error', 'The fixture has an event that is none');
    return anthropicEvent(event);
  });
  return streamAnswer(chunks, { status, headers, ending: cut ? 'close' : 'complete' });
}

/** https://platform.claude.com/docs/en/api/rate-limits#response-headers */
function headersOf(request: RecordedRequest): Record<string, string> {
  const reset = '2026-11-20T12:00:00Z';
  const limits = { requests: 4000, tokens: 4_800_000, 'input-tokens': 4_000_000, 'output-tokens': 800_000 };
  return {
    'request-id': request.requestId,
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
    ...Object.fromEntries(
      Object.entries(limits).flatMap(([name, limit]) => [
        [`anthropic-ratelimit-${name}-limit`, String(limit)],
        [`anthropic-ratelimit-${name}-remaining`, String(limit - 1)],
        [`anthropic-ratelimit-${name}-reset`, reset],
      ]),
    ),
  };
}
