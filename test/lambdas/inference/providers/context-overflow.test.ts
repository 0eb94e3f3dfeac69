import { describe, expect, it } from 'vitest';
import { findErrorInBody, readErrorResponse } from '#lambdas/inference/providers/errors.ts';

const origin = { provider: 'groq', model: 'llama' };

function errorFor(status: number, error: unknown) {
  const body = Buffer.from(JSON.stringify({ error }));
  return readErrorResponse({ ...origin, status, headers: {}, body });
}

const overflow = [
  // Anthropic
  'prompt is too long: 213462 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
  // Bedrock
  'The model returned the following errors: Input is too long for requested model.',
  'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
  // OpenAI, Azure, OpenRouter, DeepSeek, NVIDIA
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages.",
  "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
  "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.',
  // Google
  'The input token count (209809)   exceeds the maximum number of tokens allowed (131072).',
  // xAI
  "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
  // Mistral, Groq, Cerebras, Cohere, Fireworks, Together
  'Prompt contains 66385 tokens, too large for model with 32768 maximum context length',
  'Please reduce the length of the messages or completion.',
  'Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
  'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.',
  'The prompt is too long: 40000, model maximum context length: 32768',
  "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
  // vLLM, by version
  'The prompt (total length 25938) is too long to fit into the model (context length 4096). Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.',
  'The decoder prompt (length 21535) is longer than the maximum model length of 16384.',
  "'max_tokens' or 'max_completion_tokens' is too large: 2045. This model's maximum context length is 2048 tokens and your request has 8 input tokens (2045 > 2048 - 8).",
  "This model's maximum context length is 2048 tokens. However, you requested 2045 output tokens and your prompt contains at least 8 input tokens, for a total of at least 2053 tokens.",
  // SGLang
  "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens.",
  // llama.cpp
  'the request exceeds the available context size, try increasing it',
  'request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it',
  // LM Studio
  'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
  'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.',
  'Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)',
  'Context size has been exceeded.',
  // Ollama
  'prompt too long; exceeded max context length by 4 tokens',
  'the input length exceeds the context length',
  // TGI
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3474 `inputs` tokens and 60 `max_new_tokens`',
  'Input validation error: `inputs` must have less than 1024 tokens. Given: 1168',
  // MiniMax, Moonshot, DashScope, Volcano Engine, SiliconFlow, Baidu, LiteLLM
  'invalid params, context window exceeds limit',
  'Your request exceeded model token limit: 262144 (requested: 291351)',
  '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]',
  'Input length 203743 exceeds the maximum length 202752',
  'number of input tokens (83121) have exceeded max_prompt_tokens (65536) limit.',
  'prompt tokens too long',
  'litellm.ContextWindowExceededError: the request is too long',
];

describe('Context overflow', () => {
  it.each(overflow)('is context_length_exceeded with status 400: %s', (message) => {
    for (const found of [
      errorFor(400, { message, code: null }),
      errorFor(413, { message, type: 'BadRequestError', code: 413 }),
      errorFor(500, message),
      findErrorInBody({ error: { message, code: 422 } }, origin),
    ]) {
      expect([found?.status, found?.code]).toEqual([400, 'provider_rejected_request']);
      expect(found?.toBody().error).toEqual({
        message,
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      });
    }
  });

  it.each(['context_length_exceeded', 'exceed_context_size_error'])(
    'is recognized by the code or type %s, and keeps the param',
    (code) => {
      for (const error of [
        { message: 'No', code, param: 'input' },
        { message: 'No', type: code, param: 'input' },
      ]) {
        expect(errorFor(422, error)).toMatchObject({
          status: 400,
          providerCode: 'context_length_exceeded',
          param: 'input',
        });
      }
    },
  );

  it('is recognized in the message of the provider behind OpenRouter', () => {
    const raw = '{"error":{"message":"prompt is too long: 213462 tokens > 200000 maximum"}}';
    const error = { message: 'Provider returned error', code: 400, metadata: { raw } };
    expect(errorFor(400, error)).toMatchObject({
      message: 'Provider returned error',
      providerCode: 'context_length_exceeded',
    });
  });

  it.each([
    [400, 'max_tokens is too large: 32000. This model supports at most 16384 completion tokens.'],
    [400, 'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude'],
    [
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 40000. This model's maximum context length is 32768 tokens and your request has 12 input tokens (40000 > 32768 - 12).",
    ],
    [400, 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'],
    [
      413,
      'Request too large for model `llama` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.',
    ],
    [413, 'Rate limit reached: please reduce the length of the messages'],
    [413, 'Request exceeds the maximum size'],
    [400, 'Too many tokens, please wait before trying again.'],
    [400, 'The file is too long: at most 100 PDF pages'],
    [400, "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10."],
    [429, "This model's maximum context length is 8192 tokens"],
  ])('is not assumed for other limits: %i %s', (status, message) => {
    expect(errorFor(status, { message }).providerCode).toBeNull();
  });

  it('is not assumed for a limit per minute that is named only by the code', () => {
    const error = { message: 'Please reduce the length of the messages', code: 'rate_limit_exceeded' };
    expect(errorFor(413, error)).toMatchObject({ status: 413, providerCode: 'rate_limit_exceeded' });
  });
});
