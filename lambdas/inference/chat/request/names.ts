/** The names of a chat request's parameters and fields, as reported to its caller. */
import type { ParameterNames } from '#lambdas/inference/completion/request.ts';

/** Where a parameter has two names, the older one stands for both. */
export const chatNames: ParameterNames = {
  maxTokens: 'max_tokens',
  responseFormat: 'response_format',
  stop: 'stop',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: 'seed',
  n: 'n',
  reasoningEffort: 'reasoning_effort',
  user: 'user',
  messages: 'messages',
  content: 'messages.content',
  role: 'messages.role',
  reasoning: 'messages.reasoning_content',
  resultError: 'messages.is_error',
  callArguments: 'messages.tool_calls.function.arguments',
  generatedImages: 'messages.images',
  imageDetail: 'image_url.detail',
  filename: 'file.filename',
  cacheControl: 'cache_control',
  strictTools: 'tools.function.strict',
  toolParameters: 'tools.function.parameters',
  responseSchema: 'response_format.json_schema.schema',
};
