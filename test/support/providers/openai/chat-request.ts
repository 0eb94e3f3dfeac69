/** Parses chat completion requests for the fake providers with OpenAI's format. */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Prompt } from '../simulated-model.ts';

export interface ChatRequest {
  model: string;
  messages: {
    role: string;
    content?: unknown;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  tools?: { function: { name: string; parameters?: object } }[];
  tool_choice?: unknown;
  response_format?: { type: string; json_schema?: { name?: string; schema?: object } };
  body: JsonObject;
}

export function parseChatRequest(bytes: Buffer): ChatRequest | null {
  const body = parseJson(bytes.toString());
  if (!isJsonObject(body) || typeof body.model !== 'string' || !Array.isArray(body.messages)) return null;
  return { ...(body as Omit<ChatRequest, 'body'>), body };
}

export function requestsUsage({ stream_options: options }: ChatRequest): boolean {
  return options?.include_usage === true;
}

export function toPrompt({
  messages,
  tools,
  tool_choice: choice,
  response_format: format,
}: ChatRequest): Prompt {
  const last = messages.findLast(({ role }) => role === 'user')?.content;
  const parts = Array.isArray(last) ? last.filter(isJsonObject) : [];
  const chosen = isJsonObject(choice) && isJsonObject(choice.function) ? choice.function.name : undefined;
  const name = typeof chosen === 'string' ? chosen : tools?.[0]?.function.name;
  const tool = tools?.find(({ function: definition }) => definition.name === name)?.function;
  const mayCall = choice !== 'none' && messages.at(-1)?.role !== 'tool';
  const jsonObject = { type: 'object', properties: { result: { type: 'string' } } };
  return {
    tool: mayCall && name !== undefined ? { name, schema: tool?.parameters } : undefined,
    schema: format?.type === 'json_object' ? jsonObject : format?.json_schema?.schema,
    lastUserText: typeof last === 'string' ? last : parts.map(({ text }) => text ?? '').join(''),
  };
}

interface Rejection {
  message: string;
  param: string | null;
  code: string | null;
}

/** Returns the error, or its message, if the request violates the rule. */
export type Rule = (chat: ChatRequest) => Rejection | string | null | undefined | false;

export const toolResultsFollowCalls: Rule = ({ messages }) => {
  let pending: string[] = [];
  for (const { role, tool_call_id: id = '', tool_calls: calls = [] } of messages) {
    if (role === 'tool' && !pending.includes(id))
      return `The tool message has no preceding tool call: '${id}'`;
    if (role !== 'tool' && pending.length > 0) break;
    pending = role === 'tool' ? pending.filter((it) => it !== id) : calls.map((call) => call.id);
  }
  return (
    pending.length > 0 && `The following tool_call_ids did not have response messages: ${pending.join(', ')}`
  );
};
