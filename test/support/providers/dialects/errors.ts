/** Ways in which servers report an error in a response with status 200, and what only looks like an error. */
import { deltaChunk, doneEvent, event } from '../openai/events.ts';

export const upstreamMessage = 'the request exceeds the available context size';

const error = { code: 400, message: upstreamMessage, type: 'invalid_request_error' };
const errorJson = JSON.stringify(error);

/** Parts of a stream in OpenAI's format with `upstreamMessage`, which may come before or after text. */
export const streamedErrors: Readonly<Record<string, string>> = {
  // llama.cpp, builds of 2025: https://github.com/coddy-project/coddy-agent/pull/106
  'the field `error` and [DONE]': `error: ${errorJson}\n\n${doneEvent}`,
  'the field `error`': `error: ${errorJson}\n\n`,
  'the field `error` with text': `error: ${upstreamMessage}\n\n`,
  'plain JSON': JSON.stringify({ error }),
  'plain JSON and [DONE]': `${JSON.stringify({ error })}\n\n${doneEvent}`,
  'plain JSON in several lines': `${JSON.stringify({ error }, null, 2)}\n\n${doneEvent}`,
  'an event of the type `error`': `event: error\n${event({ error })}`,
  'an event of the type `error` with the message alone': `event: error\n${event({ message: upstreamMessage })}`,
  'an error in a chunk': event({ error }) + doneEvent,
  'an error as text': event({ error: upstreamMessage }),
  'an error in a list': event([{ error }]).replace(/\[(.*)\]/, '$1'),
  'an error beside null choices': event({ id: '1', choices: null, error }) + doneEvent,
  'an error beside empty choices': event({ id: '1', choices: [], error, usage: null }) + doneEvent,
  'an error in a choice': event({ ...deltaChunk({}), choices: [{ index: 0, delta: {}, error }] }) + doneEvent,
  'an error beside a choice': event({ ...deltaChunk({ content: '' }, 'error'), error }) + doneEvent,
  'a message with `object: "error"`': event({ object: 'error', message: upstreamMessage, code: 40303 }),
  'a message without an error object': event({ code: 400, message: upstreamMessage }),
  'FastAPI’s `detail`': event({ detail: upstreamMessage }),
};

/** Bodies with `upstreamMessage` and the status 200. */
export const wholeErrors: Readonly<Record<string, unknown>> = {
  'an error alone': { error },
  'an error beside null choices': { id: '1', object: 'chat.completion', choices: null, error },
  'an error beside empty choices': { id: '1', choices: [], error, usage: null },
  'an error in a choice': { id: '1', choices: [{ index: 0, message: { content: '' }, error }] },
  'an error as text': { error: upstreamMessage },
  'an error in a list': [{ error }],
  'a message with `object: "error"`': { object: 'error', message: upstreamMessage, code: 40303 },
  'a message without an error object': { code: 400, message: upstreamMessage },
  'FastAPI’s `detail`': { detail: upstreamMessage },
};

/** Streams in OpenAI's format in which nothing was completed. */
export const emptyStreams: Readonly<Record<string, string>> = {
  nothing: '',
  '[DONE] alone': doneEvent,
  'a comment and [DONE]': `: wait\n\n${doneEvent}`,
  'chunks with empty choices and [DONE]': event({ id: '1', choices: [] }).repeat(2) + doneEvent,
  'chunks without choices': event({ id: '1' }) + event({}) + doneEvent,
};

/** The same, but the caller gets a chunk before the end shows it. */
export const emptyStreamsWithChunk: Readonly<Record<string, string>> = {
  'a role and [DONE]': event(deltaChunk({ role: 'assistant', content: '' })) + doneEvent,
  'usage and [DONE]': event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 0 } }) + doneEvent,
};

/** Completions in OpenAI's format in which nothing was completed. */
export const emptyCompletions: Readonly<Record<string, unknown>> = {
  'no choices': { id: '1', object: 'chat.completion', created: 1, model: 'm' },
  'empty choices': { id: '1', object: 'chat.completion', created: 1, model: 'm', choices: [] },
  'null choices': { id: '1', object: 'chat.completion', created: 1, model: 'm', choices: null },
  'a null choice': { id: '1', choices: [null] },
  'a choice without a message': { id: '1', choices: [{ index: 0 }] },
  'a message without content and finish reason': {
    id: '1',
    choices: [{ index: 0, message: { role: 'assistant', content: null }, finish_reason: null }],
  },
  'an empty object': {},
};

/** Values of `error` that say nothing, beside an answer. */
export const emptyErrors: Readonly<Record<string, unknown>> = {
  '{}': {},
  null: null,
  'an empty text': '',
  'empty fields': { message: '', type: '', param: '', code: null },
  'null fields': { message: null, type: null, param: null, code: null },
  'code 0': { code: 0, message: '' },
};
