/**
 * Schemas of chat completions, chunks, errors and the model list: the required fields and enums of OpenAI's OpenAPI
 * description. Unknown fields are allowed.
 * https://github.com/openai/openai-openapi, with the enums of the `openai` package 7.55.0, which is generated from it.
 */
import { z } from 'zod';

const string = z.string();
const integer = z.int();

const usage = z.looseObject({
  prompt_tokens: integer,
  completion_tokens: integer,
  total_tokens: integer,
  prompt_tokens_details: z
    .looseObject({ cached_tokens: integer, cache_write_tokens: integer, audio_tokens: integer })
    .partial()
    .optional(),
  completion_tokens_details: z
    .looseObject({
      reasoning_tokens: integer,
      audio_tokens: integer,
      accepted_prediction_tokens: integer,
      rejected_prediction_tokens: integer,
    })
    .partial()
    .optional(),
});

/** The description allows only strings for `system_fingerprint`, but OpenAI sends null for models without one. */
const common = {
  id: string,
  created: integer,
  model: string,
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullish(),
  system_fingerprint: string.nullish(),
};
const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);

const token = { token: string, logprob: z.number(), bytes: z.array(integer).nullable() };
const tokens = z.array(z.looseObject({ ...token, top_logprobs: z.array(z.looseObject(token)) })).nullable();
const logprobs = z.looseObject({ content: tokens, refusal: tokens }).nullable();

const callee = z.looseObject({ name: string, arguments: string });
const customCallee = z.looseObject({ name: string, input: string });
const citation = z.looseObject({ start_index: integer, end_index: integer, url: string, title: string });

const message = z.looseObject({
  role: z.literal('assistant'),
  content: string.nullable(),
  refusal: string.nullable(),
  tool_calls: z
    .array(
      z.discriminatedUnion('type', [
        z.looseObject({ id: string, type: z.literal('function'), function: callee }),
        z.looseObject({ id: string, type: z.literal('custom'), custom: customCallee }),
      ]),
    )
    .optional(),
  annotations: z.array(z.looseObject({ type: z.literal('url_citation'), url_citation: citation })).optional(),
  function_call: callee.nullish(),
  audio: z.looseObject({ id: string, expires_at: integer, data: string, transcript: string }).nullish(),
});

const delta = z.looseObject({
  content: string.nullish(),
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool']).optional(),
  refusal: string.nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        index: integer,
        id: string.optional(),
        type: z.enum(['function', 'custom']).optional(),
        function: callee.partial().optional(),
        custom: customCallee.partial().optional(),
      }),
    )
    .optional(),
  function_call: callee.partial().optional(),
});

export const completion = z.looseObject({
  ...common,
  object: z.literal('chat.completion'),
  choices: z.array(z.looseObject({ index: integer, message, logprobs, finish_reason: finishReason })),
  usage: usage.optional(),
});

export const completionChunk = z.looseObject({
  ...common,
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    z.looseObject({
      index: integer,
      delta,
      logprobs: logprobs.optional(),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usage.nullish(),
});

export const errorBody = z.looseObject({
  error: z.looseObject({ message: string, type: string, param: string.nullable(), code: string.nullable() }),
});

export const modelList = z.looseObject({
  object: z.literal('list'),
  data: z.array(
    z.looseObject({ id: string, object: z.literal('model'), created: integer, owned_by: string }),
  ),
});
