/** The names of a Responses request's parameters and fields, as reported to its caller. */
import type { ParameterNames } from '#lambdas/inference/completion/request.ts';

/** For parameters that only other formats have. */
const body = 'body';

export const responsesNames: ParameterNames = {
  maxTokens: 'max_output_tokens',
  responseFormat: 'text.format',
  stop: body,
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  temperature: 'temperature',
  topP: 'top_p',
  topK: body,
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  seed: body,
  n: body,
  reasoningEffort: 'reasoning.effort',
  reasoningBudget: 'reasoning.effort',
  reasoningSummary: 'reasoning.summary',
  user: 'safety_identifier',
  messages: 'input',
  content: 'input.content',
  role: 'input.role',
  callArguments: 'input.arguments',
  reasoning: 'input.reasoning',
  resultError: body,
  generatedImages: 'input.image_generation_call',
  imageDetail: 'input.content.detail',
  filename: 'input.content.filename',
  cacheControl: 'prompt_cache_breakpoint',
  strictTools: 'tools.strict',
  toolParameters: 'tools.parameters',
  responseSchema: 'text.format.schema',
};
