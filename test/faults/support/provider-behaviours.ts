import { setTimeout as delay } from 'node:timers/promises';
import { errorResponse } from '#test/support/providers/openai/error-response.ts';
import { buildChunk, deltaChunk, doneEvent, event } from '#test/support/providers/openai/events.ts';
import {
  hangBeforeHeaders,
  jsonResponse,
  type Respond,
  resetBeforeHeaders,
  streamResponse,
} from '#test/support/providers/upstream-responses.ts';
import type { Random } from '#test/support/seeded-random.ts';
import type { ProviderBehaviour, ProviderCall } from './counting-provider.ts';

const model = 'gpt-4o-2024-08-06';
const words = ['Hello', ' there', ', I', ' am', ' here', '.'];

export const respondNormally: ProviderBehaviour = (call) => {
  call.reportsUsage = true;
  return call.stream ? streamResponse(streamEvents(call)) : jsonResponse(completionBody(call));
};

export function pickRandomly(
  random: Random,
  behaviours: readonly [ProviderBehaviour, ...ProviderBehaviour[]],
): ProviderBehaviour {
  return (call) => (behaviours[Math.floor(random() * behaviours.length)] ?? behaviours[0])(call);
}

export const resetBeforeResponse: ProviderBehaviour = () => resetBeforeHeaders;

export const stallBeforeResponse: ProviderBehaviour = () => hangBeforeHeaders;

export const resetMidResponse: ProviderBehaviour = (call) =>
  call.stream
    ? streamResponse(streamEvents(call).slice(0, 4), { ending: 'reset' })
    : truncatedBody(completionBody(call));

export const stallMidResponse: ProviderBehaviour = (call) =>
  call.stream ? streamResponse(streamEvents(call).slice(0, 4), { ending: 'hang' }) : hangBeforeHeaders;

/** Ends in the middle of an event, or of the JSON. */
export const truncateResponse: ProviderBehaviour = (call) =>
  call.stream
    ? streamResponse([...streamEvents(call).slice(0, 3), 'data: {"id":"chatcm'], { ending: 'close' })
    : truncatedBody(completionBody(call));

export function respondWithGarbage(random: Random): ProviderBehaviour {
  const bytes = () => Buffer.from(Array.from({ length: 400 }, () => Math.floor(random() * 256)));
  return pickRandomly(random, [
    () => jsonResponse(bytes(), { headers: { 'content-type': 'application/json' } }),
    () => jsonResponse('<html><body>Welcome!</body></html>', { headers: { 'content-type': 'text/html' } }),
    () => streamResponse([bytes(), bytes()]),
    () => streamResponse(['data: {"choices":\n\n', 'data: [DONE]\n\n']),
    () => notHttp,
  ]);
}

/** Rejects the first attempt with either of the headers that providers use for the delay before a retry. */
export const overloadFirstAttempt: ProviderBehaviour = (call) => {
  if (call.attempt > 1) return respondNormally(call);
  const [status, headers] = call.stream
    ? ([429, { 'retry-after-ms': '20' }] as const)
    : ([503, { 'retry-after': '1' }] as const);
  return errorResponse(status, { headers: { 'x-should-retry': 'true', ...headers } });
};

export function requireApiKey(apiKey: string): ProviderBehaviour {
  return (call) => (call.apiKey === apiKey ? respondNormally(call) : errorResponse(401));
}

/** Pauses before each event of a stream, and as long in total before a non-streaming response. */
export function respondSlowly(pauseMs: number): ProviderBehaviour {
  return (call) => {
    call.reportsUsage = true;
    if (call.stream) return streamResponse(paced(streamEvents(call), pauseMs));
    return async (exchange) => {
      await delay(pauseMs * words.length);
      await jsonResponse(completionBody(call))(exchange);
    };
  };
}

/** Streams text as long as the condition is met. */
export function respondWhile(isMet: () => boolean): ProviderBehaviour {
  return (call) => {
    call.reportsUsage = true;
    return streamResponse(prolonged(streamEvents(call), isMet));
  };
}

export function respondAtLength(bytes: number): ProviderBehaviour {
  const text = ' and so on'.repeat(200);
  const texts = Array.from({ length: Math.ceil(bytes / text.length) }, () => text);
  return (call) => {
    call.reportsUsage = true;
    return call.stream
      ? streamResponse(streamEvents(call, texts))
      : jsonResponse(completionBody(call, texts));
  };
}

function streamEvents({ usage }: ProviderCall, texts: readonly string[] = words): string[] {
  return [
    event(
      buildChunk({
        model,
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
      }),
    ),
    ...texts.map((content) => event({ ...deltaChunk({ content }), model })),
    event({ ...deltaChunk({}, 'stop'), model }),
    event(buildChunk({ model, usage })),
    doneEvent,
  ];
}

function completionBody({ usage }: ProviderCall, texts: readonly string[] = words): object {
  const message = { role: 'assistant', content: texts.join(''), refusal: null };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1767225600,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage,
  };
}

async function* paced(events: readonly string[], pauseMs: number): AsyncGenerator<string> {
  for (const event of events) {
    await delay(pauseMs);
    yield event;
  }
}

const prolongingPauseMs = 100;

async function* prolonged(events: readonly string[], isMet: () => boolean): AsyncGenerator<string> {
  const [first = '', text = '', ...others] = events;
  yield first + text;
  while (isMet()) {
    await delay(prolongingPauseMs);
    yield text;
  }
  yield* others;
}

/** Sends half of the body that `content-length` announces. */
function truncatedBody(body: object): Respond {
  const text = JSON.stringify(body);
  return ({ response, disconnect }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.write(text.slice(0, text.length / 2), () => disconnect('close'));
  };
}

const notHttp: Respond = ({ response, disconnect }) => {
  response.socket?.write('This is not HTTP.\r\n\r\n', () => disconnect('close'));
};
