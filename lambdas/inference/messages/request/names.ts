/** The names of a Messages request's parameters and fields, as reported to its caller. */
import type { ParameterNames } from '#lambdas/inference/completion/request.ts';

/** For parameters that only other formats have. */
const body = 'body';

export const messagesNames: ParameterNames = {
  maxTokens: 'max_tokens',
  responseFormat: 'output_config.format',
  stop: 'stop_sequences',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  frequencyPenalty: body,
  presencePenalty: body,
  seed: body,
  n: body,
  reasoningEffort: 'thinking',
  reasoningBudget: 'thinking.budget_tokens',
  reasoningSummary: 'thinking.display',
  user: 'metadata.user_id',
  messages: 'messages',
  content: 'messages.content',
  role: 'messages.role',
  callArguments: 'messages.content.input',
  reasoning: 'messages.content.thinking',
  resultError: 'messages.content.is_error',
  generatedImages: body,
  imageDetail: body,
  filename: 'messages.content.title',
  cacheControl: 'cache_control',
  strictTools: 'tools.strict',
  toolParameters: 'tools.input_schema',
  responseSchema: 'output_config.format.schema',
};
