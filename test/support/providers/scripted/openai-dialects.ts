/** Differences between servers with OpenAI's format that scripted turns show. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { type Failure, uniqueLetters } from './turns.ts';

export interface ChatDialect {
  /** Fields of all responses. */
  fields: JsonObject;
  /** Whether reasoning is sent, in the field `reasoning`; otherwise it is only counted. */
  showsReasoning: boolean;
  /** Whether the arguments of calls come in chunks. */
  streamsCalls: boolean;
  /** Whether streams have usage without a request for it. */
  alwaysSendsUsage?: boolean;
  /** Whether the usage has cached and reasoning tokens. */
  reportsDetails: boolean;
  callId(requestId: string, index: number): string;
  failures: Record<Failure, { status: number; error: JsonObject }>;
}

const openAiError = (status: number, type: string, code: string | null, message: string) => ({
  status,
  error: { message, type, param: null, code },
});

/** https://platform.openai.com/docs/guides/error-codes */
export const openAiDialect = {
  fields: { service_tier: 'default', system_fingerprint: 'fp_1' },
  showsReasoning: false,
  streamsCalls: true,
  reportsDetails: true,
  callId: (requestId, index) => `call_${uniqueLetters(requestId, index, 24)}`,
  failures: {
    overloaded: openAiError(
      503,
      'server_error',
      null,
      'The server is currently overloaded with other requests. Sorry about that! You can retry your request.',
    ),
    rate_limited: openAiError(429, 'tokens', 'rate_limit_exceeded', 'Rate limit reached for this model.'),
    server_error: openAiError(500, 'server_error', null, 'The server had an error. Sorry about that!'),
    context_full: openAiError(
      400,
      'invalid_request_error',
      'context_length_exceeded',
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.',
    ),
  },
} satisfies ChatDialect;

const vllmError = (code: number, type: string, message: string) => ({
  status: code,
  error: { message, type, param: null, code },
});

/** https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/chat_completion/serving.py */
export const vllmDialect: ChatDialect = {
  fields: {},
  showsReasoning: true,
  streamsCalls: true,
  reportsDetails: false,
  callId: (requestId, index) => `chatcmpl-tool-${uniqueLetters(requestId, index, 32)}`,
  failures: {
    overloaded: vllmError(503, 'ServiceUnavailableError', 'The server is overloaded.'),
    rate_limited: vllmError(429, 'TooManyRequests', 'Too many requests.'),
    server_error: vllmError(500, 'InternalServerError', 'EngineCore encountered an issue.'),
    context_full: vllmError(
      400,
      'BadRequestError',
      "This model's maximum context length is 131072 tokens. However, you requested 32000 output tokens and your prompt contains at least 99073 input tokens, for a total of at least 131073 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    ),
  },
};

/** https://github.com/ollama/ollama/blob/main/openai/openai.go */
export const ollamaDialect: ChatDialect = {
  fields: { system_fingerprint: 'fp_ollama' },
  showsReasoning: true,
  streamsCalls: false,
  reportsDetails: false,
  callId: (requestId, index) => `call_${uniqueLetters(requestId, index, 8)}`,
  failures: {
    overloaded: openAiError(
      503,
      'api_error',
      null,
      'server busy, please try again.  maximum pending requests exceeded',
    ),
    rate_limited: openAiError(429, 'api_error', null, 'too many concurrent requests'),
    server_error: openAiError(500, 'api_error', null, 'model runner has unexpectedly stopped'),
    context_full: openAiError(
      400,
      'invalid_request_error',
      null,
      'prompt too long; exceeded max context length by 4 tokens',
    ),
  },
};
