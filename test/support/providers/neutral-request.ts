/** Builds requests in the neutral form that no chat request can express. */
import type { TextPart } from '#lambdas/inference/completion/content.ts';
import type {
  AssistantPart,
  AssistantText,
  AssistantTurn,
  Payload,
  ReasoningPart,
  SystemTurn,
  ToolCall,
  ToolResult,
  UserTurn,
} from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { FunctionTool } from '#lambdas/inference/completion/tools.ts';
import { readRequest } from './provider-call.ts';

export function neutralRequest(fields: Partial<CompletionRequest> = {}): CompletionRequest {
  const { tools = [] } = fields;
  const toolNames = tools.flatMap((tool) => (tool.type === 'hosted' ? [] : [tool]));
  return { ...readRequest({}), toolNames, ...fields };
}

export const text = (value: string, overrides: Partial<TextPart> = {}): TextPart => ({
  type: 'text',
  text: value,
  cacheControl: null,
  param: 'input',
  ...overrides,
});

export const reply = (value: string, payload: Payload | null = null): AssistantText => ({
  ...text(value),
  payload,
});

export const thought = (value: string, payload: Payload | null = null): ReasoningPart => ({
  type: 'reasoning',
  text: value,
  payload,
});

export const signature = (data: string, format: Payload['format'] = 'anthropic'): Payload => ({
  format,
  kind: 'signature',
  data,
});

export const call = (id: string, overrides: Partial<ToolCall> = {}): ToolCall => ({
  type: 'call',
  id,
  name: 'look',
  namespace: null,
  arguments: {},
  hasInvalidArguments: false,
  cacheControl: null,
  payload: null,
  param: `calls.${id}`,
  ...overrides,
});

export const result = (toolCallId: string, overrides: Partial<ToolResult> = {}): ToolResult => ({
  role: 'tool',
  toolCallId,
  parts: [text('Rain')],
  isError: false,
  cacheControl: null,
  param: `results.${toolCallId}`,
  ...overrides,
});

export const user = (...contents: (string | ToolResult)[]): UserTurn => ({
  role: 'user',
  toolResults: contents.filter((content) => typeof content !== 'string'),
  parts: contents.filter((content) => typeof content === 'string').map((content) => text(content)),
});

export const assistant = (...parts: AssistantPart[]): AssistantTurn => ({
  role: 'assistant',
  messages: [{ role: 'assistant', parts, hasImages: false }],
});

export const system = (value: string): SystemTurn => ({ role: 'system', parts: [text(value)] });

export const functionTool = (name: string, overrides: Partial<FunctionTool> = {}): FunctionTool => ({
  type: 'function',
  name,
  namespace: null,
  description: null,
  parameters: null,
  strict: null,
  cacheControl: null,
  param: `tools.${name}`,
  ...overrides,
});
