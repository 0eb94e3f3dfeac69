/**
 * A provider that speaks OpenAI's chat completions format, with an accent. Each provider's own file says what it
 * refuses and how its answers look; what all of them do is here.
 */

import type { Fixture, RecordedAnswer } from '../fixture.ts';
import type { ProviderBehaviour } from '../provider-behaviour.ts';
import { type SmallAnswer, smallAnswer } from '../small-answer.ts';
import type { UpstreamProtocol } from '../upstream.ts';
import {
  type Answer,
  eventStream,
  jsonAnswer,
  type RecordedRequest,
  streamAnswer,
} from '../upstream-answers.ts';
import { doneEvent, event } from './openai-events.ts';
import {
  type ChatRequest,
  isRequestProblem,
  parseChatRequest,
  type RequestProblem,
} from './openai-request.ts';

export interface Dialect<Behaviour extends ProviderBehaviour = ProviderBehaviour> {
  /** Of the base URL, such as `/v1`. */
  path: string;
  /** The key that came with a request. */
  apiKeyOf?(request: RecordedRequest): string | undefined;
  /** Of every answer, beside those of `jsonAnswer`. */
  headers?(request: RecordedRequest): Record<string, string>;
  wrongKey: Refusal;
  unknownModel(model: string): Refusal;
  unknownRoute?: Refusal;
  badRequest(problem: RequestProblem, chat?: ChatRequest): Refusal;
  /** What this provider does not take. */
  refuses(chat: ChatRequest): RequestProblem | Refusal | null;
  /** Another answer than the usual one, for behaviours of its own. */
  answerOf?(chat: ChatRequest, behaviour: Behaviour): SmallAnswer;
  plain(chat: ChatRequest, answer: SmallAnswer, behaviour: Behaviour): object;
  /** In the form of a fixture's events, `[DONE]` left out. */
  stream(chat: ChatRequest, answer: SmallAnswer, behaviour: Behaviour): StreamEvent[];
}

/** An error as this provider answers it. */
export interface Refusal {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** An object is the data of an event; a text is the event itself, such as a comment. */
export type StreamEvent = object | string;

export function dialectProtocol<Behaviour extends ProviderBehaviour>(
  dialect: Dialect<Behaviour>,
): UpstreamProtocol<Behaviour> {
  return { path: dialect.path, answer: (request, behaviour) => answer(dialect, request, behaviour) };
}

function answer<Behaviour extends ProviderBehaviour>(
  dialect: Dialect<Behaviour>,
  request: RecordedRequest,
  behaviour: Behaviour,
): Answer {
  const headers = dialect.headers?.(request) ?? {};
  const refuse = (refusal: Refusal) =>
    jsonAnswer(refusal.body, { status: refusal.status, headers: { ...headers, ...refusal.headers } });
  const path = new URL(request.url, 'http://upstream').pathname;
  if (request.method !== 'POST' || path !== `${dialect.path}/chat/completions`) {
    return refuse(dialect.unknownRoute ?? { status: 404, body: { detail: 'Not Found' } });
  }
  const { expectedApiKey, unknownModels = [], fixture } = behaviour;
  const apiKey = (dialect.apiKeyOf ?? bearer)(request);
  if (expectedApiKey !== undefined && apiKey !== expectedApiKey) return refuse(dialect.wrongKey);
  const chat = parseChatRequest(request.body);
  if (isRequestProblem(chat)) return refuse(dialect.badRequest(chat));
  const refused = dialect.refuses(chat);
  if (refused !== null) return refuse('status' in refused ? refused : dialect.badRequest(refused, chat));
  if (unknownModels.includes(chat.model)) return refuse(dialect.unknownModel(chat.model));
  if (fixture !== undefined) return fixtureAnswer(fixture, chat.stream === true);
  const said = dialect.answerOf?.(chat, behaviour) ?? smallAnswer(chat, behaviour);
  if (chat.stream !== true) return jsonAnswer(dialect.plain(chat, said, behaviour), { headers });
  return streamAnswer([...dialect.stream(chat, said, behaviour).map(eventBytes), doneEvent], {
    headers: { ...eventStream, ...headers },
  });
}

export function bearer({ headers }: RecordedRequest): string | undefined {
  return headers.authorization?.replace(/^Bearer /, '');
}

/** The recorded answer in the form that was asked for. */
function fixtureAnswer({ plain, stream }: Fixture, asked: boolean): Answer {
  if (!asked) return recordedAnswer(plain);
  if (stream === null || 'body' in stream) return recordedAnswer(stream);
  const { status, headers, events, cut = false } = stream;
  return streamAnswer(events.map(eventBytes), { status, headers, ending: cut ? 'close' : 'complete' });
}

function recordedAnswer(recorded: RecordedAnswer | null): Answer {
  if (recorded === null) throw new Error('This scene has no answer in the form that was asked for');
  return jsonAnswer(recorded.body, recorded);
}

function eventBytes(recorded: unknown): string {
  return typeof recorded === 'string' ? `${recorded}\n\n` : event(recorded);
}
