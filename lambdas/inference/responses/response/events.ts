/** The events of a streamed response. https://platform.openai.com/docs/api-reference/responses-streaming */
import type { JsonObject } from '#lambdas/platform/json/json.ts';

export type OutputItem = MessageItem | ReasoningItem | FunctionCallItem | CustomCallItem;

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export interface MessageItem {
  id: string;
  type: 'message';
  status: ItemStatus;
  role: 'assistant';
  content: ContentPart[];
}

export type ContentPart =
  | { type: 'output_text'; text: string; annotations: []; logprobs: [] }
  | { type: 'refusal'; refusal: string };

export interface ReasoningItem {
  id: string;
  type: 'reasoning';
  status: ItemStatus;
  summary: { type: 'summary_text'; text: string }[];
  encrypted_content: string;
}

export interface FunctionCallItem {
  id: string;
  type: 'function_call';
  status: ItemStatus;
  call_id: string;
  name: string;
  namespace?: string;
  arguments: string;
}

export interface CustomCallItem {
  id: string;
  type: 'custom_tool_call';
  status: ItemStatus;
  call_id: string;
  name: string;
  namespace?: string;
  input: string;
}

export type EventType = `response.${string}` | 'error';

/** Writes an event about the item that is open. */
export type WriteItemEvent = (type: EventType, fields: JsonObject) => void;
