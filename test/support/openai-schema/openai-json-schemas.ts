/**
 * What OpenAI's OpenAPI description says of a chat completion, of a chunk of one and of the list of models: its
 * required members and its enums; members that it does not know are allowed, as there.
 * https://github.com/openai/openai-openapi, with the enums of the `openai` package 7.55.0, which is made from it.
 */

const text = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const textOrNull = { type: ['string', 'null'] };
const listOf = (items: object) => ({ type: 'array', items });
const oneOf = (...values: string[]) => ({ type: 'string', enum: values });
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });

function objectOf(properties: Record<string, object>, { optional = [] as string[] } = {}) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'] as const;
const finishReason = oneOf(...finishReasons);

/** Of `system_fingerprint` the description says "string", but OpenAI sends null for models without one. */
const common = {
  id: text,
  created: integer,
  model: text,
  service_tier: orNull(oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast')),
  system_fingerprint: textOrNull,
};
const optionalCommon = ['service_tier', 'system_fingerprint', 'usage'];

const tokenLogprob = {
  token: text,
  logprob: number,
  bytes: orNull(listOf(integer)),
};

const logprobs = orNull(
  objectOf({
    content: orNull(listOf(ref('tokenLogprob'))),
    refusal: orNull(listOf(ref('tokenLogprob'))),
  }),
);

const functionToolCall = objectOf({
  id: text,
  type: oneOf('function'),
  function: objectOf({ name: text, arguments: text }),
});

const customToolCall = objectOf({
  id: text,
  type: oneOf('custom'),
  custom: objectOf({ name: text, input: text }),
});

const annotation = objectOf({
  type: oneOf('url_citation'),
  url_citation: objectOf({ start_index: integer, end_index: integer, url: text, title: text }),
});

const message = objectOf(
  {
    role: oneOf('assistant'),
    content: textOrNull,
    refusal: textOrNull,
    tool_calls: listOf({ anyOf: [functionToolCall, customToolCall] }),
    annotations: listOf(annotation),
    function_call: orNull(objectOf({ name: text, arguments: text })),
    audio: orNull(objectOf({ id: text, expires_at: integer, data: text, transcript: text })),
  },
  { optional: ['tool_calls', 'annotations', 'function_call', 'audio'] },
);

const toolCallChunk = objectOf(
  {
    index: integer,
    id: text,
    type: oneOf('function', 'custom'),
    function: objectOf({ name: text, arguments: text }, { optional: ['name', 'arguments'] }),
    custom: objectOf({ name: text, input: text }, { optional: ['name', 'input'] }),
  },
  { optional: ['id', 'type', 'function', 'custom'] },
);

const delta = objectOf(
  {
    content: textOrNull,
    role: oneOf('developer', 'system', 'user', 'assistant', 'tool'),
    refusal: textOrNull,
    tool_calls: listOf(toolCallChunk),
    function_call: objectOf({ name: text, arguments: text }, { optional: ['name', 'arguments'] }),
  },
  { optional: ['content', 'role', 'refusal', 'tool_calls', 'function_call'] },
);

const usage = objectOf(
  {
    prompt_tokens: integer,
    completion_tokens: integer,
    total_tokens: integer,
    prompt_tokens_details: objectOf(
      { cached_tokens: integer, cache_write_tokens: integer, audio_tokens: integer },
      { optional: ['cached_tokens', 'cache_write_tokens', 'audio_tokens'] },
    ),
    completion_tokens_details: objectOf(
      {
        reasoning_tokens: integer,
        audio_tokens: integer,
        accepted_prediction_tokens: integer,
        rejected_prediction_tokens: integer,
      },
      {
        optional: [
          'reasoning_tokens',
          'audio_tokens',
          'accepted_prediction_tokens',
          'rejected_prediction_tokens',
        ],
      },
    ),
  },
  { optional: ['prompt_tokens_details', 'completion_tokens_details'] },
);

export const openaiJsonSchemas = {
  $id: 'openai',
  $defs: {
    tokenLogprob: objectOf({ ...tokenLogprob, top_logprobs: listOf(objectOf(tokenLogprob)) }),
    CreateChatCompletionResponse: objectOf(
      {
        ...common,
        object: oneOf('chat.completion'),
        choices: listOf(objectOf({ index: integer, message, logprobs, finish_reason: finishReason })),
        usage,
      },
      { optional: optionalCommon },
    ),
    CreateChatCompletionStreamResponse: objectOf(
      {
        ...common,
        object: oneOf('chat.completion.chunk'),
        choices: listOf(
          objectOf(
            { index: integer, delta, logprobs, finish_reason: orNull(finishReason) },
            { optional: ['logprobs'] },
          ),
        ),
        usage: orNull(usage),
      },
      { optional: optionalCommon },
    ),
    ErrorResponse: objectOf({
      error: objectOf({ message: text, type: text, param: textOrNull, code: textOrNull }),
    }),
    ListModelsResponse: objectOf({
      object: oneOf('list'),
      data: listOf(objectOf({ id: text, object: oneOf('model'), created: integer, owned_by: text })),
    }),
  },
};
