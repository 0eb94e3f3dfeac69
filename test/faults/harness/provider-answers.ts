/** How the counting provider answers, well and badly. */
import { setTimeout as delay } from 'node:timers/promises';
import { chunkOf, deltaChunk, doneEvent, event } from '#test/support/providers/openai/openai-events.ts';
import { errorResponse } from '#test/support/providers/openai/openai-responses.ts';
import {
  hangBeforeHeaders,
  jsonResponse,
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';
import type { Behaviour, ProviderCall } from './counting-provider.ts';
import type { Random } from './random.ts';

const model = 'gpt-4o-2024-08-06';
const words = ['Hello', ' there', ', I', ' am', ' here', '.'];

export const well: Behaviour = (call) => {
  call.statesUsage = true;
  return call.stream ? streamResponse(eventsOf(call)) : jsonResponse(completionOf(call));
};

/** One of these, by chance. */
export function oneOf(random: Random, behaviours: readonly [Behaviour, ...Behaviour[]]): Behaviour {
  return (call) => (behaviours[Math.floor(random() * behaviours.length)] ?? behaviours[0])(call);
}

export const resets: Behaviour = () => resetBeforeHeaders;

export const stallsBeforeHeaders: Behaviour = () => hangBeforeHeaders;

export const resetsMidStream: Behaviour = (call) =>
  call.stream
    ? streamResponse(eventsOf(call).slice(0, 4), { ending: 'reset' })
    : halfBody(completionOf(call));

export const stallsMidStream: Behaviour = (call) =>
  call.stream ? streamResponse(eventsOf(call).slice(0, 4), { ending: 'hang' }) : hangBeforeHeaders;

/** It ends in the middle of an event, or of the JSON. */
export const halfBodies: Behaviour = (call) =>
  call.stream
    ? streamResponse([...eventsOf(call).slice(0, 3), 'data: {"id":"chatcm'], { ending: 'close' })
    : halfBody(completionOf(call));

export function garbage(random: Random): Behaviour {
  const bytes = () => Buffer.from(Array.from({ length: 400 }, () => Math.floor(random() * 256)));
  return oneOf(random, [
    () => jsonResponse(bytes(), { headers: { 'content-type': 'application/json' } }),
    () => jsonResponse('<html><body>Welcome!</body></html>', { headers: { 'content-type': 'text/html' } }),
    () => streamResponse([bytes(), bytes()]),
    () => streamResponse(['data: {"choices":\n\n', 'data: [DONE]\n\n']),
    () => notHttp,
  ]);
}

/** Overloaded at first: says so in each of the two ways in which a provider says when to come again. */
export const overloadedAtFirst: Behaviour = (call) => {
  if (call.attempt > 1) return well(call);
  const [status, headers] = call.stream
    ? ([429, { 'retry-after-ms': '20' }] as const)
    : ([503, { 'retry-after': '1' }] as const);
  return errorResponse(status, { headers: { 'x-should-retry': 'true', ...headers } });
};

/** Takes this key alone. */
export function wantsKey(apiKey: string): Behaviour {
  return (call) => (call.apiKey === apiKey ? well(call) : errorResponse(401));
}

/** Takes its time between the pieces of a stream, and before an answer in one. */
export function takesItsTime(pauseMs: number): Behaviour {
  return (call) => {
    call.statesUsage = true;
    if (call.stream) return streamResponse(paced(eventsOf(call), pauseMs));
    return async (exchange) => {
      await delay(pauseMs * words.length);
      await jsonResponse(completionOf(call))(exchange);
    };
  };
}

/** An answer of this many bytes, and a little more. */
export function talksMuch(bytes: number): Behaviour {
  const piece = ' and so on'.repeat(200);
  const pieces = Array.from({ length: Math.ceil(bytes / piece.length) }, () => piece);
  return (call) => {
    call.statesUsage = true;
    return call.stream ? streamResponse(eventsOf(call, pieces)) : jsonResponse(completionOf(call, pieces));
  };
}

function eventsOf({ usage }: ProviderCall, pieces: readonly string[] = words): string[] {
  return [
    event(
      chunkOf({
        model,
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
      }),
    ),
    ...pieces.map((content) => event({ ...deltaChunk({ content }), model })),
    event({ ...deltaChunk({}, 'stop'), model }),
    event(chunkOf({ model, usage })),
    doneEvent,
  ];
}

function completionOf({ usage }: ProviderCall, pieces: readonly string[] = words): object {
  const message = { role: 'assistant', content: pieces.join(''), refusal: null };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1767225600,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage,
  };
}

async function* paced(pieces: readonly string[], pauseMs: number): AsyncGenerator<string> {
  for (const piece of pieces) {
    await delay(pauseMs);
    yield piece;
  }
}

/** Says how long it is, and is not. */
function halfBody(body: object): Respond {
  const text = JSON.stringify(body);
  return ({ response, cut }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.write(text.slice(0, text.length / 2), () => cut('close'));
  };
}

const notHttp: Respond = ({ response, cut }) => {
  response.socket?.write('This is not HTTP.\r\n\r\n', () => cut('close'));
};
